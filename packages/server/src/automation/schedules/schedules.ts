/**
 * The schedules of an environment of an org, what is due by them, and how they follow the live blocks. They belong to
 * no configuration, and are never promoted.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { schedulesApi } from '@freehold/contract/management/automation/schedules';
import type { ReplyOf } from '@freehold/contract/route';
import { type AuditContext, auditEntry } from '../../audit/audit-entry.ts';
import type { ConfigSet } from '../../config/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { uuidv7Of } from '../../lib/ids.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import { type CronTime, latestDue, nextDue } from '../../lib/scheduling/next-due.ts';
import type { Change, Due, Scope } from '../../store/port.ts';
import { json, type Row, removeAsRead, table } from '../../store/table.ts';
import { refusedChange, transact } from '../../store/transact.ts';
import { eachItem } from '../../store/walk.ts';
import { defaultWorkspaceCode, type Workspace, workspacesPartition, workspaceTable } from '../../tenancy/port.ts';
import { type DueHandler, timers } from '../../work/due-work.ts';
import { type OrgPlace, orgScope, type SharedDeps, type WorkMeter, workspaceScope } from '../automation-deps.ts';
import { liveStart, liveStarts } from '../blocks/stored-blocks.ts';
import type { BlockSchedule } from '../kinds/logicblock-starts.ts';
import { assertMayWait } from '../runs/run-bounds.ts';
import { appUser, storedRuns } from '../runs/run-rows.ts';
import type { AutomationWork } from '../runs/runs.ts';

type ShownSchedule = ReplyOf<typeof schedulesApi.listSchedules>['items'][number];

interface ScheduleName extends OrgPlace {
  readonly block: string;
}

type SchedulesDeps = Pick<SharedDeps, 'stores' | 'configs' | 'clock'>;

export type Schedules = ReturnType<typeof openSchedules>;

/** The schedules of an environment, as builders see and change them. @throws Problem `not_found`. */
export function openSchedules(deps: SchedulesDeps) {
  return {
    list: (place: OrgPlace) => listSchedules(deps, place),
    pause: (name: ScheduleName, by: AuditContext) => setPaused(deps, name, { by, isPaused: true }),
    /** From the next due time on: what was due meanwhile is not made up for. */
    resume: (name: ScheduleName, by: AuditContext) => setPaused(deps, name, { by, isPaused: false }),
  };
}

const timesShown = 5;

async function listSchedules(deps: SchedulesDeps, place: OrgPlace): Promise<readonly ShownSchedule[]> {
  const scope = orgScope(deps, place);
  const config = await deps.configs[place.env].refresh(place.orgCode);
  const items: ShownSchedule[] = [];
  for (const [name, { value: row }] of await allSchedules(scope)) {
    const live = await liveStart(scope, config, { name, way: 'schedule' });
    if (live !== undefined) items.push(shown(name, { row, live, now: deps.clock.now() }));
    // Times of rare days take a while to find.
    await nextTurn();
  }
  return items;
}

function shown(
  name: string,
  { row, live, now }: { readonly row: ScheduleRow; readonly live: BlockSchedule; readonly now: number },
): ShownSchedule {
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
  deps: SchedulesDeps,
  { env, orgCode, block }: ScheduleName,
  { by, isPaused }: { readonly by: AuditContext; readonly isPaused: boolean },
): Promise<void> {
  const { configs, clock } = deps;
  const scope = orgScope(deps, { env, orgCode });
  await transact(scope, async () => {
    const live = await liveStart(scope, await configs[env].refresh(orgCode), { name: block, way: 'schedule' });
    if (live === undefined) throw notFound();
    const row = await schedules.read(scope, block);
    if ((row?.value.paused === true) === isPaused) return { changes: [] };
    const action = isPaused ? 'schedule.paused' : 'schedule.resumed';
    const entries = auditEntry(by, { action, target: { kind: 'logicblock', id: block }, env });
    const { paused: _paused, ...rest } = planned(row, live, clock.now());
    return { changes: [...scheduleChanges(block, row, isPaused ? { ...rest, paused: true } : rest), entries] };
  });
}

/** That a workspace is suspended is no news to the org that has suspended it. */
const noNews: readonly (string | undefined)[] = [undefined, 'workspace_suspended'];

/** As late may a due time be begun and still count as kept. */
const lateMilliseconds = 5 * 60_000;

/**
 * Begins what is due by a schedule. The runs are there before the schedule goes on to its next time, and a process that
 * dies in between leaves it to another, which finds them.
 */
export function scheduleHandler(deps: StartDueDeps & Pick<SharedDeps, 'configs' | 'clock' | 'notify'>): DueHandler {
  const { configs, clock, notify } = deps;
  return async ({ env, orgCode, tenantCode, scope, item }) => {
    const block = item.sk.slice(duePrefix.length);
    const row = tenantCode === undefined ? await schedules.read(scope, block) : undefined;
    if (row === undefined || row.value.paused === true) return void (await refusedChange(scope, [removeAsRead(item)]));
    const config = await configs[env].refresh(orgCode);
    const live = await liveStart(scope, config, { name: block, way: 'schedule' });
    const now = clock.now();
    const { value: stored } = row;
    if (live === undefined) return void (await refusedChange(scope, [removeAsRead(row), removeAsRead(item)]));
    if (!isSame(stored, live))
      return void (await refusedChange(scope, scheduleChanges(block, row, planned(row, live, now))));
    if (stored.beginning === undefined && (stored.next === undefined || stored.next > now))
      return void (await refusedChange(scope, scheduleChanges(block, row, stored)));
    const { due, isSkipped } = dueNow(stored, live.missed, now);
    const from = { workspaces: live.workspaces ?? 'main', after: stored.beginning?.after };
    const started = isSkipped ? {} : await startDue(deps, { env, orgCode, block, config, due }, from);
    if (!noNews.includes(started.code))
      await notify({ env, orgCode }, { kind: 'schedule', name: block, code: started.code }, 1);
    const after = afterwards(stored, { due, isSkipped, started, now });
    const at = after.beginning === undefined ? after.next : now;
    await refusedChange(scope, scheduleChanges(block, row, after, at));
  };
}

/** `isSkipped`: it was missed, and is not made up for. */
function dueNow({ beginning, next = 0, ...time }: ScheduleRow, missed: 'skip' | 'once', now: number) {
  if (beginning !== undefined) return { due: beginning.due, isSkipped: false };
  if (now - next <= lateMilliseconds) return { due: next, isSkipped: false };
  if (missed === 'once') return { due: latestDue(time, next, now), isSkipped: false };
  return { due: next, isSkipped: true };
}

function afterwards(
  row: ScheduleRow,
  { due, isSkipped, started, now }: ReturnType<typeof dueNow> & { readonly started: Begun; readonly now: number },
): ScheduleRow {
  const { beginning, next: _next, last: _last, ...rest } = row;
  const { run, after } = started;
  const code = beginning?.code ?? started.code;
  if (after !== undefined) return { ...row, beginning: { due, after, code } };
  const state: LastDue['state'] = isSkipped ? 'skipped' : code === undefined ? 'started' : 'refused';
  // Missed times are skipped up to the first that is not too late.
  const next = nextDue(row, isSkipped ? Math.max(due, now - lateMilliseconds - 1) : due);
  return { ...rest, last: { due, state, code, run }, next };
}

interface StartDueDeps extends Pick<SharedDeps, 'stores'> {
  readonly meter: Pick<WorkMeter, 'check'>;
  readonly start: AutomationWork['start'];
}

interface DueTime extends OrgPlace {
  readonly block: string;
  readonly config: ConfigSet;
  /** Milliseconds since the epoch. */
  readonly due: number;
}

interface Begun {
  /** Of a schedule of one workspace. */
  readonly run?: string | undefined;
  readonly code?: string | undefined;
  /** The position at which to go on: the code of the last workspace. */
  readonly after?: string | undefined;
}

const workspacesPerTurn = 50;

/**
 * Begins the runs of a due time, of some workspaces after `after`. A run's id follows from the due time and the
 * workspace, so each has one, whichever process begins it and however often. A suspended workspace has none.
 */
async function startDue(
  deps: StartDueDeps,
  time: DueTime,
  { workspaces = 'main', after }: Pick<BlockSchedule, 'workspaces'> & { readonly after?: string | undefined },
): Promise<Begun> {
  const scope = orgScope(deps, time);
  if (workspaces === 'main') {
    const main = await workspaceTable.read(scope, defaultWorkspaceCode);
    if (main?.value.state !== 'ready') return { code: 'not_found' };
    if (main.value.suspended !== undefined) return { code: 'workspace_suspended' };
    return startIn(deps, time, main.value);
  }
  const limit = workspacesPerTurn;
  const behind = after === undefined ? {} : { after };
  const page = await workspaceTable.range(scope, workspacesPartition, { ...behind, limit });
  const refusals: string[] = [];
  for (const { value } of page)
    if (value.state === 'ready' && value.suspended === undefined) {
      const { code } = await startIn(deps, time, value);
      if (code !== undefined) refusals.push(code);
    }
  return { code: refusals[0], after: page.length < limit ? undefined : page.at(-1)?.sk };
}

async function startIn(
  deps: StartDueDeps,
  { env, orgCode, block, config, due }: DueTime,
  { id: tenantId, code: tenantCode }: { readonly id: string; readonly code: string },
): Promise<Begun> {
  const scope = workspaceScope(deps, { env, orgCode }, tenantCode);
  const workspace: Workspace = { env, orgCode, tenantId, tenantCode, scope };
  const run = uuidv7Of(due, JSON.stringify([env, orgCode, tenantId, block, due]));
  const at = timestamp(due);
  const isThere = async (): Promise<boolean> => (await storedRuns.read(scope, run)) !== undefined;
  if (await isThere()) return { run };
  try {
    await deps.meter.check(orgCode, 'runs');
    await assertMayWait(scope);
    await deps.start({
      ...{ workspace, config, block, id: run, input: {}, user: appUser },
      trigger: { kind: 'schedule', id: at, name: block },
      given: { event: { id: run, type: 'schedule', timestamp: at, depth: 1, path: '' } },
      origin: { depth: 0, chain: [] },
    });
    return { run };
  } catch (error) {
    if (!(error instanceof Problem) || error.code === 'unavailable') throw error;
    // Another process began it meanwhile, by another version of the block.
    return error.code === 'conflict' && (await isThere()) ? { run } : { code: error.code };
  }
}

const changesPerCommit = 200;

/**
 * Has the stored schedules follow the live blocks. It is due with each change of these; a change that comes meanwhile
 * writes what is due again, so no commit that rests on the older configuration is taken.
 */
export function reconcileHandler({ configs, clock }: Pick<SharedDeps, 'configs' | 'clock'>): DueHandler {
  return async ({ env, orgCode, tenantCode, scope, item }) => {
    if (tenantCode !== undefined) return void (await refusedChange(scope, [removeAsRead(item)]));
    const live = await liveStarts(scope, await configs[env].refresh(orgCode), 'schedule');
    const stored = await allSchedules(scope);
    const now = clock.now();
    const changes: readonly (readonly Change[])[] = [
      // Paused belongs to the environment: it outlives a publication without the block, and the publication that brings it back.
      ...[...stored].flatMap(([name, row]) =>
        live.has(name) || row.value.paused === true ? [] : [[removeAsRead(row), undue(name)]],
      ),
      ...[...live].flatMap(([name, schedule]) => {
        const before = stored.get(name);
        return isSame(before?.value, schedule) ? [] : [scheduleChanges(name, before, planned(before, schedule, now))];
      }),
    ];
    const isAsSeen: Change = { kind: 'check', pk: item.pk, sk: item.sk, if: { version: item.version } };
    for (let start = 0; start < changes.length; start += changesPerCommit / 2) {
      const some = changes.slice(start, start + changesPerCommit / 2).flat();
      if ((await refusedChange(scope, [isAsSeen, ...some])) !== undefined) return;
    }
    await refusedChange(scope, [removeAsRead(item)]);
  };
}

function isSame(row: ScheduleRow | undefined, { cron, timezone }: BlockSchedule): boolean {
  return row !== undefined && row.cron === cron && row.timezone === timezone;
}

/** A new or changed schedule: what was due before `now` is not. */
function planned(
  before: Pick<Row<ScheduleRow>, 'value'> | undefined,
  { cron, timezone }: BlockSchedule,
  now: number,
): ScheduleRow {
  const { last, paused } = before?.value ?? {};
  return { cron, timezone, next: nextDue({ cron, timezone }, now), paused, last };
}

interface LastDue extends Omit<NonNullable<ShownSchedule['last']>, 'due'> {
  /** Milliseconds since the epoch. */
  readonly due: number;
}

interface ScheduleRow extends CronTime {
  /** Milliseconds since the epoch; left out where no time is due any more. */
  readonly next?: number | undefined;
  readonly paused?: true | undefined;
  readonly last?: LastDue | undefined;
  /** A due time whose runs begin in one workspace after the other: `after` is the last one's code. */
  readonly beginning?: { readonly due: number; readonly after: string; readonly code: string | undefined };
}

const schedulePartition = 'schedule';

/** By the name of the block, in the scope of the org. */
const schedules = table(
  (block: string) => ({ pk: schedulePartition, sk: block }),
  json<ScheduleRow>('schedule', { cron: 'string', timezone: 'string' }),
);

const duePrefix = 'schedule;';

export const scheduleJob = 'schedule';

function dueName(block: string): string {
  return duePrefix + block;
}

/** A row, and what is due by it. @param before the row as it was read; undefined where there was none. */
function scheduleChanges(
  block: string,
  before: Row<ScheduleRow> | undefined,
  row: ScheduleRow,
  at = row.next,
): readonly Change[] {
  const put = before === undefined ? schedules.insert(block, row) : schedules.replace(before, row);
  if (at === undefined || row.paused === true) return [put, undue(block)];
  const due: Due = { at, queue: 'automation' };
  return [put, timers.put(dueName(block), { job: scheduleJob }, { if: 'any', due })];
}

function undue(block: string): Change {
  return timers.remove(dueName(block), 'any');
}

const rowsPerRead = 100;

export async function allSchedules(scope: Scope): Promise<ReadonlyMap<string, Row<ScheduleRow>>> {
  const all = new Map<string, Row<ScheduleRow>>();
  for await (const item of eachItem(scope, schedulePartition, rowsPerRead))
    all.set(item.sk, schedules.row(scope, item));
  return all;
}
