import { pointerTo } from '../../lib/json-pointer.ts';
import {
  checkSentence,
  isReserved,
  lengthMax,
  parse,
  plainEnvironment,
  roomyEnvironment,
} from '../compile-expression.ts';
import { type ExpressionMistake, isMistake } from '../grammar.ts';
import { absent, celOf, charge, chargeBuilt, chargeText, type Effort, jsonOf, TemplateError } from './cel-values.ts';
import { type CompiledNode, compileNode, type Evaluation, isTrue } from './compile-node.ts';
import {
  rootTypes,
  type TemplateScope,
  type TemplateValues,
  timestamp,
  usedEnvironment,
  type ValueType,
} from './value-type.ts';
import { formatTimeName } from './zoned-time.ts';

/** JSON in which texts may hold expressions of CEL between `{{` and `}}`. */
export interface CompiledTemplate {
  /** The number of expressions that it has. */
  readonly expressions: number;
  /** Whether its value depends on the time zones and locales that a node knows. */
  readonly isOfNode: boolean;
  /**
   * The JSON with the values of its expressions. A text that is one expression becomes its value, null where it has none;
   * in a longer text the value is text, empty where there is none.
   * @param effort what was taken before; templates that share one share its bound.
   * @throws TemplateError `expression_failed`, `expression_too_costly`.
   */
  readonly evaluate: (values: TemplateValues, effort: Effort) => unknown;
}

/** The faults of a template, and where. */
interface TemplateProblem {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/** The number of expressions that a template may have. */
export const expressionsMax = 200;

/**
 * Reads the templates in a JSON value and checks the types of their expressions; gives what is wrong with them, if
 * anything is. The names of members are no templates.
 * @param pointer where the value is, as a JSON pointer.
 * @param encode what becomes of the text of each expression; with it a text that is one expression stays a text.
 */
export function compileTemplate(
  value: unknown,
  scope: TemplateScope,
  pointer: string,
  encode?: (text: string) => string,
): CompiledTemplate | readonly TemplateProblem[] {
  const compiler = new TemplateCompiler(rootsOf(scope), encode);
  const part = compiler.part(value, pointer);
  const { problems, expressions, isOfNode } = compiler;
  if (expressions > expressionsMax)
    return [{ pointer, code: 'too_many', message: `it has more than ${expressionsMax} expressions` }];
  if (problems.length > 0) return problems;
  return { expressions, isOfNode, evaluate: (values, effort) => part({ values, effort }) };
}

/** A condition, false where it cannot be evaluated; so are its parts that `&&`, `||`, `!` and `? :` put together. */
export interface When {
  /** As of a template. */
  readonly isOfNode: boolean;
  /** @param effort what was taken before; left out, it has a bound of its own, beyond which it is false. */
  readonly holds: (values: TemplateValues, effort?: Effort) => boolean;
}

/** Reads a condition and checks its types; gives what is wrong with it, if anything is. */
export function compileWhen(source: string, scope: TemplateScope): When | ExpressionMistake {
  const compiled = compileSource(source, rootsOf(scope));
  if (isMistake(compiled))
    return source.trimStart().startsWith('{{') ? { message: 'a condition is written without braces', at: 0 } : compiled;
  const { node, type } = compiled;
  if (type !== 'bool' && type !== 'dyn')
    return { message: `it gives a value of the type \`${type}\`, not bool`, at: 0 };
  return {
    isOfNode: node.isOfNode,
    holds: (values, effort = { steps: 0 }) => {
      try {
        return isTrue(node.evaluate, { values, effort });
      } catch (error) {
        if (error instanceof TemplateError) return false;
        throw error;
      }
    },
  };
}

/** For the types alone: the functions of templates are evaluated by themselves. */
const templateEnvironment = roomyEnvironment
  .clone()
  .registerFunction(`${formatTimeName}(${timestamp}, string, string, string): string`, () => '');

type Roots = ReadonlyMap<string, ValueType>;

const rootsBefore = new WeakMap<TemplateScope, Roots>();

/** A step's id alone names its value, where it is no other name: so texts read that were written before there was `steps`. */
function rootsOf(scope: TemplateScope): Roots {
  const before = rootsBefore.get(scope);
  if (before !== undefined) return before;
  const named = [...scope.steps].filter(([id]) => !roomyEnvironment.hasVariable(id) && !isReserved(id));
  const roots = new Map([...named, ...rootTypes(scope)]);
  rootsBefore.set(scope, roots);
  return roots;
}

interface CompiledSource {
  readonly node: CompiledNode;
  /** The CEL type of its values. */
  readonly type: string;
}

function compileSource(source: string, roots: Roots): CompiledSource | ExpressionMistake {
  if (source.length > lengthMax) return { message: `it is longer than ${lengthMax} characters`, at: lengthMax };
  const grammatical = parse(plainEnvironment, source);
  if (isMistake(grammatical)) return grammatical;
  const node = compileNode(grammatical.ast, roots);
  if (isMistake(node)) return node;
  const parsed = parse(usedEnvironment(templateEnvironment, node.used), source);
  if (isMistake(parsed)) return parsed;
  const { type, error } = parsed.check();
  if (error !== undefined) return { message: checkSentence(error), at: error.range?.start ?? 0 };
  return { node, type: type ?? 'dyn' };
}

type RenderPart = (run: Evaluation) => unknown;

class TemplateCompiler {
  readonly problems: TemplateProblem[] = [];
  expressions = 0;
  isOfNode = false;
  readonly #roots: Roots;
  readonly #encode: ((text: string) => string) | undefined;

  constructor(roots: Roots, encode: ((text: string) => string) | undefined) {
    this.#roots = roots;
    this.#encode = encode;
  }

  part(value: unknown, pointer: string): RenderPart {
    if (typeof value === 'string') return this.#text(value, pointer);
    if (typeof value !== 'object' || value === null) return () => value;
    const members = Object.entries(value).map(
      ([name, member]) => [name, this.part(member, `${pointer}${pointerTo(name)}`)] as const,
    );
    if (Array.isArray(value)) return (run) => members.map(([, member]) => member(run));
    return (run) => Object.fromEntries(members.map(([name, member]) => [name, member(run)]));
  }

  #text(text: string, pointer: string): RenderPart {
    if (!text.includes('{{')) return () => text;
    const parts = partsOf(text);
    if (isMistake(parts)) return this.#refuse(pointer, parts);
    const evaluations = parts.map((part): RenderPart => {
      if (typeof part === 'string') return () => part;
      this.expressions += 1;
      // The caller is refused for their number.
      if (this.expressions > expressionsMax) return () => null;
      const compiled = compileSource(part.source, this.#roots);
      if (isMistake(compiled)) return this.#refuse(pointer, { ...compiled, at: compiled.at + part.at });
      this.isOfNode ||= compiled.node.isOfNode;
      const value = jsonPart(compiled.node);
      const encode = this.#encode;
      return encode === undefined ? value : (run) => encode(textOf(value(run)));
    });
    const [only, ...others] = evaluations;
    if (only !== undefined && others.length === 0 && typeof parts[0] !== 'string') return only;
    return (run) => {
      let joined = '';
      for (const evaluation of evaluations) {
        joined += textOf(evaluation(run));
        chargeBuilt(run.effort, joined.length);
      }
      return joined;
    };
  }

  #refuse(pointer: string, { message, at }: ExpressionMistake): RenderPart {
    this.problems.push({ pointer, code: 'invalid_expression', message: `at character ${at + 1}: ${message}` });
    return () => null;
  }
}

/** A value that the expression merely names is as it was; a moment is a text. */
function jsonPart({ access, evaluate }: CompiledNode): RenderPart {
  if (access === undefined)
    return (run) => {
      const value = evaluate(run);
      return value === absent ? null : jsonOf(value, run.effort);
    };
  const { used, read } = access;
  return (run) => {
    const json = read(run);
    if (json === absent) return null;
    if (used.type === timestamp && typeof json === 'number')
      return jsonOf(celOf(json, timestamp, run.effort), run.effort);
    chargeJson(json, run.effort);
    return json;
  };
}

function chargeJson(json: unknown, effort: Effort): void {
  if (typeof json === 'string') chargeText(effort, json.length);
  else charge(effort, 1);
  if (typeof json === 'object' && json !== null) for (const member of Object.values(json)) chargeJson(member, effort);
}

function textOf(json: unknown): string {
  if (json === null) return '';
  return typeof json === 'object' ? JSON.stringify(json) : String(json);
}

/** The text between two braces, and where it begins. */
interface ExpressionPart {
  readonly source: string;
  readonly at: number;
}

/**
 * The parts of a text, in their order. `{{{{` means two braces of the text. White space around a text that is one
 * expression is none of its parts.
 */
function partsOf(text: string): readonly (string | ExpressionPart)[] | ExpressionMistake {
  const parts: (string | ExpressionPart)[] = [];
  let literal = '';
  let from = 0;
  for (let at = text.indexOf('{{'); at >= 0; at = text.indexOf('{{', from)) {
    literal += text.slice(from, at);
    if (text.startsWith('{{{{', at)) {
      literal += '{{';
      from = at + 4;
      continue;
    }
    const end = endOf(text, at + 2);
    if (end === undefined) return { message: 'an expression has no `}}` at its end', at };
    if (literal !== '') parts.push(literal);
    parts.push({ source: text.slice(at + 2, end), at: at + 2 });
    literal = '';
    from = end + 2;
  }
  literal += text.slice(from);
  if (literal !== '') parts.push(literal);
  const expressions = parts.filter((part) => typeof part !== 'string');
  const isAlone = expressions.length === 1 && parts.every((part) => typeof part !== 'string' || part.trim() === '');
  return isAlone ? expressions : parts;
}

/**
 * The text with something in the place of each expression; what is wrong with it, where it is no template.
 * @param instead the text in their place, or makes it of the source of an expression.
 */
export function withoutExpressions(
  text: string,
  instead: string | ((source: string) => string),
): string | ExpressionMistake {
  const parts = partsOf(text);
  if (isMistake(parts)) return parts;
  const insteadOf = typeof instead === 'string' ? () => instead : instead;
  return parts.map((part) => (typeof part === 'string' ? part : insteadOf(part.source))).join('');
}

/** The place of the braces that close an expression: those in its texts do not. */
function endOf(text: string, start: number): number | undefined {
  let quote: string | undefined;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (quote !== undefined) {
      if (character === '\\') at += 1;
      else if (character === quote) quote = undefined;
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '}' && text[at + 1] === '}') return at;
  }
  return undefined;
}
