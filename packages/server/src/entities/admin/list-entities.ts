import type { Item, Store } from '../../store/port.ts';
import { actions, apiName } from '../api-configs.ts';
import { type EntityRow, entityKey } from '../org-keys.ts';
import { recordCounter } from '../record-changes.ts';
import { orgScopeName, workspaceScopeName } from '../workspace.ts';
import { workspaceRows } from '../workspace-directory.ts';
import type { EntityAdminParts } from './admin-parts.ts';

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
  const records = await countRecords(store, orgCode, entityNames);
  return entityNames.map((name, index) => ({
    name,
    apis: actions.map((action) => apiName(action, name)),
    records: records[index] ?? 0,
    updated_at: rowOf(rows[index])?.updated_at ?? '',
  }));
}

/** The sums over the org's workspaces of the counters that each keeps. */
export async function countRecords(
  store: Store,
  orgCode: string,
  names: readonly string[],
): Promise<readonly number[]> {
  const sums = names.map(() => 0);
  for await (const { code } of workspaceRows(store.scope(orgScopeName(orgCode)))) {
    const counters = await store.scope(workspaceScopeName(orgCode, code)).get(names.map(recordCounter));
    for (const [index, counter] of counters.entries()) sums[index] = (sums[index] ?? 0) + Number(counter?.value ?? 0);
  }
  return sums;
}

function rowOf(item: Item | undefined): EntityRow | undefined {
  return item === undefined ? undefined : (JSON.parse(item.value) as EntityRow);
}
