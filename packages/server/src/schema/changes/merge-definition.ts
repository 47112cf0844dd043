import { isDeepStrictEqual } from 'node:util';
import type { InputError } from '@freehold/contract/problem';
import { invalidBody, Problem } from '../../lib/problem.ts';
import type { CompiledEntity } from '../compile-entity.ts';
import { conversionFrom, convertedName } from '../conversion.ts';
import { type EntityDefinition, type FieldDefinition, namesOf, storedNameOf, withFormerNames } from '../definition.ts';
import { compilePatterns } from '../field-types/hints/pattern-hint.ts';
import { colTypeOf } from '../field-types/registry.ts';
import { reservedTokens } from '../key-template.ts';
import { type ParsedDefinition, parseDefinition } from '../parse-definition.ts';
import { isObject } from '../parsing/members.ts';
import { isInTemplate, withRenames } from '../renames/stored-names.ts';
import { changeWarnings, storedUnder } from './definition-limits.ts';

/** A definition with what was sent of it, and the fields that are to go with their values. */
interface MergedDefinition extends ParsedDefinition {
  readonly removed: readonly string[];
  /** The names under which records may have values of these. */
  readonly erased: readonly string[];
}

type Members = Readonly<Record<string, unknown>>;

const optionalMembers = [
  'apiname',
  'baseKeys',
  'ownerIndexes',
  'parentIndex',
  'UniqueIndexes',
  'indexes',
  'aggregates',
  'Views',
  'checks',
];

/**
 * Members that are sent replace the existing ones, but fields are merged by their names: a field that is not sent stays
 * as it is, and so does each member of a field that is not sent with it. `removeFields` names the fields to remove.
 * @param change its config version, and the names under which values are being erased.
 * @param judge reads the merged definition, and refuses what cannot be seen in it alone.
 * @throws Problem `validation_failed`, `unknown_field`.
 */
export async function mergeDefinition(
  before: CompiledEntity,
  { removeFields, ...members }: Members,
  { version, erasing = [] }: { readonly version: number; readonly erasing: readonly string[] | undefined },
  judge: (merged: unknown, parse: () => ParsedDefinition) => Promise<ParsedDefinition>,
): Promise<MergedDefinition> {
  const { definition: current, hidden, stored } = before;
  const removed = readRemoved(removeFields, { current, hidden, sent: members.UpdateParams });
  const taken = new Set([...hidden.map(stored.inStore), ...erasing]);
  const renamed = renameFields({ current, sent: members.UpdateParams, removed, taken });
  const isTakenOut = (member: string, value: unknown): boolean => value === null && optionalMembers.includes(member);
  const catalog = mergeFields({ fields: renamed.current.UpdateParams, taken, version }, renamed.sent, removed);
  const { UpdateParams: _, ...others } = members;
  const merged = Object.entries({ ...renamed.current, ...others, UpdateParams: catalog.fields });
  const definition = Object.fromEntries(merged.filter(([member, value]) => !isTakenOut(member, value)));
  await compilePatterns(definition);
  const parsed = await asSent(catalog.sentAt, () => judge(definition, () => parseDefinition(definition)));
  const warnings = [...parsed.warnings, ...catalog.leftOut.map(leftOutWarning)];
  return {
    definition: parsed.definition,
    removed,
    erased: removed.flatMap((name) => storedUnder(before, name)),
    warnings: [...warnings, ...changeWarnings({ before: current, after: parsed.definition, removed })],
  };
}

function leftOutWarning(name: string): string {
  return `field \`${name}\` was not sent and is unchanged: \`removeFields\` removes a field`;
}

interface RemovedMembers {
  readonly current: EntityDefinition;
  readonly hidden: readonly string[];
  readonly sent: unknown;
}

function readRemoved(input: unknown, { current, hidden, sent }: RemovedMembers): readonly string[] {
  if (input === undefined) return [];
  if (!Array.isArray(input) || !input.every((name) => typeof name === 'string'))
    throw invalidBody([
      { pointer: '/removeFields', code: 'wrong_type', message: '`removeFields` must be a list of names' },
    ]);
  const known = new Set([...current.UpdateParams.map(({ name }) => name), ...hidden]);
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

/** Fields stay in their order and new ones follow, unless all are sent: then they are in the order that was sent. */
function mergeFields(
  current: CatalogInPlace & { readonly version: number },
  sent: unknown,
  removed: readonly string[],
): MergedFields {
  const staying = current.fields.filter(({ name }) => !removed.includes(name));
  if (sent === undefined) return { fields: staying, sentAt: [], leftOut: [] };
  if (!Array.isArray(sent)) return { fields: sent, sentAt: [], leftOut: [] };
  const old = new Map(staying.map((field) => [field.name, field]));
  const merged = convertFields(withoutKeptMembers(sent, current), current).map((field, at) => ({
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
function mergeField(current: FieldDefinition | undefined, sent: unknown): unknown {
  if (current === undefined || !isObject(sent)) return sent;
  return Object.fromEntries(Object.entries({ ...current, ...sent }).filter(([, value]) => value !== null));
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
interface CurrentFields {
  readonly fields: readonly FieldDefinition[];
  readonly taken: ReadonlySet<unknown>;
  readonly version: number;
}

/**
 * A catalog in which each expression of a `convert` that was sent is the conversion of the existing field. A field that
 * has been converted so stays as it is, so that a change may be sent again.
 * @throws Problem `validation_failed` where there is no field to convert, or a conversion that was made is sent otherwise.
 */
function convertFields(sent: readonly unknown[], currentFields: CurrentFields): readonly unknown[] {
  const { fields } = currentFields;
  const errors: InputError[] = [];
  const old = new Map(fields.map((field) => [field.name, field]));
  const converted = sent.map((field, index) => {
    if (!isObject(field) || field.convert === undefined) return field;
    const { convert, ...others } = field;
    const current = old.get(String(field.name));
    const pointer = `/UpdateParams/${index}/convert`;
    if (isDeepStrictEqual(convert, current?.convert)) return others;
    if (typeof convert !== 'string')
      errors.push({ pointer, code: 'read_only', message: 'a conversion that was made is kept by the platform' });
    else if (current === undefined)
      errors.push({ pointer, code: 'contradiction', message: 'there is no field of this name to convert' });
    else return convertedField(current, { ...others, convert }, currentFields);
    return field;
  });
  if (errors.length > 0) throw invalidBody(errors);
  return converted;
}

function convertedField(
  current: FieldDefinition,
  { convert, ...sent }: { readonly convert: string },
  { taken, version }: CurrentFields,
): unknown {
  const isAsBefore = isDeepStrictEqual(typeOf({ ...current, ...sent }), typeOf(current));
  if (isAsBefore && current.convert?.cel === convert) return sent;
  const known = [...taken].filter((name) => typeof name === 'string');
  const storedAs = convertedName(current, known, version);
  return { ...sent, storedAs, convert: conversionFrom(convert, current) };
}

function typeOf({ colType, items }: Pick<FieldDefinition, 'colType' | 'items'>) {
  return { colType: colTypeOf(colType === undefined ? {} : { colType }), items: items ?? undefined };
}

/** A definition in which some fields have other names, and the catalog that was sent without what asked for them. */
interface RenamedFields {
  readonly current: EntityDefinition;
  readonly sent: unknown;
}

interface RenameRequest {
  readonly current: EntityDefinition;
  readonly sent: unknown;
  readonly removed: readonly string[];
  /** Names under which records have values that the definition does not show. */
  readonly taken: ReadonlySet<unknown>;
}

/**
 * Gives fields the names that were asked for by `renamedFrom`. A field that has been renamed so stays as it is, so that a
 * change may be sent again.
 * @throws Problem `validation_failed` naming each field that cannot be renamed.
 */
function renameFields({ current, sent, removed, taken }: RenameRequest): RenamedFields {
  if (!Array.isArray(sent)) return { current, sent };
  const errors: InputError[] = [];
  const renames = new Map<string, string>();
  const renaming = { current, owners: ownersIn(current.UpdateParams), renames, removed, taken };
  for (const [index, field] of sent.entries()) {
    if (!isObject(field) || !Object.hasOwn(field, 'renamedFrom')) continue;
    const { name, renamedFrom: from } = field;
    const pointer = `/UpdateParams/${index}/renamedFrom`;
    if (typeof from !== 'string' || typeof name !== 'string') {
      errors.push({ pointer, code: 'wrong_type', message: '`renamedFrom` must be the name of a field' });
      continue;
    }
    const [was, is] = [renaming.owners.get(from), renaming.owners.get(name)];
    if (from !== name && is !== undefined && is === was && is.name === name) continue;
    const problem = renameProblem(renaming, from, name);
    if (problem === undefined) renames.set(from, name);
    else errors.push({ pointer, ...problem });
  }
  if (errors.length > 0) throw invalidBody(errors);
  const fields = current.UpdateParams.map((field) => renamedField(field, renames.get(field.name)));
  return { current: { ...withRenames(current, renames), UpdateParams: fields }, sent: sent.map(withoutRequest) };
}

/** By every name that a field has or had: the field. */
type Owners = ReadonlyMap<unknown, FieldDefinition>;

function ownersIn(fields: readonly FieldDefinition[]): Owners {
  return new Map(fields.flatMap((field) => namesOf(field).map((name) => [name, field] as const)));
}

interface Renaming extends Omit<RenameRequest, 'sent'> {
  readonly owners: Owners;
  /** Those that were asked for before it. */
  readonly renames: ReadonlyMap<string, string>;
}

type RenameMistake = Pick<InputError, 'code' | 'message'>;

function renameProblem(
  { current, owners, renames, removed, taken }: Renaming,
  from: string,
  name: string,
): RenameMistake | undefined {
  const [old, is] = [from.slice(0, 100), name.slice(0, 100)];
  const contradiction = (message: string): RenameMistake => ({ code: 'contradiction', message });
  if (from === name) return contradiction(`field \`${is}\` has this name already`);
  const renamed = owners.get(from);
  if (renamed?.name !== from) {
    const hint = renamed === undefined ? '' : `: it is or was a name of field \`${renamed.name}\``;
    return { code: 'unknown_field', message: `there is no field \`${old}\`${hint}` };
  }
  if (removed.includes(from)) return contradiction(`field \`${old}\` is in \`removeFields\` too`);
  if (renames.has(from)) return contradiction(`field \`${old}\` is renamed to \`${renames.get(from)}\` too`);
  const holder = owners.get(name);
  if (holder !== undefined && holder !== renamed) return isNameOf(is, holder);
  if (holder === undefined && taken.has(name)) return isLeft(is);
  if (reservedTokens.includes(name) && isInTemplate(current, from))
    return contradiction(`a template names field \`${old}\`, and \`{${is}}\` means the workspace there`);
  return undefined;
}

function isNameOf(name: string, { name: holder }: FieldDefinition): RenameMistake {
  return { code: 'duplicate', message: `\`${name}\` is or was a name of field \`${holder}\`` };
}

function isLeft(name: string): RenameMistake {
  const message = `records have values that an earlier field \`${name}\` left: remove them by \`removeFields\` first, or take another name`;
  return { code: 'duplicate', message };
}

/** Callers use the old name too, until a change takes it out of the aliases. */
function renamedField(field: FieldDefinition, name: string | undefined): FieldDefinition {
  if (name === undefined) return field;
  const { storedAs = field.name, aliases = [], formerNames = [], ...others } = field;
  const without = (names: readonly string[]): readonly string[] => names.filter((one) => one !== name);
  const kept = { aliases: [...without(aliases), field.name], formerNames: without(formerNames) };
  return withFormerNames({ ...others, name, ...kept, ...(storedAs === name ? {} : { storedAs }) });
}

/** A list of aliases that comes with a rename has the old name in it. */
function withoutRequest(field: unknown): unknown {
  if (!isObject(field)) return field;
  const { renamedFrom, ...others } = field;
  const { name, aliases } = others;
  if (renamedFrom === undefined || aliases === undefined) return others;
  if (aliases !== null && !Array.isArray(aliases)) return others;
  const kept = (aliases ?? []).filter((alias: unknown) => alias !== name);
  return { ...others, aliases: kept.includes(renamedFrom) ? kept : [...kept, renamedFrom] };
}

/** The catalog into which a sent one is merged. */
interface CatalogInPlace extends Pick<RenameRequest, 'taken'> {
  readonly fields: readonly FieldDefinition[];
}

/**
 * The fields of a catalog without the members that the platform keeps. They may be sent as they stand.
 * @throws Problem `validation_failed` where they are sent otherwise, or a name means something else already.
 */
function withoutKeptMembers(sent: readonly unknown[], { fields, taken }: CatalogInPlace): readonly unknown[] {
  const errors: InputError[] = [];
  const owners = ownersIn(fields);
  const merged = sent.map((field, index) => {
    if (!isObject(field)) return field;
    const { storedAs: _, formerNames: _former, ...others } = field;
    for (const { member, ...mistake } of mistakesIn(field, owners, taken))
      errors.push({ pointer: `/UpdateParams/${index}/${member}`, ...mistake });
    return others;
  });
  if (errors.length > 0) throw invalidBody(errors);
  return merged;
}

function mistakesIn(
  { name, aliases, storedAs, formerNames }: Readonly<Record<string, unknown>>,
  owners: Owners,
  taken: RenameRequest['taken'],
): readonly (RenameMistake & { readonly member: string })[] {
  const holder = owners.get(name);
  const old = holder?.name === name ? holder : undefined;
  const isOwn = (one: unknown): boolean => old !== undefined && owners.get(one) === old;
  const kept = (member: string) => ({
    member,
    code: 'read_only',
    message: `\`${member}\` is kept by the platform, and may be left out`,
  });
  // A definition that was read before a rename has fewer of them.
  const isKnown = Array.isArray(formerNames) ? formerNames.every(isOwn) : (formerNames ?? undefined) === undefined;
  const isStored = (storedAs ?? undefined) === undefined || (old !== undefined && storedAs === storedNameOf(old));
  const left = Array.isArray(aliases) ? aliases.filter((alias) => taken.has(alias) && !isOwn(alias)) : [];
  return [
    ...(isStored ? [] : [kept('storedAs')]),
    ...(isKnown ? [] : [kept('formerNames')]),
    ...(holder === undefined || old !== undefined ? [] : [{ member: 'name', ...isNameOf(String(name), holder) }]),
    ...left.slice(0, 1).map((alias) => ({ member: 'aliases', ...isLeft(String(alias)) })),
  ];
}
