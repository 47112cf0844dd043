import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Scope, Store } from '../store/port.ts';
import { type WorkspaceOfOrg, workspacesOf } from './workspace-directory.ts';

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
