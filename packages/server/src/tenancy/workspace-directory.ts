import { setImmediate as nextTurn } from 'node:timers/promises';
import { Problem } from '../lib/problem.ts';
import type { Key, Scope, Store } from '../store/port.ts';
import { json, table } from '../store/table.ts';
import { eachItem } from '../store/walk.ts';
import { orgScopeName, type Workspace, workspaceScopeName } from './workspace.ts';

/**
 * A workspace as its org knows it. `founding` until everything that it starts with is in its own scope; `removed` from
 * the moment on that no caller is admitted, until its code is free again.
 */
export interface WorkspaceRow {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly state: 'founding' | 'ready' | 'removed';
  readonly created_at: string;
  /** Set while its members are barred and its automation rests, by the decision of an org admin. */
  readonly suspended?: Suspension;
}

export interface Suspension {
  readonly at: string;
  /** The org user. */
  readonly by: string;
  readonly reason: string;
}

/** The workspaces of an org, in the org's scope. */
export const workspacesPartition = 'workspace';

export function workspaceRowKey(code: string): Key {
  return { pk: workspacesPartition, sk: code };
}

/** By code. */
export const workspaceTable = table(
  workspaceRowKey,
  json<WorkspaceRow>('workspace', { id: 'string', code: 'string', state: 'string' }),
);

/** By code, the workspaces that are suspended: so that a builder lists them. */
export const suspendedWorkspaces = table(
  (code: string) => ({ pk: 'suspended-workspace', sk: code }),
  json<{ readonly id: string }>('suspended workspace', { id: 'string' }),
);

/** Only for callers who may know that the workspace is there. */
export function workspaceSuspended(): Problem {
  return new Problem('workspace_suspended', 'the workspace is suspended: only an admin of the app’s org can resume it');
}

const rowsPerRead = 100;

/** A workspace as background work reaches it. */
export type WorkspaceOfOrg = Pick<Workspace, 'orgCode' | 'tenantCode' | 'scope'>;

/** The workspaces of an org that are not removed, a step at a time, by code. */
export async function* workspacesOf(store: Store, orgCode: string): AsyncGenerator<WorkspaceOfOrg> {
  const orgScope = store.scope(orgScopeName(orgCode));
  for await (const item of eachItem(orgScope, workspacesPartition, rowsPerRead)) {
    const { code: tenantCode, state } = workspaceTable.row(orgScope, item).value;
    const scope = store.scope(workspaceScopeName(orgCode, tenantCode));
    if (state !== 'removed') yield { orgCode, tenantCode, scope };
  }
}

const workspacesAtOnce = 32;

/** Looks into all workspaces of an org, some of them at once. */
export async function eachWorkspace(
  store: Store,
  orgCode: string,
  look: (scope: Scope, tenantCode: string) => Promise<void>,
): Promise<void> {
  const lookInto = ({ scope, tenantCode }: WorkspaceOfOrg): Promise<void> => look(scope, tenantCode);
  let next: WorkspaceOfOrg[] = [];
  for await (const workspace of workspacesOf(store, orgCode)) {
    next.push(workspace);
    if (next.length < workspacesAtOnce) continue;
    await Promise.all(next.map(lookInto));
    next = [];
    // Reads need not wait for anything, and others want to be served too.
    await nextTurn();
  }
  await Promise.all(next.map(lookInto));
}
