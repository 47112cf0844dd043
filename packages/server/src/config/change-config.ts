import { Problem } from '../lib/problem.ts';
import type { Change, Put, Store } from '../store/port.ts';
import { asRead } from '../store/table.ts';
import { transact } from '../store/transact.ts';
import { orgScopeName } from '../tenancy/port.ts';
import type { ConfigReader } from './config-reader.ts';
import type { ConfigSet } from './config-set.ts';
import { configHead, isOfLive } from './org-keys.ts';

/** The time of a new config version, and its org. */
export interface SwitchTime {
  readonly orgCode: string;
  /** The config version of the switch. */
  readonly next: number;
  readonly now: number;
}

export interface ChangeConfigDeps {
  readonly store: Store;
  readonly configs: ConfigReader;
}

export interface ConfigChange {
  readonly changes: readonly Change[];
}

interface CommittedConfig<Planned> {
  readonly version: number;
  /** The plan that was committed. */
  readonly planned: Planned;
}

/**
 * Commits a change of the org's configuration under the next version. The head is compared and swapped, so what the
 * change was planned on is what it changes; a plan that others overtook is made again.
 */
export async function changeConfig<Planned extends ConfigChange>(
  deps: ChangeConfigDeps,
  orgCode: string,
  plan: PlanConfig<Planned>,
): Promise<CommittedConfig<Planned>> {
  const scope = deps.store.scope(orgScopeName(orgCode));
  const { planned } = await transact(scope, () => planNext(deps, orgCode, plan)).catch((error: unknown) => {
    // A refusal is no commit; anything else may have been committed all the same.
    if (!(error instanceof Problem)) deps.configs.forget(orgCode);
    throw error;
  });
  // The change is committed, whether or not it can be read now.
  await deps.configs.refresh(orgCode).catch(() => deps.configs.forget(orgCode));
  await deps.configs.changed(orgCode, planned.changes);
  return { version: planned.version, planned: planned.planned };
}

/** Plans what `changeConfig` would commit now, and commits nothing. */
export async function planConfig<Planned extends ConfigChange>(
  deps: ChangeConfigDeps,
  orgCode: string,
  plan: PlanConfig<Planned>,
): Promise<Planned> {
  const scope = deps.store.scope(orgScopeName(orgCode));
  const { planned } = await transact(scope, async () => {
    const next = await planNext(deps, orgCode, plan);
    return next === 'overtaken' ? next : { planned: next.planned, changes: [] };
  });
  return planned.planned;
}

type PlanConfig<Planned> = (set: ConfigSet, next: number) => Promise<Planned>;

async function planNext<Planned extends ConfigChange>(
  deps: ChangeConfigDeps,
  orgCode: string,
  plan: PlanConfig<Planned>,
) {
  const set = await deps.configs.refresh(orgCode);
  const head = await configHead.read(deps.store.scope(orgScopeName(orgCode)));
  if ((head?.version ?? 0) !== set.version) return 'overtaken';
  const version = (head?.value.version ?? 0) + 1;
  const planned = await plan(set, version);
  const moveHead = configHead.put(undefined, { version }, { if: asRead(head) });
  const isOfBlocks = planned.changes.some((change) => isOfLive('logicblock', change));
  return { version, planned, changes: [moveHead, ...planned.changes, ...(isOfBlocks ? [schedulesChanged] : [])] };
}

/** Makes automation look at which blocks have schedules. It is due from the beginning of time. */
export const schedulesDue = { pk: 'due', sk: 'schedules' } as const;

const schedulesChanged: Put = {
  kind: 'put',
  ...schedulesDue,
  value: JSON.stringify({ job: schedulesDue.sk }),
  if: 'any',
  due: { at: 0, queue: 'automation' },
};
