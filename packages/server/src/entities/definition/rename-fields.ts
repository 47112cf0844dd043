import type { InputError } from '@freehold/contract/problem';
import { invalidBody } from '../../lib/problem.ts';
import {
  type EntityDefinition,
  type FieldDefinition,
  isInTemplate,
  isObject,
  namesOf,
  reservedTokens,
  storedNameOf,
  withFormerNames,
  withRenames,
} from '../../schema/port.ts';

/** A definition in which some fields have other names, and the catalog that was sent without what asked for them. */
export interface RenamedFields {
  readonly standing: EntityDefinition;
  readonly sent: unknown;
}

interface Asked {
  readonly standing: EntityDefinition;
  /** The catalog as it was sent. */
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
export function renameFields({ standing, sent, removed, taken }: Asked): RenamedFields {
  if (!Array.isArray(sent)) return { standing, sent };
  const errors: InputError[] = [];
  const renames = new Map<string, string>();
  const renaming = { standing, owners: ownersIn(standing.UpdateParams), renames, removed, taken };
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
  const fields = standing.UpdateParams.map((field) => renamedField(field, renames.get(field.name)));
  return { standing: { ...withRenames(standing, renames), UpdateParams: fields }, sent: sent.map(withoutRequest) };
}

/** By every name that a field has or had: the field. */
type Owners = ReadonlyMap<unknown, FieldDefinition>;

function ownersIn(fields: readonly FieldDefinition[]): Owners {
  return new Map(fields.flatMap((field) => namesOf(field).map((name) => [name, field] as const)));
}

interface Renaming extends Omit<Asked, 'sent'> {
  readonly owners: Owners;
  /** Those that were asked for before it. */
  readonly renames: ReadonlyMap<string, string>;
}

type Mistake = Pick<InputError, 'code' | 'message'>;

function renameProblem(
  { standing, owners, renames, removed, taken }: Renaming,
  from: string,
  name: string,
): Mistake | undefined {
  const [old, is] = [from.slice(0, 100), name.slice(0, 100)];
  const contradiction = (message: string): Mistake => ({ code: 'contradiction', message });
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
  if (reservedTokens.includes(name) && isInTemplate(standing, from))
    return contradiction(`a template names field \`${old}\`, and \`{${is}}\` means the workspace there`);
  return undefined;
}

function isNameOf(name: string, { name: holder }: FieldDefinition): Mistake {
  return { code: 'duplicate', message: `\`${name}\` is or was a name of field \`${holder}\`` };
}

function isLeft(name: string): Mistake {
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

/** What a catalog that is sent is merged into. */
export interface CatalogInPlace extends Pick<Asked, 'taken'> {
  readonly fields: readonly FieldDefinition[];
}

/**
 * The fields of a catalog without the members that the platform keeps. They may be sent as they stand.
 * @throws Problem `validation_failed` where they are sent otherwise, or a name means something else already.
 */
export function withoutKeptMembers(sent: readonly unknown[], { fields, taken }: CatalogInPlace): readonly unknown[] {
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
  taken: Asked['taken'],
): readonly (Mistake & { readonly member: string })[] {
  const holder = owners.get(name);
  const old = holder?.name === name ? holder : undefined;
  const isOwn = (one: unknown): boolean => old !== undefined && owners.get(one) === old;
  const kept = (member: string) => ({
    member,
    code: 'read_only',
    message: `\`${member}\` is kept by the platform, and may be left out`,
  });
  // What was read before a rename has fewer of them.
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
