import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Scope, Store } from '../store/port.ts';
import { orgScopeName, workspaceScopeName } from './workspace.ts';
import { workspaceRows } from './workspace-directory.ts';

const workspacesAtOnce = 32;

/** Looks into all workspaces of an org, some of them at once. */
export async function eachWorkspace(
  store: Store,
  orgCode: string,
  look: (scope: Scope, tenantCode: string) => Promise<void>,
): Promise<void> {
  const lookInto = (tenantCode: string): Promise<void> =>
    look(store.scope(workspaceScopeName(orgCode, tenantCode)), tenantCode);
  let codes: string[] = [];
  for await (const { code } of workspaceRows(store.scope(orgScopeName(orgCode)))) {
    codes.push(code);
    if (codes.length < workspacesAtOnce) continue;
    await Promise.all(codes.map(lookInto));
    codes = [];
    // Reads need not wait for anything, and others want to be served too.
    await nextTurn();
  }
  await Promise.all(codes.map(lookInto));
}
