import { setImmediate as nextTurn } from 'node:timers/promises';
import type { schedulesApi } from '@freehold/contract/management/automation/schedules';
import type { ReplyOf } from '@freehold/contract/route';
import { type AuditContext, auditEntry } from '../../audit/audit-entry.ts';
import { timestamp } from '../../lib/clock.ts';
import { notFound } from '../../lib/problem.ts';
import { nextDue } from '../../lib/scheduling/next-due.ts';
import type { Scope } from '../../store/port.ts';
import type { Row } from '../../store/table.ts';
import { transact } from '../../store/transact.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import type { OrgPlace } from '../config/live-events.ts';
import { liveStart } from '../config/live-starts.ts';
import type { BlockSchedule } from '../kinds/logicblock-starts.ts';
import { planned, type ReconcileDeps } from './reconcile.ts';
import { allSchedules, type ScheduleRow, scheduleChanges, schedules } from './schedule-rows.ts';
import type { TickDeps } from './tick.ts';

type Shown = ReplyOf<typeof schedulesApi.listSchedules>['items'][number];

/** A schedule, by the name of its block. */
export interface ScheduleName extends OrgPlace {
  readonly block: string;
}

/** The schedules of an environment, as builders see and change them. */
export interface Schedules {
  list(place: OrgPlace): Promise<readonly Shown[]>;
  /** @throws Problem `not_found`. */
  pause(name: ScheduleName, by: AuditContext): Promise<void>;
  /** From the next due time on: what was due meanwhile is not made up for. @throws Problem `not_found`. */
  resume(name: ScheduleName, by: AuditContext): Promise<void>;
}

type SchedulesDeps = ReconcileDeps & Pick<TickDeps, 'stores'>;

export function openSchedules(deps: SchedulesDeps): Schedules {
  return {
    list: (place) => listSchedules(deps, place),
    pause: (name, by) => setPaused(deps, name, { by, isPaused: true }),
    resume: (name, by) => setPaused(deps, name, { by, isPaused: false }),
  };
}

const timesShown = 5;

async function listSchedules({ stores, configs, clock }: SchedulesDeps, { env, orgCode }: OrgPlace) {
  const scope = orgScope(stores, { env, orgCode });
  const config = await configs[env].refresh(orgCode);
  const items: Shown[] = [];
  for (const [name, { value: row }] of await allSchedules(scope)) {
    const live = await liveStart(scope, config, { name, way: 'schedule' });
    if (live !== undefined) items.push(shown(name, { row, live, now: clock.now() }));
    // Times of rare days take a while to find.
    await nextTurn();
  }
  return items;
}

function orgScope(stores: SchedulesDeps['stores'], { env, orgCode }: OrgPlace): Scope {
  return stores[env].scope(orgScopeName(orgCode));
}

function shown(
  name: string,
  { row, live, now }: { readonly row: ScheduleRow; readonly live: BlockSchedule; readonly now: number },
): Shown {
  const { cron, timezone, missed, workspaces = 'main' } = live;
  const next: string[] = [];
  for (let at = nextDue(live, now); at !== undefined && next.length < timesShown; at = nextDue(live, at))
    next.push(timestamp(at));
  const { last } = row;
  return {
    ...{ name, cron, timezone, missed, workspaces, paused: row.paused === true, next },
    last: last === undefined ? null : { ...last, due: timestamp(last.due) },
  };
}

async function setPaused(
  { stores, configs, clock }: SchedulesDeps,
  { env, orgCode, block }: ScheduleName,
  { by, isPaused }: { readonly by: AuditContext; readonly isPaused: boolean },
): Promise<void> {
  const scope = orgScope(stores, { env, orgCode });
  await transact(scope, async () => {
    const live = await liveStart(scope, await configs[env].refresh(orgCode), { name: block, way: 'schedule' });
    if (live === undefined) throw notFound();
    const row = await schedules.read(scope, block);
    if ((row?.value.paused === true) === isPaused) return { changes: [] };
    const action = isPaused ? 'schedule.paused' : 'schedule.resumed';
    const told = auditEntry(by, { action, target: { kind: 'logicblock', id: block }, env });
    return { changes: [...scheduleChanges(block, row, turned(row, live, { isPaused, now: clock.now() })), told] };
  });
}

function turned(
  row: Row<ScheduleRow> | undefined,
  live: BlockSchedule,
  { isPaused, now }: { readonly isPaused: boolean; readonly now: number },
): ScheduleRow {
  const { paused: _paused, ...rest } = planned(row, live, now);
  return isPaused ? { ...rest, paused: true } : rest;
}
