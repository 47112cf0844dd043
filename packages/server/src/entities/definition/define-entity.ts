import { type ConfigSet, changeConfig, entityRows, planConfig, referencesTo } from '../../config/port.ts';
import { Problem } from '../../lib/problem.ts';
import { countStoredRecords, keepAnswer, type OnceRequest, once } from '../../records/port.ts';
import { actions, apiName, compilePatterns, type EntityDefinition, parseNewDefinition } from '../../schema/port.ts';
import type { Change } from '../../store/port.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import { sameVersions } from '../entity-rows.ts';
import { type EntityAdminDeps, type Moment, migrateEntity, unknownEntity } from '../plan-migration.ts';
import { namedByDefinition, readWithTargets } from './lookup-targets.ts';

export interface PlannedEntity {
  readonly entityName: string;
  readonly apis: readonly string[];
  readonly warnings?: readonly string[];
}

interface DefinedEntity extends PlannedEntity {
  readonly version: number;
}

interface Defining {
  readonly orgCode: string;
  readonly input: unknown;
  /** The request that asks, where it is to count once. */
  readonly request?: OnceRequest | undefined;
}

/** Makes an entity and its five configs. @throws Problem `validation_failed`, `unknown_field`, `conflict`. */
export async function defineEntity(
  deps: EntityAdminDeps,
  { orgCode, input, request }: Defining,
): Promise<DefinedEntity & { readonly isReplayed: boolean }> {
  const { definition, defined } = await parseInOrg(deps, orgCode, input);
  const scope = deps.store.scope(orgScopeName(orgCode));
  const outcome = await once(scope, request, () =>
    changeConfig(deps, orgCode, async (set, next) => {
      const kept = request === undefined ? [] : [keepAnswer(request, { ...defined, version: next }).change];
      return { changes: [...(await definitionChanges(deps, { orgCode, definition, set, next })), ...kept] };
    }),
  );
  if ('done' in outcome) return { ...defined, version: outcome.done.version, isReplayed: false };
  return { ...(outcome.before.answer as DefinedEntity), isReplayed: true };
}

/** The result that `defineEntity` would have. Nothing is written. @throws Problem as `defineEntity`. */
export async function previewEntity(deps: EntityAdminDeps, orgCode: string, input: unknown): Promise<PlannedEntity> {
  const { definition, defined } = await parseInOrg(deps, orgCode, input);
  await planConfig(deps, orgCode, async (set, next) => ({
    changes: await definitionChanges(deps, { orgCode, definition, set, next }),
  }));
  return defined;
}

interface Parsed {
  readonly definition: EntityDefinition;
  readonly defined: PlannedEntity;
}

async function parseInOrg(deps: EntityAdminDeps, orgCode: string, input: unknown): Promise<Parsed> {
  const { definition, warnings } = await parseWithTargets(deps, orgCode, input);
  const { entityName } = definition;
  const apis = actions.map((action) => apiName(action, entityName));
  return { definition, defined: { entityName, apis, ...(warnings.length > 0 ? { warnings } : {}) } };
}

/**
 * Mistakes in the definition itself are reported with the missing items of the org; what is not, is looked at again
 * when it is made.
 */
async function parseWithTargets(deps: EntityAdminDeps, orgCode: string, input: unknown) {
  await compilePatterns(input);
  try {
    return parseNewDefinition(input);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const set = await deps.configs.current(orgCode);
    return await readWithTargets(set, { named: namedByDefinition(input) }, () => parseNewDefinition(input));
  }
}

async function definitionChanges(
  deps: EntityAdminDeps,
  { orgCode, definition, set, next }: Definition,
): Promise<readonly Change[]> {
  const { entityName: name } = definition;
  await refuseTaken(deps, orgCode, name);
  await readWithTargets(set, { named: namedByDefinition(definition) }, () => definition);
  const wanted = { content: { definition, views: {} }, versions: sameVersions(next) };
  return (await migrateEntity(deps, { orgCode, set, next }, { name, wanted }, { action: 'created' })).changes;
}

interface Definition extends Moment {
  readonly definition: EntityDefinition;
}

async function refuseTaken({ store }: EntityAdminDeps, orgCode: string, entityName: string): Promise<void> {
  const row = await entityRows.read(store.scope(orgScopeName(orgCode)), entityName);
  if (row === undefined) return;
  const message =
    row.value.state === 'active'
      ? `entity \`${entityName}\` exists already`
      : `the records of a removed entity \`${entityName}\` are still being removed: try again in a moment`;
  throw new Problem('conflict', message);
}

export interface RemovalOptions {
  /** Refuses if the entity has records. */
  readonly ifEmpty?: boolean;
}

/**
 * Takes an entity and its five configs away at once, and its records in the background. Whether it is empty is asked
 * of the counters right before: a record that is made in the same moment goes with the entity.
 * @throws Problem `not_found`, `dangling_reference`, `in_use`.
 */
export async function removeEntity(
  deps: EntityAdminDeps,
  orgCode: string,
  { entityName, ifEmpty = false }: RemovalOptions & { readonly entityName: string },
): Promise<void> {
  await changeConfig(deps, orgCode, async (set, next) => {
    if (set.active(entityName) === undefined) throw unknownEntity(entityName);
    refuseWhileReferred(set, entityName);
    await deps.refuseRemoval?.({ orgCode, set }, { kind: 'entity', name: entityName });
    if (ifEmpty) await refuseWhileFull(deps, orgCode, entityName);
    const target = { name: entityName, wanted: undefined };
    return migrateEntity(deps, { orgCode, set, next }, target, { action: 'removed' });
  });
  deps.wake();
}

function refuseWhileReferred(set: ConfigSet, entityName: string): void {
  const others = referencesTo(set, entityName).filter(({ entity }) => entity !== entityName);
  if (others.length === 0) return;
  const named = others.map(({ entity, field }) => `\`${entity}\` by its field \`${field}\``).join(', ');
  throw new Problem('dangling_reference', `entity \`${entityName}\` is looked up by ${named}`, {
    referenced_by: others.map(({ entity, field }) => ({ entity, field })),
  });
}

async function refuseWhileFull({ store }: EntityAdminDeps, orgCode: string, entityName: string): Promise<void> {
  const [records = 0] = await countStoredRecords(store, orgCode, [entityName]);
  if (records > 0) throw new Problem('in_use', `entity \`${entityName}\` has ${records} records`, { records });
}
