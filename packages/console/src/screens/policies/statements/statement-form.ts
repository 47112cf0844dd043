/** A statement as the form shows it. What the form cannot show stays JSON: `formOf` gives nothing for it. */

export type Scalar = string | number | boolean;

/** A pattern alone and a list of one mean the same; each stays as its author wrote it. */
export interface Written<Value> {
  readonly values: readonly Value[];
  readonly isList: boolean;
}

/** One key under one operator. */
export interface Term extends Written<Scalar> {
  readonly operator: string;
  readonly key: string;
}

export interface StatementForm {
  /** The members as they stand in the JSON. */
  readonly order: readonly string[];
  readonly sid: string | undefined;
  readonly effect: 'Allow' | 'Deny';
  readonly actions: Written<string>;
  readonly resources: Written<string>;
  readonly terms: readonly Term[] | undefined;
  readonly fields: readonly string[] | undefined;
  /** `report` for a statement that is decided and recorded, and never enforced. */
  readonly mode: 'report' | undefined;
}

const memberOrder = ['Sid', 'Effect', 'Action', 'Resource', 'Condition', 'Fields', 'Mode'];

/** A statement with nothing in it that the form lacks; `undefined` for any other. */
export function formOf(statement: unknown): StatementForm | undefined {
  if (!isObject(statement) || Object.keys(statement).some((name) => !memberOrder.includes(name))) return undefined;
  const { Sid, Effect, Action, Resource, Condition, Fields, Mode } = statement;
  const actions = writtenOf(Action, isText);
  const resources = writtenOf(Resource, isText);
  const terms = Condition === undefined ? [] : termsOf(Condition);
  const isShown =
    (Sid === undefined || isText(Sid)) &&
    (Effect === 'Allow' || Effect === 'Deny') &&
    (Mode === undefined || Mode === 'report') &&
    (Fields === undefined || (Array.isArray(Fields) && Fields.every(isText)));
  if (!isShown || actions === undefined || resources === undefined || terms === undefined) return undefined;
  return {
    order: Object.keys(statement),
    sid: Sid,
    effect: Effect,
    actions,
    resources,
    terms: Condition === undefined ? undefined : terms,
    fields: Fields,
    mode: Mode,
  };
}

/** The statement that a form shows. An unchanged form gives the statement that it was made of, to the order of its members. */
export function statementOf(form: StatementForm): Readonly<Record<string, unknown>> {
  const { sid, effect, actions, resources, terms, fields, mode } = form;
  const members: Readonly<Record<string, unknown>> = {
    Sid: sid,
    Effect: effect,
    Action: asWritten(actions),
    Resource: asWritten(resources),
    Condition: terms === undefined ? undefined : conditionOf(terms),
    Fields: fields,
    Mode: mode,
  };
  const names = [...new Set([...form.order, ...memberOrder])].filter((name) => members[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, members[name]]));
}

/** The values in place of those that were there; a single one stays single. */
export function withValues<Value>(before: Written<Value>, values: readonly Value[]): Written<Value> {
  return { values, isList: before.isList || values.length !== 1 };
}

/** A new statement, as the form begins it. */
export const emptyStatement = { Effect: 'Allow', Action: [], Resource: ['*'] } as const;

function writtenOf<Value>(input: unknown, is: (value: unknown) => value is Value): Written<Value> | undefined {
  if (is(input)) return { values: [input], isList: false };
  return Array.isArray(input) && input.every(is) ? { values: input, isList: true } : undefined;
}

function asWritten<Value>({ values, isList }: Written<Value>): unknown {
  return isList ? values : values[0];
}

function termsOf(condition: unknown): readonly Term[] | undefined {
  if (!isObject(condition)) return undefined;
  const terms: Term[] = [];
  for (const [operator, keys] of Object.entries(condition)) {
    // An operator without keys has no row that could keep it.
    if (!isObject(keys) || Object.keys(keys).length === 0) return undefined;
    for (const [key, input] of Object.entries(keys)) {
      const written = writtenOf(input, isScalar);
      if (written === undefined) return undefined;
      terms.push({ operator, key, ...written });
    }
  }
  return terms;
}

function conditionOf(terms: readonly Term[]): object {
  const operators = [...new Set(terms.map(({ operator }) => operator))];
  return Object.fromEntries(
    operators.map((name) => {
      const own = terms.filter(({ operator }) => operator === name);
      return [name, Object.fromEntries(own.map((term) => [term.key, asWritten(term)]))];
    }),
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isScalar(value: unknown): value is Scalar {
  return isText(value) || typeof value === 'number' || typeof value === 'boolean';
}
