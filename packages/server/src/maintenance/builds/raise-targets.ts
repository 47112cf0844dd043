import { type ConfigSet, raise, targetsOf } from '../../config/port.ts';
import type { Store } from '../../store/port.ts';
import { ignoreClosed } from '../../store/transact.ts';
import { workspacesOf } from '../../tenancy/port.ts';

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
  for await (const workspace of workspacesOf(store, orgCode)) {
    for (const target of targets) {
      const level = { generation: set.generation(target), configVersion: set.version };
      await raise(workspace, target, level).catch(ignoreClosed);
    }
  }
}
