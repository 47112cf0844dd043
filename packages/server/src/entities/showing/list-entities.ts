import { entityRows } from '../../config/port.ts';
import { compareBytes } from '../../lib/byte-order.ts';
import { countStoredRecords } from '../../records/port.ts';
import { actions, apiName, type ReferenceMap } from '../../schema/port.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import type { EntityAdminDeps } from '../admin-deps.ts';

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
