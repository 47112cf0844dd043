/**
 * Whether the workspace of what is due is there, and whether it is suspended: then what is due there waits, is looked at
 * again from time to time, and goes on when the workspace is resumed.
 */
import { BoundedMap } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';
import { type Change, type Item, limits, type Scope, ScopeClosed } from '../store/port.ts';
import { transact } from '../store/transact.ts';
import { type Workspace, workspaceTable } from '../tenancy/port.ts';
import { timers } from '../work/due-work.ts';
import { orgScope, type SharedDeps, type TenantPlace, workspaceScope } from './automation-deps.ts';

interface WorkspacePlace extends TenantPlace {
  readonly scope: Scope;
  readonly orgScope: Scope;
}

export interface ReadyWorkspace extends Workspace {
  readonly isSuspended: boolean;
}

/** The workspace whose scope it is, which alone says whose the work is. Undefined where it is not there, or is being removed. */
export async function readyWorkspace(place: WorkspacePlace): Promise<ReadyWorkspace | undefined> {
  const { env, orgCode, tenantCode, scope, orgScope } = place;
  const row = await workspaceTable.read(orgScope, tenantCode);
  if (row?.value.state !== 'ready') return undefined;
  const isSuspended = row.value.suspended !== undefined;
  return { env, orgCode, tenantCode, tenantId: row.value.id, scope, isSuspended };
}

/** The same, read when it is first asked for. */
export function workspaceOnce(place: WorkspacePlace): () => Promise<Workspace | undefined> {
  let reading: Promise<Workspace | undefined> | undefined;
  return () => {
    reading ??= readyWorkspace(place);
    return reading;
  };
}

export type Suspensions = ReturnType<typeof createSuspensions>;

/** The time after which due work in a suspended workspace is looked at again. */
const restMilliseconds = 60_000;

export function createSuspensions(deps: Pick<SharedDeps, 'stores' | 'clock' | 'changesOf'>) {
  const cache = new RestCache(deps.clock);
  return {
    /**
     * Until when the workspace is left alone; undefined where it is not suspended. A suspension may be a second old before
     * it is seen on other nodes; its end is seen at once.
     */
    restsUntil: async ({ env, orgCode, tenantCode }: TenantPlace): Promise<number | undefined> => {
      const scope = orgScope(deps, { env, orgCode });
      const key = `${env} ${orgCode} ${tenantCode}`;
      const changes = deps.changesOf?.[env](scope.name) ?? 0;
      const isSuspended = async () => (await workspaceTable.read(scope, tenantCode))?.value.suspended !== undefined;
      return (await cache.rests(key, changes, isSuspended)) ? deps.clock.now() + restMilliseconds : undefined;
    },
  };
}

const knownMilliseconds = 1000;
const knownMax = 10_000;

/**
 * Remembers for a second that something does not rest. That it rests is read each time: a pass that reads it defers what
 * is due for long, and the end of the rest must not be missed.
 */
export class RestCache {
  readonly #clock: Clock;
  readonly #going = new BoundedMap<string, { readonly until: number; readonly changes: number }>(knownMax);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param changes another number once this process has committed a change of what is read. */
  async rests(key: string, changes: number, read: () => Promise<boolean>): Promise<boolean> {
    const now = this.#clock.now();
    const before = this.#going.get(key);
    if (before !== undefined && now < before.until && before.changes === changes) return false;
    const isResting = await read();
    if (isResting) this.#going.delete(key);
    else this.#going.set(key, { until: now + knownMilliseconds, changes });
    return isResting;
  }

  forget(key: string): void {
    this.#going.delete(key);
  }
}

/** The work that waits in a workspace, by the prefixes of its marks: outboxes, held records and runs. */
const kinds = ['lane;', 'retry;', 'run;'] as const;
/** Of each kind: marks that are looked at, and of these the ones that are moved. */
const looksMax = 1000;
const movedMax = 200;
/** In one commit: a pass that moves one of them has it planned again. */
const movedAtOnce = 50;
/** By so much the clocks of nodes may differ. */
const skewMilliseconds = 5000;

/**
 * Has the waiting work of a workspace resume with it, ahead of its retry times. Never fails: work that it does not reach is
 * found at its time, at most a minute later.
 */
export function createWorkspaceResumed(deps: Pick<SharedDeps, 'stores' | 'clock' | 'wake' | 'onError'>) {
  const { clock, wake, onError } = deps;
  return async (place: TenantPlace): Promise<void> => {
    try {
      const scope = workspaceScope(deps, place, place.tenantCode);
      await Promise.all(kinds.map((kind) => bring(scope, kind, clock)));
    } catch (error) {
      // The workspace is being removed.
      if (!(error instanceof ScopeClosed)) onError(error);
    }
    wake();
  };
}

async function bring(scope: Scope, kind: string, clock: Clock): Promise<void> {
  const { pk } = timers.key('');
  const looked = await scope.range(pk, { prefix: kind, limit: looksMax, bytesMax: limits.commitBytesMax / 4 });
  const resting = looked.filter((item) => isResting(scope, item, clock.now())).slice(0, movedMax);
  for (let start = 0; start < resting.length; start += movedAtOnce) {
    const keys = resting.slice(start, start + movedAtOnce).map(({ sk }) => ({ pk, sk }));
    const plan = async () => {
      const now = clock.now();
      const items = await scope.get(keys);
      return {
        changes: items.flatMap((item) => (item !== undefined && isResting(scope, item, now) ? [moved(item, now)] : [])),
      };
    };
    await transact(scope, plan, { priority: 'background' });
  }
}

/**
 * Whether it may have been deferred because the workspace was suspended. What is due already is written again, so that a
 * pass that still knew of the suspension does not defer it. A run that a process is at is left to that process.
 */
function isResting(scope: Scope, item: Item, now: number): boolean {
  const { at } = item.due ?? { at: Number.POSITIVE_INFINITY };
  return at <= now + restMilliseconds + skewMilliseconds && !('leased' in timers.row(scope, item).value);
}

function moved({ pk, sk, value, version, due }: Item, now: number): Change {
  const at = Math.min(due?.at ?? now, now);
  return { kind: 'put', pk, sk, value, if: { version }, due: { at, queue: 'automation' } };
}
