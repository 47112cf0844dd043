/** Has what waited in a suspended workspace go on when it is resumed, in place of the time that it was put off to. */
import type { Clock } from '../lib/clock.ts';
import { type Change, type Item, limits, type Scope, ScopeClosed, type Store } from '../store/port.ts';
import { transact } from '../store/transact.ts';
import { type Environment, workspaceScopeName } from '../tenancy/port.ts';
import { dues } from '../work/visits.ts';
import { restMilliseconds, type SuspensionPlace } from './suspensions.ts';

export interface ResumedWorkspaceDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly clock: Clock;
  /** Has what is due looked for now. */
  readonly wake: () => void;
  readonly onError: (error: unknown) => void;
}

/** Never fails: what it does not reach is found at its time, at most a minute later. */
export type WorkspaceResumed = (place: SuspensionPlace) => Promise<void>;

/** What waits in a workspace, by what its marks are called: outboxes, held records and runs. */
const kinds = ['lane;', 'retry;', 'run;'] as const;
/** Of each kind: marks that are looked at, and of these the ones that are moved. */
const looksMax = 1000;
const movedMax = 200;
/** In one commit: a visit that moves one of them has it planned again. */
const movedAtOnce = 50;
/** By so much the clocks of nodes may differ. */
const skewMilliseconds = 5000;

export function createWorkspaceResumed({ stores, clock, wake, onError }: ResumedWorkspaceDeps): WorkspaceResumed {
  return async ({ env, orgCode, tenantCode }) => {
    try {
      const scope = stores[env].scope(workspaceScopeName(orgCode, tenantCode));
      await Promise.all(kinds.map((kind) => bring(scope, kind, clock)));
    } catch (error) {
      // The workspace is being removed.
      if (!(error instanceof ScopeClosed)) onError(error);
    }
    wake();
  };
}

async function bring(scope: Scope, kind: string, clock: Clock): Promise<void> {
  const { pk } = dues.key('');
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
 * Whether it may have been put off because the workspace was suspended. What is due already is written again, so that a
 * visit that still knew of the suspension does not put it off. A run that a process is at is left to that process.
 */
function isResting(scope: Scope, item: Item, now: number): boolean {
  const { at } = item.due ?? { at: Number.POSITIVE_INFINITY };
  return at <= now + restMilliseconds + skewMilliseconds && !('leased' in dues.row(scope, item).value);
}

function moved({ pk, sk, value, version, due }: Item, now: number): Change {
  const at = Math.min(due?.at ?? now, now);
  return { kind: 'put', pk, sk, value, if: { version }, due: { at, queue: 'automation' } };
}
