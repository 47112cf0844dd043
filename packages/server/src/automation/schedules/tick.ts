import type { ConfigReader } from '../../config/port.ts';
import type { Clock } from '../../lib/clock.ts';
import { latestDue, nextDue } from '../../lib/scheduling/next-due.ts';
import { removeAsRead } from '../../store/table.ts';
import { refusedChange } from '../../store/transact.ts';
import type { Environment } from '../../tenancy/port.ts';
import type { DueVisit } from '../../work/visits.ts';
import type { Tell } from '../alerts.ts';
import { liveStart } from '../config/live-starts.ts';
import { type BeginDeps, type Begun, beginDue } from './begin-due.ts';
import { isSame, planned } from './reconcile.ts';
import { blockOfDue, done, type LastDue, type ScheduleRow, scheduleChanges, schedules } from './schedule-rows.ts';

export interface TickDeps extends BeginDeps {
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly clock: Clock;
  readonly tell: Tell;
}

/** As late may a due time be begun and still count as kept. */
const lateMilliseconds = 5 * 60_000;

/**
 * Begins what is due by a schedule. The runs are there before the schedule goes on to its next time, and a process that
 * dies in between leaves it to another, which finds them.
 */
export function scheduleHandler(deps: TickDeps): DueVisit {
  const { configs, clock, tell } = deps;
  return async ({ env, orgCode, tenantCode, scope, item }) => {
    const block = blockOfDue(item);
    const row = tenantCode === undefined ? await schedules.read(scope, block) : undefined;
    if (row === undefined || row.value.paused === true) return void (await refusedChange(scope, [done(item)]));
    const config = await configs[env].refresh(orgCode);
    const live = await liveStart(scope, config, { name: block, way: 'schedule' });
    const now = clock.now();
    const { value: stored } = row;
    if (live === undefined) return void (await refusedChange(scope, [removeAsRead(row), done(item)]));
    if (!isSame(stored, live))
      return void (await refusedChange(scope, scheduleChanges(block, row, planned(row, live, now))));
    if (stored.beginning === undefined && (stored.next === undefined || stored.next > now))
      return void (await refusedChange(scope, scheduleChanges(block, row, stored)));
    const { due, isSkipped } = dueNow(stored, live.missed, now);
    const from = { workspaces: live.workspaces ?? 'main', after: stored.beginning?.after };
    const begun = isSkipped ? {} : await beginDue(deps, { env, orgCode, block, config, due }, from);
    if (isNews(begun.code)) await tell({ env, orgCode }, { kind: 'schedule', name: block, code: begun.code }, 1);
    const after = afterwards(stored, { due, isSkipped, begun, now });
    const at = after.beginning === undefined ? after.next : now;
    await refusedChange(scope, scheduleChanges(block, row, after, at));
  };
}

/** That a workspace is suspended is no news to the org that has suspended it. */
function isNews(code: string | undefined): code is string {
  return code !== undefined && code !== 'workspace_suspended';
}

interface DueNow {
  readonly due: number;
  /** It was missed, and is not made up for. */
  readonly isSkipped: boolean;
}

function dueNow({ beginning, next = 0, ...time }: ScheduleRow, missed: 'skip' | 'once', now: number): DueNow {
  if (beginning !== undefined) return { due: beginning.due, isSkipped: false };
  if (now - next <= lateMilliseconds) return { due: next, isSkipped: false };
  if (missed === 'once') return { due: latestDue(time, next, now), isSkipped: false };
  return { due: next, isSkipped: true };
}

function afterwards(
  row: ScheduleRow,
  { due, isSkipped, begun, now }: DueNow & { readonly begun: Begun; readonly now: number },
): ScheduleRow {
  const { beginning, next: _next, last: _last, ...rest } = row;
  const { run, after } = begun;
  const code = beginning?.code ?? begun.code;
  const refused = code === undefined ? {} : { code };
  if (after !== undefined) return { ...row, beginning: { due, after, ...refused } };
  const state: LastDue['state'] = isSkipped ? 'skipped' : code === undefined ? 'started' : 'refused';
  // What was missed is skipped up to the first time that is not too late.
  const next = nextDue(row, isSkipped ? Math.max(due, now - lateMilliseconds - 1) : due);
  const last: LastDue = { due, state, ...refused, ...(run === undefined ? {} : { run }) };
  return { ...rest, last, ...(next === undefined ? {} : { next }) };
}
