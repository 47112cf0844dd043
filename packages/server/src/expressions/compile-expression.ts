import { type ASTNode, Environment, EvaluationError, ParseError, type ParseResult } from '@marcbachmann/cel-js';
import {
  type ExpressionMistake,
  type ExpressionScope,
  type FormulaParts,
  isMistake,
  lookupName,
  noSurroundings,
  partsOf,
  type Reading,
  recordName,
  withDurations,
} from './grammar.ts';
import { nodesOf, textOfNode } from './node-parts.ts';
import { sentenceOf } from './sentences.ts';
import { orderFunction, orderFunctions, withTextOrder } from './text-order.ts';

/**
 * The value of an expression. `absent`: it read a field, or a member of one, that has no value. `error`: it could not
 * be evaluated otherwise, as with a division by zero.
 */
export type Evaluated =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'absent' }
  | { readonly kind: 'error'; readonly message: string };

export interface Expression {
  /** The CEL type of its values. */
  readonly type: string;
  /** The fields that it reads, each as often as it does. */
  readonly readings: readonly Reading[];
  /** @param read the value of a field as CEL has it (`bigint` for an `int`, `Date` for a timestamp); undefined where there is none. */
  readonly evaluate: (read: (field: string) => unknown) => Evaluated;
}

/** CEL over the fields of one record. It is made once for all expressions of a definition, and when the first is compiled. */
export class ExpressionLanguage {
  readonly surroundings: ExpressionScope;
  readonly #fields: ReadonlyMap<string, string>;
  #environment: Environment | undefined;

  /** @param fields CEL types by the names of the fields that expressions may read. */
  constructor(fields: ReadonlyMap<string, string>, surroundings = noSurroundings) {
    this.#fields = fields;
    this.surroundings = surroundings;
  }

  has({ name, member }: Reading): boolean {
    return (
      this.#fields.has(name) && (member === undefined || this.surroundings.lookups.get(name)?.has(member) === true)
    );
  }

  get environment(): Environment {
    this.#environment ??= environmentOf(this.#fields, this.surroundings);
    return this.#environment;
  }
}

function environmentOf(fields: ReadonlyMap<string, string>, { variables, lookups }: ExpressionScope): Environment {
  const environment = roomyEnvironment.clone();
  for (const [name, type] of variables)
    if (typeof type === 'string') environment.registerVariable(name, type);
    else environment.registerVariable({ name, schema: Object.fromEntries(type) });
  const followed = Object.fromEntries([...lookups].map(([name, members]) => [name, Object.fromEntries(members)]));
  // `record.customer_id.tier` becomes `_lookup.record.customer_id.tier`.
  if (lookups.size > 0)
    environment.registerVariable({ name: lookupName, schema: { ...followed, [recordName]: followed } });
  environment.registerVariable({ name: recordName, schema: Object.fromEntries(fields) });
  for (const [name, type] of fields)
    if (!environment.hasVariable(name) && !isReserved(name)) environment.registerVariable(name, type);
  return environment;
}

/** Whether CEL keeps a name for its grammar, so that no variable can have it; a member of a record can. */
export function isReserved(name: string): boolean {
  return isMistake(parse(plainEnvironment, name));
}

/** UTF-16 units of an expression. */
export const lengthMax = 1000;
const limits = {
  maxAstNodes: 200,
  maxDepth: 30,
  maxListElements: 100,
  maxMapEntries: 100,
  maxCallArguments: 4,
};

/**
 * Reads an expression and checks its types; gives what is wrong with it, if anything is.
 * @param results the CEL types that its values may have.
 */
export function compileExpression(
  source: string,
  language: ExpressionLanguage,
  results: readonly string[],
): Expression | ExpressionMistake {
  const checked = checkExpression(source, language, results);
  if (isMistake(checked)) return checked;
  const { type, parts, parsed, tree } = checked;
  const hasOrder = nodesOf(tree).some((node) => orderFunction(node) !== undefined);
  const evaluated = hasOrder ? readPart(tree, language).parsed : parsed;
  return { type, readings: parts.readings, evaluate: evaluatorOf(evaluated, parts) };
}

interface CheckedExpression {
  readonly type: string;
  readonly parts: FormulaParts;
  readonly parsed: ParseResult;
  /** As it was written, with the places of its parts. */
  readonly tree: ASTNode;
}

export function checkExpression(
  source: string,
  language: ExpressionLanguage,
  results: readonly string[],
): CheckedExpression | ExpressionMistake {
  if (source.length > lengthMax) return { message: `it is longer than ${lengthMax} characters`, at: lengthMax };
  const grammatical = parse(plainEnvironment, source);
  if (isMistake(grammatical)) return grammatical;
  const parts = partsOf(grammatical.ast, language.surroundings);
  if (isMistake(parts)) return parts;
  const unknown = parts.readings.find((reading) => !language.has(reading));
  if (unknown !== undefined) return unknownField(unknown);
  const { text, placeBefore } = withMembers(source, parts);
  const parsed = parse(language.environment, text);
  if (isMistake(parsed)) return { ...parsed, at: placeBefore(parsed.at) };
  const { type, error } = parsed.check();
  if (error !== undefined) return { message: checkSentence(error), at: placeBefore(error.range?.start ?? 0) };
  if (type === undefined || !results.includes(type))
    return { message: `it gives a value of the type \`${type}\`, not ${results.join(' or ')}`, at: 0 };
  return { type, parts, parsed, tree: grammatical.ast };
}

/** Beside numbers the library finds two types for the empty list, and its error is none of CEL's. */
export function checkSentence(error: { readonly code: string; readonly summary: string | undefined }): string {
  const { code, summary } = error;
  return summary === undefined ? 'a number is in no empty list' : sentenceOf({ code, summary });
}

/** A part of an expression that was checked, or all of it, ready to be evaluated by itself. */
export function readPart(
  node: ASTNode,
  language: ExpressionLanguage,
): { readonly parsed: ParseResult; readonly parts: FormulaParts } {
  const text = textOfNode(node);
  const grammatical = parse(roomyEnvironment, text);
  const parts = isMistake(grammatical) ? grammatical : partsOf(grammatical.ast, language.surroundings, orderFunctions);
  const parsed = isMistake(parts) ? parts : parse(language.environment, withMembers(text, parts).text);
  if (isMistake(parts) || isMistake(parsed)) throw new TypeError(`a part of an expression does not compile: ${text}`);
  return { parsed, parts };
}

function unknownField({ name, member, at }: Reading): ExpressionMistake {
  const field = (member === undefined ? name : `${name}.${member}`).slice(0, 130);
  return { message: `there is no field \`${field}\` that it can read`, at, field };
}

/** Whole numbers and doubles go together: a literal `60` beside a double reads as one. */
export const plainEnvironment = withNumbers(new Environment({ limits }));

/** For texts that are made of expressions which have kept to the limits. */
export const roomyEnvironment = withTextOrder(
  withDurations(
    withNumbers(
      new Environment({
        limits: { ...limits, maxAstNodes: 10 * limits.maxAstNodes, maxDepth: 10 * limits.maxAstNodes },
      }),
    ),
  ),
);

function withNumbers(environment: Environment): Environment {
  const operators: Readonly<Record<string, (left: number, right: number) => number>> = {
    '+': (left, right) => left + right,
    '-': (left, right) => left - right,
    '*': (left, right) => left * right,
    '/': (left, right) => left / right,
  };
  for (const [sign, operate] of Object.entries(operators)) {
    const handler = (left: unknown, right: unknown): number => operate(Number(left), Number(right));
    environment.registerOperator(`double ${sign} int: double`, handler);
    environment.registerOperator(`int ${sign} double: double`, handler);
  }
  environment.registerOperator('double == int: bool', (left: number, right: bigint) => left === Number(right));
  return environment.registerOperator('double in list<int>: bool', (number: number, list: readonly bigint[]) =>
    list.some((element) => Number(element) === number),
  );
}

/** The text with its prefixes, such as `has(name)` as `has(record.name)`, and where each place of it was before. */
interface Rewritten {
  readonly text: string;
  readonly placeBefore: (place: number) => number;
}

function withMembers(source: string, { prefixes }: FormulaParts): Rewritten {
  const inOrder = prefixes.toSorted((left, right) => left.at - right.at);
  let text = '';
  let from = 0;
  for (const { at, text: before } of inOrder) {
    text += source.slice(from, at) + before;
    from = at;
  }
  const placeBefore = (place: number): number => {
    let shift = 0;
    for (const { at, text: before } of inOrder) if (at + shift < place) shift += before.length;
    return Math.max(0, place - shift);
  };
  return { text: text + source.slice(from), placeBefore };
}

export function parse(environment: Environment, text: string): ParseResult | ExpressionMistake {
  try {
    return environment.parse(text);
  } catch (error) {
    if (error instanceof ParseError || error instanceof EvaluationError)
      return { message: sentenceOf(error), at: error.range?.start ?? 0 };
    throw error;
  }
}

function evaluatorOf(parsed: ParseResult, { readings }: FormulaParts): Expression['evaluate'] {
  const fields = [...new Set(readings.map(({ name }) => name))];
  return (read) => {
    const values: Record<string, unknown> = {};
    for (const name of fields) {
      const value = read(name);
      if (value !== undefined) values[name] = value;
    }
    try {
      return { kind: 'value', value: parsed({ ...values, [recordName]: values }) };
    } catch (error) {
      if (isAmbiguous(error)) return { kind: 'error', message: ambiguous };
      if (!(error instanceof EvaluationError)) throw error;
      if (error.code === 'unknown_variable' || error.code === 'no_such_key') return { kind: 'absent' };
      return { kind: 'error', message: error.summary };
    }
  };
}

const ambiguous = 'a number of a JSON field is looked for in whole numbers: write them as `1.0`';

/** To the library, a number whose type shows only when it is read, among whole numbers, has two meanings of `in`. */
function isAmbiguous(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Operator overload ');
}
