import { entityRows } from '../../config/port.ts';
import { countStoredRecords } from '../../records/port.ts';
import { actions, apiName } from '../../schema/port.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import type { EntityAdminDeps } from '../admin-deps.ts';

export interface EntitySummary {
  readonly name: string;
  readonly apis: readonly string[];
  readonly records: number;
  readonly updated_at: string;
}

export async function listEntities(
  { store, configs }: EntityAdminDeps,
  orgCode: string,
): Promise<readonly EntitySummary[]> {
  const { entityNames } = await configs.current(orgCode);
  const rows = await entityRows.readMany(store.scope(orgScopeName(orgCode)), entityNames);
  const records = await countStoredRecords(store, orgCode, entityNames);
  return entityNames.map((name, index) => ({
    name,
    apis: actions.map((action) => apiName(action, name)),
    records: records[index] ?? 0,
    updated_at: rows[index]?.value.updated_at ?? '',
  }));
}
