import type { AccessContext } from '../context.ts';
import { textOf } from '../context-value.ts';
import { foldAscii, globOf, matchesGlob, matchesSymbols } from '../glob.ts';
import type { GlobPart } from '../glob-symbols.ts';
import { patternMistake } from '../pattern-limits.ts';
import {
  collapseTemplateStars,
  expand,
  expandedSymbols,
  expandedText,
  isUnknown,
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
      const isSole = way === 'Equals' && !isNegated && more.length === 0;
      return {
        keys: templates.flatMap(({ keys }) => keys),
        compare: (value, context) => {
          const text = textOf(value);
          if (text === undefined) return ifVague;
          const truth = anyOf(tests, (test) => test(text, context));
          return isNegated ? not(truth) : truth;
        },
        ...(isSole && only !== undefined ? { soleText: (context) => expandedText(only, context) } : {}),
      };
    },
  };
}

type Test = (text: string, context: AccessContext) => Truth;

function testOf(way: Way, template: Template, { ifVague }: IfVague): Test {
  const { parts, keys } = template;
  const compare = comparisons[way];
  if (keys.length === 0) return compare(parts.filter((part) => typeof part !== 'object'));
  return (text, context) => {
    if (isUnknown(template, context)) return 'unknown';
    const expansion = expand(template, context);
    if (expansion.isVague) return ifVague;
    if (way === 'Like') {
      const symbols = expandedSymbols(expansion);
      return symbols !== undefined && matchesSymbols(symbols, text);
    }
    return expansion.parts !== undefined && compare(expansion.parts)(text);
  };
}

const comparisons: Readonly<Record<Way, (parts: readonly GlobPart[]) => (text: string) => boolean>> = {
  Equals: (parts) => {
    const expected = parts.join('');
    return (text) => text === expected;
  },
  EqualsIgnoreCase: (parts) => {
    const expected = foldAscii(parts.join(''));
    return (text) => foldAscii(text) === expected;
  },
  Like: (parts) => {
    const glob = globOf('', parts);
    return (text) => matchesGlob(glob, text);
  },
};
