import { type EntityRow, entityKey } from '../../config/port.ts';
import { countStoredRecords } from '../../records/port.ts';
import { actions, apiName } from '../../schema/port.ts';
import type { Item } from '../../store/port.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import type { EntityAdminParts } from '../admin-parts.ts';

export interface EntitySummary {
  readonly name: string;
  readonly apis: readonly string[];
  readonly records: number;
  readonly updated_at: string;
}

export async function listEntities(
  { store, configs }: EntityAdminParts,
  orgCode: string,
): Promise<readonly EntitySummary[]> {
  const { entityNames } = await configs.current(orgCode);
  const rows = await store.scope(orgScopeName(orgCode)).get(entityNames.map(entityKey));
  const records = await countStoredRecords(store, orgCode, entityNames);
  return entityNames.map((name, index) => ({
    name,
    apis: actions.map((action) => apiName(action, name)),
    records: records[index] ?? 0,
    updated_at: rowOf(rows[index])?.updated_at ?? '',
  }));
}

function rowOf(item: Item | undefined): EntityRow | undefined {
  return item === undefined ? undefined : (JSON.parse(item.value) as EntityRow);
}
