import { Problem } from '../lib/problem.ts';
import type { Store } from '../store/port.ts';
import { type Environment, orgScopeName, type Workspace, workspaceScopeName } from './workspace.ts';
import { workspaceSuspended, workspaceTable } from './workspace-directory.ts';

interface WorkspaceName {
  readonly env: Environment;
  readonly orgCode: string;
  readonly tenantCode: string;
}

/** A workspace as builders name it, suspended or not. @throws Problem `not_found`. */
export async function findWorkspace(
  stores: Readonly<Record<Environment, Store>>,
  named: WorkspaceName,
): Promise<Workspace> {
  return (await find(stores, named)).workspace;
}

/** One in which something is to begin. @throws Problem `not_found`, `workspace_suspended`. */
export async function findActiveWorkspace(
  stores: Readonly<Record<Environment, Store>>,
  named: WorkspaceName,
): Promise<Workspace> {
  const { workspace, isSuspended } = await find(stores, named);
  if (isSuspended) throw workspaceSuspended();
  return workspace;
}

async function find(
  stores: Readonly<Record<Environment, Store>>,
  { env, orgCode, tenantCode }: WorkspaceName,
): Promise<{ readonly workspace: Workspace; readonly isSuspended: boolean }> {
  // Other names could be no workspace's, and are kept out of the store's keys.
  const isCode = /^[a-z0-9-]{1,63}$/.test(tenantCode);
  const row = isCode ? await workspaceTable.read(stores[env].scope(orgScopeName(orgCode)), tenantCode) : undefined;
  if (row?.value.state !== 'ready')
    throw new Problem('not_found', `there is no workspace \`${tenantCode.slice(0, 100)}\` in \`${env}\``);
  const scope = stores[env].scope(workspaceScopeName(orgCode, tenantCode));
  const workspace = { env, orgCode, tenantId: row.value.id, tenantCode, scope };
  return { workspace, isSuspended: row.value.suspended !== undefined };
}
