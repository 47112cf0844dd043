import { foldAscii } from '../patterns/glob.ts';

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

/** How many names the fields have together that are called so but for case: what looking for them costs. */
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
