/** Makes rows of what the files have: typed by the definitions, with the fields by which each is found again. */
import type { Context } from '../frame/context.ts';
import { isObject } from '../json-object.ts';
import { hasCode } from '../management/known-error.ts';
import type { RawRow, SeedFolder } from './read-seeds.ts';
import { foldAscii, referencesOf, type SeedRow, textOfValue } from './seed-row.ts';
import { cellValue, type FieldTypes, fieldTypes, ignoresCase, onlyUniqueIndex } from './typed-values.ts';

export interface SeedEntity {
  readonly types: FieldTypes;
  /** The fields by which a row is found again. */
  readonly key: readonly string[];
  /** Whether the case of ASCII letters makes no other key. */
  readonly ignoresCase: boolean;
}

export interface TypedSeeds {
  readonly rows: readonly SeedRow[];
  readonly entities: ReadonlyMap<string, SeedEntity>;
  readonly mistakes: readonly string[];
}

/** What the platform itself defines, and no route shows. */
const system: ReadonlyMap<string, SeedEntity> = new Map([
  ['aclpolicy', { types: new Map([['statements', { colType: 'json' }]]), key: ['name'], ignoresCase: true }],
  ['group', { types: new Map([['acl_policies', { colType: 'json' }]]), key: ['name'], ignoresCase: true }],
  ['usergroup', { types: new Map(), key: ['user_id', 'group_id'], ignoresCase: false }],
  ['useraclpolicy', { types: new Map(), key: ['user_id', 'acl_policy_id'], ignoresCase: false }],
]);

/** How rows call the workspace that the command is run for, which may not be founded yet. */
export const usualName = '';

export async function typeSeeds(context: Context, seeds: SeedFolder): Promise<TypedSeeds> {
  const mistakes: string[] = [];
  const entities = new Map<string, SeedEntity>();
  for (const name of new Set(seeds.rows.map(({ entity }) => entity))) {
    const entity = await entityOf(context, seeds, name, mistakes);
    if (entity !== undefined) entities.set(name, entity);
  }
  const rows = seeds.rows.flatMap((raw) => {
    const entity = entities.get(raw.entity);
    return entity === undefined ? [] : [rowOf(raw, entity, mistakes)];
  });
  mistakes.push(...repeatedKeys(rows, entities));
  return { rows, entities, mistakes };
}

async function entityOf(
  context: Context,
  { keys }: SeedFolder,
  name: string,
  mistakes: string[],
): Promise<SeedEntity | undefined> {
  const ofPlatform = system.get(name);
  if (ofPlatform !== undefined) return ofPlatform;
  const definition = await definitionOf(context, name);
  if (definition === undefined) {
    mistakes.push(`${name}: test has no such entity: \`freehold entity list\` names those that there are`);
    return undefined;
  }
  const types = fieldTypes(definition);
  const key = keys.get(name) ?? onlyUniqueIndex(definition);
  if (key === undefined)
    mistakes.push(
      `${name}: say in keys.yaml which fields name a record, as \`${name}: [number]\`: there is not exactly one unique index`,
    );
  else
    for (const field of key)
      if (!types.has(field)) mistakes.push(`${name}: keys.yaml names \`${field}\`, which is no field`);
  return key === undefined ? undefined : { types, key, ignoresCase: ignoresCase(definition, key) };
}

async function definitionOf(context: Context, entityName: string) {
  try {
    const { create } = await context.management().call('readEntity', { query: { env: 'test', entityName } });
    const definition: unknown = create;
    return isObject(definition) ? definition : undefined;
  } catch (error) {
    if (hasCode(error, 'not_found')) return undefined;
    throw error;
  }
}

function rowOf(raw: RawRow, { types, key }: SeedEntity, mistakes: string[]): SeedRow {
  const { place, entity } = raw;
  const values = raw.isCsv
    ? Object.fromEntries(
        Object.entries(raw.values).map(([name, cell]) => [name, cellValue(types.get(name), String(cell))]),
      )
    : raw.values;
  const found = referencesOf(values);
  mistakes.push(...found.mistakes.map((mistake) => `${place}: ${mistake}`));
  for (const field of key)
    if (textOfValue(values[field]) === undefined)
      mistakes.push(`${place}: \`${field}\` names the record, and has no value`);
  return { place, entity, values, references: found.references, workspace: raw.workspace ?? usualName };
}

/** Two rows for one record would change it back and forth. */
function repeatedKeys(rows: readonly SeedRow[], entities: ReadonlyMap<string, SeedEntity>): readonly string[] {
  const first = new Map<string, string>();
  return rows.flatMap(({ place, workspace, entity, values }) => {
    const { key: fields = [], ignoresCase: isFolded = false } = entities.get(entity) ?? {};
    const texts = fields.map((field) => textOfValue(values[field]) ?? '');
    const key = JSON.stringify([workspace, entity, ...(isFolded ? texts.map(foldAscii) : texts)]);
    const other = first.get(key);
    if (other !== undefined) return [`${place}: has the ${fields.join(' and ')} of ${other}`];
    first.set(key, place);
    return [];
  });
}
