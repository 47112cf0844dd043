import { entityRows, type ReferenceMap } from '../../config/port.ts';
import { compareBytes } from '../../lib/byte-order.ts';
import { countStoredRecords } from '../../records/port.ts';
import { type ApiAction, actions, apiName, type CompiledEntity, contentOfBodies } from '../../schema/port.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import { readConfigBodies, type ShownConfig, shownConfig } from '../definition/api-change.ts';
import { type EntityAdminDeps, unknownEntity } from '../plan-migration.ts';
import { type ShownBuilds, showBuilds } from './show-builds.ts';

export type ShownEntity = Readonly<Record<ApiAction, ShownConfig>> & ShownBuilds & { readonly entityName: string };

/** The five configs, and how far fills and indexes are. @throws Problem `not_found`. */
export async function showEntity(deps: EntityAdminDeps, orgCode: string, entityName: string): Promise<ShownEntity> {
  const active = (await deps.configs.refresh(orgCode)).active(entityName);
  if (active === undefined) throw unknownEntity(entityName);
  const bodies = await readConfigBodies(deps.store, orgCode, { entityName, active });
  const configs = Object.fromEntries(actions.map((action) => [action, shownConfig(bodies, action)]));
  const builds = await showBuilds(deps.store, orgCode, {
    definition: contentOfBodies(bodies.bodies).definition,
    state: active.state,
  });
  return { entityName, ...(configs as Record<ApiAction, ShownConfig>), ...builds };
}

export async function compiledOf(
  { configs }: EntityAdminDeps,
  orgCode: string,
  entityName: string,
): Promise<CompiledEntity | undefined> {
  const set = await configs.current(orgCode);
  return set.active(entityName) === undefined ? undefined : await set.entity(entityName);
}

export interface EntitySummary {
  readonly name: string;
  readonly apis: readonly string[];
  readonly records: number;
  readonly updated_at: string;
  /** Its fields that refer to records, by name. */
  readonly lookups: readonly LookupField[];
}

interface LookupField {
  readonly field: string;
  readonly entity: string;
}

export async function listEntities(
  { store, configs }: EntityAdminDeps,
  orgCode: string,
): Promise<readonly EntitySummary[]> {
  const { entityNames, references } = await configs.current(orgCode);
  const lookups = lookupsByHolder(references);
  const rows = await entityRows.readMany(store.scope(orgScopeName(orgCode)), entityNames);
  const records = await countStoredRecords(store, orgCode, entityNames);
  return entityNames.map((name, index) => ({
    name,
    apis: actions.map((action) => apiName(action, name)),
    records: records[index] ?? 0,
    updated_at: rows[index]?.value.updated_at ?? '',
    lookups: (lookups.get(name) ?? []).toSorted((left, right) => compareBytes(left.field, right.field)),
  }));
}

function lookupsByHolder(references: ReferenceMap): ReadonlyMap<string, readonly LookupField[]> {
  const found = new Map<string, LookupField[]>();
  for (const [entity, { by }] of references)
    for (const { entity: holder, field } of by) found.set(holder, [...(found.get(holder) ?? []), { field, entity }]);
  return found;
}
