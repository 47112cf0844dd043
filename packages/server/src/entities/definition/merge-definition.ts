import { isDeepStrictEqual } from 'node:util';
import type { InputError } from '@freehold/contract/problem';
import { invalidBody, Problem } from '../../lib/problem.ts';
import {
  colTypeOf,
  compilePatterns,
  conversionFrom,
  convertedName,
  type EntityDefinition,
  type FieldDefinition,
  isObject,
  type ParsedDefinition,
  parseDefinition,
} from '../../schema/port.ts';
import { type CatalogInPlace, renameFields, withoutKeptMembers } from './rename-fields.ts';

/** A definition with what was sent of it, and the fields that are to go with their values. */
interface MergedDefinition extends ParsedDefinition {
  readonly removed: readonly string[];
}

/** Values that records may have and that no field shows. */
interface LeftValues {
  /** The fields that they were of, as far as they can be removed. */
  readonly hidden: readonly string[];
  /** The names under which they are stored, also those that are being erased. */
  readonly names: readonly string[];
  /** The config version of the change. */
  readonly version: number;
}

type Members = Readonly<Record<string, unknown>>;

/** Members that a definition may be without. */
const optionalMembers = [
  'apiname',
  'baseKeys',
  'ownerIndexes',
  'parentIndex',
  'UniqueIndexes',
  'indexes',
  'Views',
  'checks',
];

/**
 * Members that are sent take the place of those that stand, but fields are merged by their names: one that is not sent
 * stays as it is, and so does each member of a field that is not sent with it. What is to go is said so.
 * @param left what records may have of fields that the definition has no more.
 * @param judge reads the merged definition, and refuses what cannot be seen in it alone.
 * @throws Problem `validation_failed`, `unknown_field`.
 */
export async function mergeDefinition(
  standing: EntityDefinition,
  { removeFields, ...members }: Members,
  left: LeftValues,
  judge: (merged: unknown, parse: () => ParsedDefinition) => Promise<ParsedDefinition>,
): Promise<MergedDefinition> {
  const removed = readRemoved(removeFields, { standing, hidden: left.hidden, sent: members.UpdateParams });
  const taken = new Set(left.names);
  const { version } = left;
  const renamed = renameFields({ standing, sent: members.UpdateParams, removed, taken });
  const isTakenOut = (member: string, value: unknown): boolean => value === null && optionalMembers.includes(member);
  const catalog = mergeFields({ fields: renamed.standing.UpdateParams, taken, version }, renamed.sent, removed);
  const { UpdateParams: _, ...others } = members;
  const merged = Object.entries({ ...renamed.standing, ...others, UpdateParams: catalog.fields });
  const definition = Object.fromEntries(merged.filter(([member, value]) => !isTakenOut(member, value)));
  await compilePatterns(definition);
  const parsed = await asSent(catalog.sentAt, () => judge(definition, () => parseDefinition(definition)));
  return { ...parsed, removed, warnings: [...parsed.warnings, ...catalog.leftOut.map(leftOutWarning)] };
}

function leftOutWarning(name: string): string {
  return `field \`${name}\` was not sent and is unchanged: \`removeFields\` removes a field`;
}

interface Removing {
  readonly standing: EntityDefinition;
  readonly hidden: readonly string[];
  readonly sent: unknown;
}

function readRemoved(input: unknown, { standing, hidden, sent }: Removing): readonly string[] {
  if (input === undefined) return [];
  if (!Array.isArray(input) || !input.every((name) => typeof name === 'string'))
    throw invalidBody([
      { pointer: '/removeFields', code: 'wrong_type', message: '`removeFields` must be a list of names' },
    ]);
  const known = new Set([...standing.UpdateParams.map(({ name }) => name), ...hidden]);
  const kept = new Set(Array.isArray(sent) ? sent.map(nameOf) : []);
  const errors = input.flatMap((name: string, index): InputError[] => {
    const pointer = `/removeFields/${index}`;
    const shown = name.slice(0, 100);
    if (!known.has(name)) return [{ pointer, code: 'unknown_field', message: `there is no field \`${shown}\`` }];
    if (!kept.has(name)) return [];
    return [{ pointer, code: 'contradiction', message: `field \`${shown}\` is in \`UpdateParams\` too` }];
  });
  if (errors.length > 0) throw invalidBody(errors);
  return [...new Set(input as readonly string[])];
}

interface MergedFields {
  /** The catalog as it is to be; anything, where what was sent is no list. */
  readonly fields: unknown;
  /** By the place of each field: where it was sent. */
  readonly sentAt: readonly (number | undefined)[];
  readonly leftOut: readonly string[];
}

/** Fields stay in their order and new ones follow, unless all are sent: then the order is the one that was sent. */
function mergeFields(
  standing: CatalogInPlace & { readonly version: number },
  sent: unknown,
  removed: readonly string[],
): MergedFields {
  const staying = standing.fields.filter(({ name }) => !removed.includes(name));
  if (sent === undefined) return { fields: staying, sentAt: [], leftOut: [] };
  if (!Array.isArray(sent)) return { fields: sent, sentAt: [], leftOut: [] };
  const old = new Map(staying.map((field) => [field.name, field]));
  const merged = convertFields(withoutKeptMembers(sent, standing), standing).map((field, at) => ({
    field: mergeField(old.get(nameOf(field) ?? ''), field),
    at,
  }));
  const first = new Map(merged.toReversed().map((one) => [nameOf(one.field), one]));
  const leftOut = staying.map(({ name }) => name).filter((name) => !first.has(name));
  const inOrder = staying.map((field) => first.get(field.name) ?? { field, at: undefined });
  const all = leftOut.length === 0 ? merged : [...inOrder, ...merged.filter((one) => !inOrder.includes(one))];
  return { fields: all.map(({ field }) => field), sentAt: all.map(({ at }) => at), leftOut };
}

/** `null` takes a member of a field out. */
function mergeField(standing: FieldDefinition | undefined, sent: unknown): unknown {
  if (standing === undefined || !isObject(sent)) return sent;
  return Object.fromEntries(Object.entries({ ...standing, ...sent }).filter(([, value]) => value !== null));
}

function nameOf(field: unknown): string | undefined {
  return isObject(field) && typeof field.name === 'string' ? field.name : undefined;
}

/** Mistakes are reported where they were sent; a mistake in a field that was not sent is reported at the catalog. */
async function asSent(
  sentAt: MergedFields['sentAt'],
  parse: () => Promise<ParsedDefinition>,
): Promise<ParsedDefinition> {
  try {
    return await parse();
  } catch (error) {
    if (!(error instanceof Problem) || sentAt.length === 0) throw error;
    throw invalidBody(
      (error.details.errors ?? []).map((one) => ({ ...one, pointer: sentPointer(one.pointer, sentAt) })),
    );
  }
}

function sentPointer(pointer: string, sentAt: MergedFields['sentAt']): string {
  const [, catalog, place, ...rest] = pointer.split('/');
  if (catalog !== 'UpdateParams' || place === undefined) return pointer;
  const at = sentAt[Number(place)];
  return at === undefined ? '/UpdateParams' : ['', catalog, at, ...rest].join('/');
}

/** The fields that stand, names of other stored values, and the config version of the change. */
interface StandingFields {
  readonly fields: readonly FieldDefinition[];
  readonly taken: ReadonlySet<unknown>;
  readonly version: number;
}

/**
 * A catalog in which each expression of a `convert` that was sent is the conversion of the field that stands. A field that
 * has been converted so stays as it is, so that a change may be sent again.
 * @throws Problem `validation_failed` where there is no field to convert, or a conversion that was made is sent otherwise.
 */
function convertFields(sent: readonly unknown[], standingFields: StandingFields): readonly unknown[] {
  const { fields } = standingFields;
  const errors: InputError[] = [];
  const old = new Map(fields.map((field) => [field.name, field]));
  const converted = sent.map((field, index) => {
    if (!isObject(field) || field.convert === undefined) return field;
    const { convert, ...others } = field;
    const standing = old.get(String(field.name));
    const pointer = `/UpdateParams/${index}/convert`;
    if (isDeepStrictEqual(convert, standing?.convert)) return others;
    if (typeof convert !== 'string')
      errors.push({ pointer, code: 'read_only', message: 'a conversion that was made is kept by the platform' });
    else if (standing === undefined)
      errors.push({ pointer, code: 'contradiction', message: 'there is no field of this name to convert' });
    else return convertedField(standing, { ...others, convert }, standingFields);
    return field;
  });
  if (errors.length > 0) throw invalidBody(errors);
  return converted;
}

function convertedField(
  standing: FieldDefinition,
  { convert, ...sent }: { readonly convert: string },
  { taken, version }: StandingFields,
): unknown {
  const isAsBefore = isDeepStrictEqual(typeOf({ ...standing, ...sent }), typeOf(standing));
  if (isAsBefore && standing.convert?.cel === convert) return sent;
  const known = [...taken].filter((name) => typeof name === 'string');
  const storedAs = convertedName(standing, known, version);
  return { ...sent, storedAs, convert: conversionFrom(convert, standing) };
}

function typeOf({ colType, items }: Pick<FieldDefinition, 'colType' | 'items'>) {
  return { colType: colTypeOf(colType === undefined ? {} : { colType }), items: items ?? undefined };
}
