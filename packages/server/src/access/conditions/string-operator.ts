import type { AccessContext } from '../context/context.ts';
import { textOf } from '../context/context-value.ts';
import { type Effort, spend } from '../effort.ts';
import { foldAscii, globOf, matchesGlob, matchesSymbols } from '../patterns/glob.ts';
import { patternMistake } from '../patterns/pattern-limits.ts';
import {
  collapseTemplateStars,
  expand,
  expandedSymbols,
  expandedText,
  isUnknown,
  joinedText,
  parseTemplate,
  readTemplate,
  type Template,
} from '../template.ts';
import { anyOf, not, type Truth } from '../truth.ts';
import type { IfVague, Operator } from './operator.ts';

/** How a text is compared with one that a condition names. */
type Way = 'Equals' | 'EqualsIgnoreCase' | 'Like';

/** Compares texts by code points. What has no text cannot be compared. */
export function stringOperator(way: Way, { isNegated = false }: { readonly isNegated?: boolean } = {}): Operator {
  const isLike = way === 'Like';
  return {
    operand: isLike ? 'pattern' : 'text',
    isNegated,
    readExpected: (value) => {
      const text = isLike ? collapseTemplateStars(String(value)) : String(value);
      const template = parseTemplate(text, isLike);
      return 'parts' in template ? ((isLike ? patternMistake(text, String(value)) : undefined) ?? { text }) : template;
    },
    comparison: (texts, { ifVague }) => {
      const templates = texts.map((text) => readTemplate(text, isLike));
      const [only, ...more] = templates;
      const tests = templates.map((template) => testOf(way, template, { ifVague: ifVague !== isNegated }));
      const keys = templates.flatMap((template) => template.keys);
      const isOfTexts = way === 'Equals' && !isNegated;
      const isSole = isOfTexts && more.length === 0;
      return {
        keys,
        ...(isOfTexts && keys.length === 0 ? { texts: templates.map(({ parts }) => parts.join('')) } : {}),
        compare: (value, context, effort) => {
          const text = textOf(value);
          if (!spend(effort, tests.length * stepsOfTest)) return false;
          if (text === undefined) return ifVague;
          const truth = anyOf(tests, (test) => test(text, context, effort));
          return isNegated ? not(truth) : truth;
        },
        ...(isSole && only !== undefined ? { soleText: (context, effort) => expandedText(only, context, effort) } : {}),
      };
    },
  };
}

const stepsOfTest = 8;

type Test = (text: string, context: AccessContext, effort: Effort) => Truth;

function testOf(way: Way, template: Template, { ifVague }: IfVague): Test {
  const { parts, keys } = template;
  if (keys.length === 0) return testOfParts(way, parts);
  return (text, context, effort) => {
    if (isUnknown(template, context)) return 'unknown';
    const expansion = expand(template, context, effort);
    if (expansion.isVague) return ifVague;
    if (way === 'Like') {
      const symbols = expandedSymbols(expansion, effort);
      return symbols !== undefined && matchesSymbols(symbols, text, effort);
    }
    const expected = expansion.parts === undefined ? undefined : joinedText(expansion.parts, effort);
    return expected !== undefined && areEqual(way, expected, text, effort);
  };
}

function testOfParts(way: Way, parts: Template['parts']): Test {
  const plain = parts.filter((part) => typeof part !== 'object');
  if (way === 'Like') {
    const glob = globOf('', plain);
    return (text, _, effort) => matchesGlob(glob, text, effort);
  }
  const expected = plain.join('');
  if (way === 'Equals') return (text) => text === expected;
  return (text, _, effort) => areEqual(way, expected, text, effort);
}

/** To lower-case a text keeps its length, so none is lower-cased but one as long as the other. */
function areEqual(way: Way, expected: string, text: string, effort: Effort): boolean {
  if (way === 'Equals' || expected === text) return expected === text;
  if (expected.length !== text.length || !spend(effort, text.length * stepsOfFolded)) return false;
  return foldAscii(text) === foldAscii(expected);
}

const stepsOfFolded = 4;
