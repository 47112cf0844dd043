import { Problem } from '../../lib/problem.ts';
import type { Store } from '../../store/port.ts';
import {
  type Environment,
  orgScopeName,
  type Workspace,
  workspaceScopeName,
  workspaceTable,
} from '../../tenancy/port.ts';

export interface WorkspaceName {
  readonly env: Environment;
  readonly orgCode: string;
  readonly tenantCode: string;
}

/** A workspace as builders name it. @throws Problem `not_found`. */
export async function findWorkspace(
  stores: Readonly<Record<Environment, Store>>,
  { env, orgCode, tenantCode }: WorkspaceName,
): Promise<Workspace> {
  // Other names could be no workspace's, and are kept out of the store's keys.
  const isCode = /^[a-z0-9-]{1,63}$/.test(tenantCode);
  const row = isCode ? await workspaceTable.read(stores[env].scope(orgScopeName(orgCode)), tenantCode) : undefined;
  if (row?.value.state !== 'ready')
    throw new Problem('not_found', `there is no workspace \`${tenantCode.slice(0, 100)}\` in \`${env}\``);
  const scope = stores[env].scope(workspaceScopeName(orgCode, tenantCode));
  return { env, orgCode, tenantId: row.value.id, tenantCode, scope };
}
