/** Runs and logic blocks of an org, for its builders, and a run for the caller who began it. */
import type { logicBlocksApi } from '@freehold/contract/app/logicblocks';
import type { runsApi } from '@freehold/contract/management/runs';
import type { QueryOf, ReplyOf } from '@freehold/contract/route';
import { itemsOfKind } from '../../config/port.ts';
import { compareBytes } from '../../lib/byte-order.ts';
import { notFound } from '../../lib/problem.ts';
import type { Scope } from '../../store/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { idBefore, type OrgPlace, orgScope, type SharedDeps, workspaceScope } from '../automation-deps.ts';
import { isValuePath } from '../blocks/block-run.ts';
import { storedContents } from '../blocks/stored-blocks.ts';
import type { LiveEvents } from '../events/live-events.ts';
import type { LogicBlockContent } from '../kinds/logicblock.ts';
import { allSchedules } from '../schedules/schedules.ts';
import {
  isOver,
  type OpenRunRows,
  type Run,
  type RunRows,
  type RunStep,
  type RunSummary,
  type RunUser,
  runSummaries,
} from './run-rows.ts';

export interface RunLogDeps extends Pick<SharedDeps, 'stores' | 'cursors'> {
  readonly runRows: OpenRunRows;
}

/** A run, by the org and environment of the builder who names it. */
export interface RunName extends OrgPlace {
  readonly id: string;
}

type RunPage = ReplyOf<typeof runsApi.listRuns>;

/** A page that looks for few among many ends short, with a token for what comes after. */
const rowsReadMax = 2000;
const rowsPerRead = 200;

/** The latest first: ids are in the order of their times. @throws Problem `invalid_cursor`. */
export async function listRuns(
  deps: RunLogDeps,
  { env, orgCode, pagesize, nexttoken, since: from, ...wanted }: OrgPlace & QueryOf<typeof runsApi.listRuns>,
): Promise<RunPage> {
  const { cursors } = deps;
  const scope = orgScope(deps, { env, orgCode });
  const since = from === undefined ? undefined : Date.parse(from);
  const { block, tenant_code, state, trigger } = wanted;
  const binding = ['runs', env, orgCode, JSON.stringify([block, state, since, trigger, tenant_code])];
  let before = nexttoken === undefined ? undefined : cursors.open(nexttoken, binding);
  const after = since === undefined ? {} : { after: idBefore(since) };
  const items: RunSummary[] = [];
  for (let read = 0; read < rowsReadMax; ) {
    const limit = rowsPerRead;
    const rows = await runSummaries.range(scope, runSummaries.key('').pk, {
      ...{ reverse: true, limit, ...after },
      ...(before === undefined ? {} : { before }),
    });
    for (const { value, sk } of rows) {
      before = sk;
      if (!isWanted(value, wanted)) continue;
      items.push(value);
      if (items.length === pagesize) return { items, nexttoken: cursors.seal(sk, binding) };
    }
    read += rows.length;
    if (rows.length < limit) return { items, nexttoken: null };
  }
  return { items, nexttoken: cursors.seal(before ?? '', binding), partial: true };
}

function isWanted(
  run: RunSummary,
  wanted: Pick<QueryOf<typeof runsApi.listRuns>, 'block' | 'tenant_code' | 'state' | 'trigger'>,
): boolean {
  const { block = run.block, tenant_code = run.tenant_code, state = run.state, trigger = run.trigger.kind } = wanted;
  return run.block === block && run.tenant_code === tenant_code && run.state === state && run.trigger.kind === trigger;
}

type ShownRun = ReplyOf<typeof runsApi.readRun>;
type ShownStep = ShownRun['steps'][number];
type ShownRunError = NonNullable<ShownStep['error']>;

const stepsShownMax = 500;
const charactersShownMax = 4 * 1024 * 1024;

/**
 * Values are shown in the test environment only, where builders may read every record, and once the run is over and closed:
 * until then it is not known which of them are values of encrypted fields.
 * @throws Problem `not_found`.
 */
export async function showRun(deps: Omit<RunLogDeps, 'cursors'>, name: RunName): Promise<ShownRun> {
  const { env, id } = name;
  const summary = await runSummaries.read(orgScope(deps, name), id);
  if (summary === undefined) throw notFound();
  const { tenant_code } = summary.value;
  const stored = deps.runRows(workspaceScope(deps, name, tenant_code));
  const row = await stored.read(id);
  if (row === undefined) throw notFound();
  const { value: run, due } = row;
  const showsValues = env === 'test' && isOver(run) && due !== undefined;
  return { ...shownRun(run, showsValues), tenant_code, ...(await shownSteps(stored, id, showsValues)) };
}

function shownRun(run: Run, showsValues: boolean): Omit<ShownRun, 'steps' | 'has_more_steps' | 'tenant_code'> {
  const { id, block, version, trigger, state, started_at, ended_at, user, depth, chain, error, input, returns } = run;
  const { retried_as, is_redacted, failed_passes } = run;
  return {
    ...{ id, block, version, trigger, state, started_at, ended_at, failed_passes, user, depth, chain, retried_as },
    error: error && (showsValues ? error : withoutMessage(error)),
    ...(showsValues && { input, returns }),
    redacted: is_redacted,
  };
}

async function shownSteps(
  stored: RunRows,
  id: string,
  showsValues: boolean,
): Promise<Pick<ShownRun, 'steps' | 'has_more_steps'>> {
  const steps: ShownStep[] = [];
  let left = charactersShownMax;
  for await (const rows of stored.steps(id))
    for (const { sk: path, value, due } of rows) {
      if (isValuePath(path)) continue;
      const step = { path, ...(showsValues && due !== undefined ? value : withoutValues(value)) };
      left -= JSON.stringify(step).length;
      if (steps.length === stepsShownMax || left < 0) return { steps, has_more_steps: true };
      steps.push(step);
    }
  return { steps, has_more_steps: false };
}

function withoutValues({ output: _output, log: _log, error, ...step }: RunStep): Omit<ShownStep, 'path'> {
  return { ...step, error: error && withoutMessage(error) };
}

/** A sentence may hold values of the workspace. */
function withoutMessage({ message: _, ...error }: ShownRunError): ShownRunError {
  return error;
}

type OwnRun = ReplyOf<typeof logicBlocksApi.readOwnRun>;

/**
 * A run, for the caller who began it by a call. What it gave is shown as the call would have been answered, once it is
 * closed: without values of encrypted fields. A run that an event began may have seen what its user may not read, so it
 * is shown to builders alone.
 * @throws Problem `not_found`, also for a run of another caller.
 */
export async function ownRun(
  runRows: OpenRunRows,
  { scope }: Workspace,
  { id, who }: { readonly id: string; readonly who: RunUser },
): Promise<OwnRun> {
  const row = await runRows(scope).read(id);
  if (row === undefined || row.value.trigger.kind !== 'call' || !isSame(row.value.user, who)) throw notFound();
  const { block, state, started_at, ended_at, returns, error } = row.value;
  const isClosed = isOver(row.value) && row.due !== undefined;
  return {
    ...{ id, block, state, started_at, ended_at },
    ...(isClosed && state === 'done' && { returns: returns ?? null }),
    error: error && (isClosed ? error : { code: error.code }),
  };
}

/** A builder who acts for a user has calls of his own. */
function isSame(user: RunUser, who: RunUser): boolean {
  return user.kind !== 'app' && user.kind === who.kind && user.id === who.id && user.act === who.act;
}

type BlockPage = ReplyOf<typeof runsApi.listLogicBlocks>;

export interface BlockListDeps extends Pick<SharedDeps, 'stores' | 'configs' | 'cursors'> {
  readonly liveEvents: Pick<LiveEvents, 'byBlock'>;
}

/** @throws Problem `invalid_cursor`. */
export async function listBlocks(
  deps: BlockListDeps,
  place: OrgPlace,
  { q: query = '', pagesize, nexttoken }: QueryOf<typeof runsApi.listLogicBlocks>,
): Promise<BlockPage> {
  const { configs, cursors, liveEvents } = deps;
  const { env, orgCode } = place;
  const q = query.trim().toLowerCase();
  const binding = ['logic blocks', env, orgCode, q];
  const after = nexttoken === undefined ? '' : cursors.open(nexttoken, binding);
  const scope = orgScope(deps, place);
  const config = await configs[env].refresh(orgCode);
  const found = itemsOfKind(config, 'logicblock')
    .filter(({ name }) => name.includes(q) && compareBytes(name, after) > 0)
    .toSorted((left, right) => compareBytes(left.name, right.name));
  const page = found.slice(0, pagesize);
  const events = await liveEvents.byBlock(config, place);
  const schedules = await allSchedules(scope);
  const last = await lastRuns(scope);
  const items: BlockPage['items'][number][] = [];
  for await (const { name, version, content } of storedContents(scope, page)) {
    if (content === undefined) throw new Error(`a version of the logic block ${name} is missing`);
    const { schedule, ...facts } = factsIn(content);
    items.push({
      ...{ name, version, ...facts },
      schedule: schedule && { ...schedule, paused: schedules.get(name)?.value.paused === true },
      events: events.get(name) ?? [],
      last_run: last.get(name) ?? null,
    });
  }
  const { name: lastName } = page.at(-1) ?? {};
  const hasMore = lastName !== undefined && found.length > page.length;
  return { items, nexttoken: hasMore ? cursors.seal(lastName, binding) : null };
}

function factsIn(content: LogicBlockContent) {
  const { description, run_as = 'caller', transaction = false, steps, schedule, hook } = content;
  // Without policies of its own a block is not begun without a caller.
  const isOfApp = run_as === 'app';
  return {
    ...{ description, run_as, transaction, steps: steps.length },
    schedule: schedule === undefined || !isOfApp ? null : { cron: schedule.cron, timezone: schedule.timezone },
    hook: hook !== undefined && isOfApp,
  };
}

const runsRead = 1000;
const runsPerRead = 200;

/** The latest run of each block among the last runs of the org: ids are in the order of their times. */
async function lastRuns(scope: Scope): Promise<ReadonlyMap<string, Pick<RunSummary, 'id' | 'state' | 'started_at'>>> {
  const last = new Map<string, Pick<RunSummary, 'id' | 'state' | 'started_at'>>();
  let before: string | undefined;
  for (let read = 0; read < runsRead; ) {
    const rows = await runSummaries.range(scope, runSummaries.key('').pk, {
      ...{ reverse: true, limit: runsPerRead },
      ...(before === undefined ? {} : { before }),
    });
    for (const {
      sk,
      value: { id, block, state, started_at },
    } of rows) {
      before = sk;
      if (!last.has(block)) last.set(block, { id, state, started_at });
    }
    read += rows.length;
    if (rows.length < runsPerRead) break;
  }
  return last;
}
