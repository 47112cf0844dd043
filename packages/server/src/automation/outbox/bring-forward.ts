/** Has what waits for events of an org delivered now, in place of the time that it was put off to. */
import { type Change, type Scope, ScopeClosed, type Store } from '../../store/port.ts';
import { asRead } from '../../store/table.ts';
import { transact } from '../../store/transact.ts';
import { type Environment, orgScopeName, workspaceScopeName, workspaceTable } from '../../tenancy/port.ts';
import { askedAt } from '../../work/work-queue.ts';
import type { OrgPlace } from '../config/live-events.ts';
import { moveDue } from './lane.ts';
import { laneJobs, laneMark, putLane, retryMark } from './outbox-rows.ts';

export interface BringForwardDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  /** Has what is due looked for now. */
  readonly wake: () => void;
  readonly onError: (error: unknown) => void;
}

/** Never fails: what it does not reach is found at its time. */
export type BringForward = (place: OrgPlace, events: readonly string[]) => Promise<void>;

const workspacesPerPage = 200;
const workspacesAtOnce = 20;
/** Workspaces that are looked at, once for each of the events. */
const looksMax = 1000;
/** Outboxes and held records that are brought forward. */
const broughtMax = 200;
/** Of these, held records of one event in one workspace. */
const heldMax = 20;

/** What may still be done for one call. */
interface Budget {
  looks: number;
  brought: number;
}

export function createBringForward(deps: BringForwardDeps): BringForward {
  return async (place, events) => {
    if (events.length === 0) return;
    await walk(deps, place, events).catch(deps.onError);
    deps.wake();
  };
}

async function walk(
  { stores, onError }: BringForwardDeps,
  { env, orgCode }: OrgPlace,
  events: readonly string[],
): Promise<void> {
  const store = stores[env];
  const orgScope = store.scope(orgScopeName(orgCode));
  const budget: Budget = { looks: looksMax, brought: broughtMax };
  for (let after: string | undefined; ; ) {
    const behind = after === undefined ? {} : { after };
    const page = await workspaceTable.range(orgScope, workspaceTable.key('').pk, {
      ...behind,
      limit: workspacesPerPage,
    });
    const ready = page.filter(({ value }) => value.state === 'ready');
    for (const event of events)
      for (let start = 0; start < ready.length; start += workspacesAtOnce) {
        if (budget.looks <= 0 || budget.brought <= 0) return;
        const some = ready.slice(start, start + workspacesAtOnce);
        budget.looks -= some.length;
        await Promise.all(
          some.map(({ sk }) => bring(store.scope(workspaceScopeName(orgCode, sk)), event, budget).catch(onError)),
        );
      }
    after = page.at(-1)?.sk;
    if (page.length < workspacesPerPage) return;
  }
}

/**
 * What is due already is moved too: a visit under way then finds, before it puts anything off, that it was asked for. A
 * mark of the outbox is made for it where only held records have some.
 */
async function bring(scope: Scope, event: string, budget: Budget): Promise<void> {
  const plan = async () => {
    const held = retryMark(event, '');
    const [[lane], retries] = await Promise.all([
      scope.get([laneMark(event)]),
      scope.range(held.pk, { prefix: held.sk, limit: heldMax }),
    ]);
    if (lane === undefined && retries.length === 0) return { changes: [] };
    const asked: Change = { ...putLane(event, askedAt), if: asRead(lane) };
    const moved = [asked, ...retries.map((mark) => moveDue(mark, laneJobs.retry, askedAt))];
    return { changes: moved.slice(0, Math.max(budget.brought, 0)) };
  };
  try {
    const { planned } = await transact(scope, plan, { priority: 'background' });
    budget.brought -= planned.changes.length;
  } catch (error) {
    // The workspace is being removed.
    if (!(error instanceof ScopeClosed)) throw error;
  }
}
