import type { Store } from '../store/port.ts';
import { recordCounter } from './record-changes.ts';
import { systemEntityNames } from './system-entity-names.ts';
import { orgScopeName, workspaceScopeName } from './workspace.ts';
import { workspaceRows } from './workspace-directory.ts';

/** How many records of an entity a workspace has. */
export interface WorkspaceRecords {
  readonly tenantCode: string;
  readonly entity: string;
  readonly records: number;
}

const countersMax = 10_000;
const workspacesAtOnce = 32;

/**
 * The counters of all workspaces of an org, of entities that builders define. Those of an entity that is being removed
 * are there until its records are gone.
 */
export async function recordsOfOrg(store: Store, orgCode: string): Promise<readonly WorkspaceRecords[]> {
  const found: WorkspaceRecords[] = [];
  const countersOf = async (tenantCode: string): Promise<void> => {
    const scope = store.scope(workspaceScopeName(orgCode, tenantCode));
    for (const { sk: entity, value } of await scope.range(recordCounter('').pk, { limit: countersMax }))
      if (!systemEntityNames.includes(entity) && value !== '0')
        found.push({ tenantCode, entity, records: Number(value) });
  };
  let codes: string[] = [];
  for await (const { code } of workspaceRows(store.scope(orgScopeName(orgCode)))) {
    codes.push(code);
    if (codes.length < workspacesAtOnce) continue;
    await Promise.all(codes.map(countersOf));
    codes = [];
  }
  await Promise.all(codes.map(countersOf));
  return found;
}
