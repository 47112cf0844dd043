import { foldAscii } from '../../lib/fold-ascii.ts';

/**
 * The parts of a request that may be open when it is ruled on: its body is not read yet, or the record, or which record
 * it is, or how it leaves the record.
 */
export type Pending = 'body' | 'record' | 'id' | 'after';

/** The way a write finds a record, and how it leaves it. */
export type RecordState = 'before' | 'after';

/** The values that conditions and variables may use. Plain data; nothing in it is looked up in a prototype. */
export interface AccessContext {
  readonly request: RequestContext;
  readonly user: { readonly id: string; readonly email: string };
  readonly tenant: { readonly id: string; readonly code: string };
  /** The claims of the caller's token. */
  readonly jwt: Readonly<Record<string, unknown>>;
  /** The record concerned. */
  readonly record?: Readonly<Record<string, unknown>>;
  /** The states of it, as far as a write has them. They are called like fields, and a field of that name takes the place. */
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
  /** The way the fields of its entity are called, where one of them has several names. */
  readonly naming?: FieldNaming | undefined;
  /** Whether a name of a field is one whose values no explanation shows. Only explanations ask. */
  readonly isSecret?: (field: string) => boolean;
  /** The parts that are not known yet. A value neither here nor there is absent. */
  readonly pending?: readonly Pending[];
  /** Of a call that was made before: what is left of its record, body, query and token. */
  readonly kept?: CallValues;
}

interface CallValues {
  /** The value that the call had under a key; undefined where the context has it. */
  find(text: string): { readonly value: unknown } | undefined;
  isUnknown(text: string): boolean;
}

export interface RequestContext {
  readonly method: string;
  readonly path: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  /** As the platform reads them: what a field is compared with has the type of the field. */
  readonly queryParameters: ReadonlyMap<string, unknown>;
  /** The data that are sent, each value as it would be stored. */
  readonly body?: unknown;
  /** Undefined where the address is not known: then each condition on it holds for a Deny, and for no Allow. */
  readonly ip: string | undefined;
  /** Milliseconds since 1970, by the server's clock. */
  readonly time: number;
  readonly origin?: string;
}

/** For callers whose statements never use a context. Using it throws, and never leads to an allow. */
export function noContext(): never {
  throw new TypeError('a decision asked for a context where there is none');
}

/**
 * The names of each field of an entity, where a field has several: those from before it was renamed, and aliases. The
 * present name is the first of a list. Whichever a policy uses, it means the field.
 */
export interface FieldNaming {
  /** By each of the names. */
  readonly byName: ReadonlyMap<string, readonly string[]>;
  /** By each of the names, folded: there, fields whose names differ in case meet. */
  readonly byFolded: ReadonlyMap<string, readonly (readonly string[])[]>;
}

/** All names of what is called so; of what is no field, that one. */
export function namesOf(naming: FieldNaming | undefined, name: string): readonly string[] {
  return naming?.byName.get(name) ?? [name];
}

export function presentName(naming: FieldNaming | undefined, name: string): string {
  return naming?.byName.get(name)?.[0] ?? name;
}

/** The number of names that the fields have together that are called so but for case: what looking for them costs. */
export function namesAround(naming: FieldNaming | undefined, folded: string): number {
  return naming?.byFolded.get(folded)?.reduce((sum, names) => sum + names.length, 0) ?? 0;
}

/** The present names of fields that a key means by a name that they have no more, not even in other letters. */
export function fieldsRenamedFrom({ byName, byFolded }: FieldNaming, name: string): readonly string[] {
  const folded = foldAscii(name);
  const exact = byName.get(name);
  const fields = exact === undefined ? (byFolded.get(folded) ?? []) : [exact];
  return fields.flatMap(([present = name]) => (foldAscii(present) === folded ? [] : [present]));
}

/**
 * The members of a record that a key means. A field that the record has goes before members that are called so but for
 * case. Where it has no value, each of those may be what was meant, and so may the missing value.
 * @param members the names of its members.
 */
export function recordMembers(
  { byName, byFolded }: FieldNaming,
  members: readonly string[],
  name: string,
): readonly string[] {
  const called = byName.get(name);
  const [present = name] = called ?? [];
  if (members.includes(present)) return [present];
  const folded = new Set((called ?? [name]).map(foldAscii));
  const fields = new Set([...folded].flatMap((one) => byFolded.get(one) ?? []).map(([first]) => first));
  const alike = members.filter((member) =>
    byName.get(member)?.[0] === member ? fields.has(member) : folded.has(foldAscii(member)),
  );
  return called !== undefined && alike.length > 0 ? [present, ...alike] : alike;
}

/** The members of a body that a key means: its sender may use any name of a field. */
export function bodyMembers(
  { byName, byFolded }: FieldNaming,
  members: readonly string[],
  folded: string,
): readonly string[] {
  const fields = byFolded.get(folded) ?? [];
  const others = new Set(fields.flat().map(foldAscii));
  return members.filter((member) => {
    const own = foldAscii(member);
    const called = byName.get(member);
    return own === folded || (called === undefined ? others.has(own) : fields.includes(called));
  });
}

const operatorSuffix = '_op';

/** The parameters of a query that a key means: filters by a field, and their operators, by any name of it. */
export function filterParameters(
  naming: FieldNaming,
  parameters: readonly string[],
  folded: string,
): readonly string[] {
  if (!folded.endsWith(operatorSuffix)) return bodyMembers(naming, parameters, folded);
  const operators = parameters.filter((name) => foldAscii(name).endsWith(operatorSuffix));
  const filters = operators.map((name) => name.slice(0, -operatorSuffix.length));
  const found = bodyMembers(naming, filters, folded.slice(0, -operatorSuffix.length));
  return operators.filter((_, index) => found.includes(filters[index] ?? ''));
}
