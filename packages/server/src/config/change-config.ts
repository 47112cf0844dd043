import { Problem } from '../lib/problem.ts';
import { type Change, Conflict, type Store } from '../store/port.ts';
import { orgScopeName } from '../tenancy/port.ts';
import { type ConfigReader, pointerValue, readPointer } from './config-reader.ts';
import type { ConfigSet } from './config-set.ts';
import { configHeadKey } from './org-keys.ts';

export interface ChangeConfigParts {
  readonly store: Store;
  readonly configs: ConfigReader;
}

export interface ConfigChange {
  readonly changes: readonly Change[];
}

interface Committed<Planned> {
  readonly version: number;
  /** The plan that was committed. */
  readonly planned: Planned;
}

/**
 * Commits a change of the org's configuration under the next version. The head is compared and swapped, so what the
 * change was planned on is what it changes; a plan that others overtook is made again.
 */
export async function changeConfig<Planned extends ConfigChange>(
  parts: ChangeConfigParts,
  orgCode: string,
  plan: (set: ConfigSet, next: number) => Promise<Planned>,
): Promise<Committed<Planned>> {
  const scope = parts.store.scope(orgScopeName(orgCode));
  for (let attempt = 0; attempt < 16; attempt++) {
    const set = await parts.configs.refresh(orgCode);
    const [head] = await scope.get([configHeadKey]);
    if ((head?.version ?? 0) !== set.version) continue;
    const next = (head === undefined ? 0 : readPointer(head.value)) + 1;
    const change = await plan(set, next);
    const condition = head === undefined ? 'absent' : { version: head.version };
    const moveHead: Change = { kind: 'put', ...configHeadKey, value: pointerValue(next), if: condition };
    try {
      await scope.commit([moveHead, ...change.changes]);
    } catch (error) {
      if (error instanceof Conflict) continue;
      // It may have been committed all the same.
      parts.configs.forget(orgCode);
      throw error;
    }
    // The change stands, whether or not it can be read now.
    await parts.configs.refresh(orgCode).catch(() => parts.configs.forget(orgCode));
    return { version: next, planned: change };
  }
  throw new Problem('conflict', 'others keep changing the configuration: try again');
}
