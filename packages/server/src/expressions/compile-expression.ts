import { Environment, EvaluationError, ParseError, type ParseResult } from '@marcbachmann/cel-js';
import { type Parts, partsOf, type Reading, recordName } from './grammar.ts';
import { isMistake, type Mistake } from './mistake.ts';

/**
 * The value of an expression. `absent`: it read a field, or a member of one, that has no value. `error`: it could not
 * be evaluated otherwise, as with a division by zero.
 */
export type Evaluated =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'absent' }
  | { readonly kind: 'error'; readonly message: string };

/** An expression that was type-checked. */
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
  readonly #fields: ReadonlyMap<string, string>;
  #environment: Environment | undefined;

  /** @param fields CEL types by the names of the fields that expressions may read. */
  constructor(fields: ReadonlyMap<string, string>) {
    this.#fields = fields;
  }

  has(field: string): boolean {
    return this.#fields.has(field);
  }

  get environment(): Environment {
    this.#environment ??= environmentOf(this.#fields);
    return this.#environment;
  }
}

function environmentOf(fields: ReadonlyMap<string, string>): Environment {
  const environment = plainEnvironment.clone();
  environment.registerVariable({ name: recordName, schema: Object.fromEntries(fields) });
  for (const [name, type] of fields) if (!environment.hasVariable(name)) environment.registerVariable(name, type);
  return environment;
}

/** UTF-16 units of an expression. */
const lengthMax = 1000;
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
): Expression | Mistake {
  if (source.length > lengthMax) return { message: `it is longer than ${lengthMax} characters`, at: lengthMax };
  const grammatical = parse(plainEnvironment, source);
  if (isMistake(grammatical)) return grammatical;
  const parts = partsOf(grammatical.ast);
  if (isMistake(parts)) return parts;
  const unknown = parts.readings.find(({ name }) => !language.has(name));
  if (unknown !== undefined)
    return { message: `there is no field \`${unknown.name.slice(0, 100)}\` that it can read`, at: unknown.at };
  const { text, placeBefore } = withMembers(source, parts);
  const parsed = parse(language.environment, text);
  if (isMistake(parsed)) return { ...parsed, at: placeBefore(parsed.at) };
  const { type, error } = parsed.check();
  if (error !== undefined) return { message: error.summary, at: placeBefore(error.range?.start ?? 0) };
  if (type === undefined || !results.includes(type))
    return { message: `it gives a value of the type \`${type}\`, not ${results.join(' or ')}`, at: 0 };
  return { type, readings: parts.readings, evaluate: evaluatorOf(parsed, parts) };
}

/** Whole numbers and doubles go together: a literal `60` beside a double reads as one. */
const plainEnvironment = withNumbers(new Environment({ limits }));

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
  return environment.registerOperator('double in list<int>: bool', (number: number, list: readonly bigint[]) =>
    list.some((element) => Number(element) === number),
  );
}

/** The text with `has(name)` as `has(record.name)`, which is what CEL knows, and where each place of it was before. */
interface Rewritten {
  readonly text: string;
  readonly placeBefore: (place: number) => number;
}

function withMembers(source: string, { bareHas }: Parts): Rewritten {
  const inserted = `${recordName}.`;
  const places = bareHas.toSorted((left, right) => left - right);
  let text = '';
  let from = 0;
  for (const place of places) {
    text += source.slice(from, place) + inserted;
    from = place;
  }
  const placeBefore = (place: number): number => {
    let shift = 0;
    for (const before of places) if (before + shift < place) shift += inserted.length;
    return Math.max(0, place - shift);
  };
  return { text: text + source.slice(from), placeBefore };
}

function parse(environment: Environment, text: string): ParseResult | Mistake {
  try {
    return environment.parse(text);
  } catch (error) {
    if (error instanceof ParseError || error instanceof EvaluationError)
      return { message: error.summary, at: error.range?.start ?? 0 };
    throw error;
  }
}

function evaluatorOf(parsed: ParseResult, { readings }: Parts): Expression['evaluate'] {
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
      if (!(error instanceof EvaluationError)) throw error;
      if (error.code === 'unknown_variable' || error.code === 'no_such_key') return { kind: 'absent' };
      return { kind: 'error', message: error.summary };
    }
  };
}
