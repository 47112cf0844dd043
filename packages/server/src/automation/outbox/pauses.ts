/** Builders pause the deliveries of an event in one environment. What it would send waits in its outboxes meanwhile. */
import { type AuditContext, auditEntry } from '../../audit/audit-entry.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import { type Change, type Scope, ScopeClosed } from '../../store/port.ts';
import { asRead, json, removeAsRead, table } from '../../store/table.ts';
import { transact } from '../../store/transact.ts';
import { orgScopeName, workspacesPartition, workspaceTable } from '../../tenancy/port.ts';
import { immediately } from '../../work/work-queue.ts';
import { type OrgPlace, orgScope, type SharedDeps, workspaceScope } from '../automation-deps.ts';
import type { LiveEvents } from '../events/live-events.ts';
import { RestCache } from '../suspensions.ts';
import { moveDue, outboxJobs, putQueue, queueMark, retryMark } from './outbox.ts';

/** In the scope of the org, by event: since when, and the id of the builder. A pause outlives the versions of its event, and its removal. */
export const eventPauses = table(
  (event: string) => ({ pk: 'event-pause', sk: event }),
  json<{ readonly at: string; readonly by: string }>('pause of an event', { at: 'string', by: 'string' }),
);

interface PauseCommand extends OrgPlace {
  readonly auditContext: AuditContext;
  readonly event: string;
}

export type Pauses = ReturnType<typeof createPauses>;

interface PausesDeps extends Pick<SharedDeps, 'stores' | 'configs' | 'clock' | 'changesOf'> {
  readonly live: LiveEvents;
  readonly retryNow: RetryNow;
}

/** Of an org, in one environment. */
export const pausesMax = 1000;

export function createPauses(deps: PausesDeps) {
  const { configs, live, changesOf } = deps;
  const cache = new RestCache(deps.clock);
  const keyOf = ({ env, orgCode }: OrgPlace, event: string): string => `${env} ${orgCode} ${event}`;
  const stageOf = async ({ env, orgCode, event }: PauseCommand): Promise<'before' | 'after' | undefined> => {
    const found = await live.named(await configs[env].refresh(orgCode), { env, orgCode }, event);
    return found?.content.event_stage;
  };
  return {
    /** A pause may be a second old before it is seen on other nodes; its end is seen at once. */
    isPaused: (place: OrgPlace, event: string): Promise<boolean> => {
      const changes = changesOf?.[place.env](orgScopeName(place.orgCode)) ?? 0;
      const read = async () => (await eventPauses.read(orgScope(deps, place), event)) !== undefined;
      return cache.rests(keyOf(place, event), changes, read);
    },
    /** @throws Problem `not_found`; `conflict` for an event before writes, which has no deliveries. */
    pause: async (command: PauseCommand): Promise<void> => {
      const { auditContext, event } = command;
      const stage = await stageOf(command);
      if (stage === undefined) throw notFound();
      if (stage === 'before')
        throw new Problem('conflict', 'an event before writes has no deliveries: it is switched off by `enabled`');
      const scope = orgScope(deps, command);
      await transact(scope, async () => {
        if ((await eventPauses.read(scope, event)) !== undefined) return { changes: [] };
        if ((await scope.count(eventPauses.key('').pk, {}, pausesMax)) >= pausesMax)
          throw new Problem('conflict', `at most ${pausesMax} events of an org are paused`);
        const put = eventPauses.insert(event, { at: auditContext.at, by: auditContext.actor.id });
        return { changes: [put, entry(command, 'event.paused')] };
      });
      cache.forget(keyOf(command, event));
    },
    /** @throws Problem `not_found` where there is neither such an event nor a pause of it. */
    resume: async (command: PauseCommand): Promise<void> => {
      const { event } = command;
      const scope = orgScope(deps, command);
      const { committed } = await transact(scope, async () => {
        const row = await eventPauses.read(scope, event);
        return { changes: row === undefined ? [] : [removeAsRead(row), entry(command, 'event.resumed')] };
      });
      if (committed === undefined && (await stageOf(command)) === undefined) throw notFound();
      cache.forget(keyOf(command, event));
      await deps.retryNow(command, [event]);
    },
  };
}

function entry({ auditContext, event, env }: PauseCommand, action: string) {
  return auditEntry(auditContext, { action, target: { kind: 'event', id: event }, env });
}

type RetryNowDeps = Pick<SharedDeps, 'stores' | 'wake' | 'onError'>;

/**
 * Has the waiting deliveries of events of an org made now, ahead of their retry times. Never fails: a delivery that it does
 * not reach is made at its time.
 */
export type RetryNow = (place: OrgPlace, events: readonly string[]) => Promise<void>;

const workspacesPerPage = 200;
const workspacesAtOnce = 20;
/** Workspaces that are looked at, once for each of the events. */
const looksMax = 1000;
/** Outboxes and held records that are brought forward. */
const broughtMax = 200;
/** Of these, held records of one event in one workspace. */
const heldMax = 20;

interface RetryBudget {
  looks: number;
  brought: number;
}

export function createRetryNow(deps: RetryNowDeps): RetryNow {
  return async (place, events) => {
    if (events.length === 0) return;
    await walk(deps, place, events).catch(deps.onError);
    deps.wake();
  };
}

async function walk(deps: RetryNowDeps, place: OrgPlace, events: readonly string[]): Promise<void> {
  const scope = orgScope(deps, place);
  const budget: RetryBudget = { looks: looksMax, brought: broughtMax };
  for (let after: string | undefined; ; ) {
    const behind = after === undefined ? {} : { after };
    const limit = workspacesPerPage;
    const page = await workspaceTable.range(scope, workspacesPartition, { ...behind, limit });
    const ready = page.filter(({ value }) => value.state === 'ready');
    for (const event of events)
      for (let start = 0; start < ready.length; start += workspacesAtOnce) {
        if (budget.looks <= 0 || budget.brought <= 0) return;
        const some = ready.slice(start, start + workspacesAtOnce);
        budget.looks -= some.length;
        const appointment = ({ sk }: { readonly sk: string }) => bring(workspaceScope(deps, place, sk), event, budget);
        await Promise.all(some.map((row) => appointment(row).catch(deps.onError)));
      }
    after = page.at(-1)?.sk;
    if (page.length < limit) return;
  }
}

/**
 * Items that are due already are moved too: a pass under way then sees the request before it defers anything. A mark of
 * the outbox is made for it where only held records have some.
 */
async function bring(scope: Scope, event: string, budget: RetryBudget): Promise<void> {
  const plan = async () => {
    const held = retryMark(event, '');
    const [[queue], retries] = await Promise.all([
      scope.get([queueMark(event)]),
      scope.range(held.pk, { prefix: held.sk, limit: heldMax }),
    ]);
    if (queue === undefined && retries.length === 0) return { changes: [] };
    const marked: Change = { ...putQueue(event, immediately), if: asRead(queue) };
    const moved = [marked, ...retries.map((mark) => moveDue(mark, outboxJobs.retry, immediately))];
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
