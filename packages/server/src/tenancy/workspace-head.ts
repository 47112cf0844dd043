import type { Change, Key, Scope, Store } from '../store/port.ts';
import { json, table } from '../store/table.ts';
import { type Environment, type Workspace, workspaceScopeName } from './workspace.ts';

/** The environment and org that a person is to be let into. */
export interface OrgContext {
  readonly env: Environment;
  readonly orgCode: string;
  /** The request that asks for it, for the audit log. */
  readonly requestId?: string | undefined;
}

/** The platform's own facts of a workspace, in the workspace's own scope. Without it no caller is admitted. */
export interface WorkspaceHead {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  /** Absent until a workspace that the platform or a builder has founded has its first admin. */
  readonly founder_id?: string;
  readonly default_member_access: string;
  /** As the row of the org says; absent while it is not suspended. */
  readonly is_suspended?: true;
}

export const workspaceHeadKey: Key = { pk: 'workspace', sk: 'head' };

export const workspaceHeads = table(
  () => workspaceHeadKey,
  json<WorkspaceHead>('workspace head', { id: 'string', code: 'string' }),
);

export async function readHead(scope: Scope): Promise<WorkspaceHead | undefined> {
  return (await workspaceHeads.read(scope, undefined))?.value;
}

/** Holds a commit to the workspace being there still. */
export const isThere: Change = { kind: 'check', ...workspaceHeadKey, if: 'present' };

export function openWorkspace(
  { stores }: { readonly stores: Readonly<Record<Environment, Store>> },
  context: OrgContext,
  tenant: { readonly id: string; readonly code: string },
): Workspace {
  const scope = stores[context.env].scope(workspaceScopeName(context.orgCode, tenant.code));
  const { env, orgCode } = context;
  return { env, orgCode, tenantId: tenant.id, tenantCode: tenant.code, scope };
}
