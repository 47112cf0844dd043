import { type ConfigSet, raise, targetsOf } from '../../config/port.ts';
import { ScopeClosed, type Store } from '../../store/port.ts';
import { orgScopeName, workspaceRows, workspaceScopeName } from '../../tenancy/port.ts';

/**
 * Raises the fences of the entities that records of this one refer to, in every workspace: from then on, a removal of
 * one of their records knows what refers to it, even if no reference was written since it was declared.
 */
export async function raiseTargets(
  store: Store,
  { orgCode, entityName }: { readonly orgCode: string; readonly entityName: string },
  set: ConfigSet,
): Promise<void> {
  const targets = targetsOf(set, entityName);
  if (targets.length === 0) return;
  for await (const { code } of workspaceRows(store.scope(orgScopeName(orgCode)))) {
    const workspace = { scope: store.scope(workspaceScopeName(orgCode, code)) };
    for (const target of targets) {
      const level = { generation: set.generation(target), configVersion: set.version };
      await raise(workspace, target, level).catch(skipClosed);
    }
  }
}

/** Nothing is removed there any more. */
function skipClosed(error: unknown): void {
  if (!(error instanceof ScopeClosed)) throw error;
}
