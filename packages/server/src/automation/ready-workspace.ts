import type { Scope } from '../store/port.ts';
import { type Environment, type Workspace, workspaceTable } from '../tenancy/port.ts';

export interface WorkspacePlace {
  readonly env: Environment;
  readonly orgCode: string;
  readonly tenantCode: string;
  readonly scope: Scope;
  readonly orgScope: Scope;
}

export interface ReadyWorkspace extends Workspace {
  readonly isSuspended: boolean;
}

/** The workspace whose scope it is, which alone says whose the work is. Undefined where it is not there, or is being removed. */
export async function readyWorkspace(place: WorkspacePlace): Promise<ReadyWorkspace | undefined> {
  const { env, orgCode, tenantCode, scope, orgScope } = place;
  const row = await workspaceTable.read(orgScope, tenantCode);
  if (row?.value.state !== 'ready') return undefined;
  const isSuspended = row.value.suspended !== undefined;
  return { env, orgCode, tenantCode, tenantId: row.value.id, scope, isSuspended };
}

/** The same, read when it is first asked for. */
export function workspaceOnce(place: WorkspacePlace): () => Promise<Workspace | undefined> {
  let reading: Promise<Workspace | undefined> | undefined;
  return () => {
    reading ??= readyWorkspace(place);
    return reading;
  };
}
