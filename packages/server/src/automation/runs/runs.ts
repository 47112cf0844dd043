/** The start of a run, by a call or by itself, and the way a process takes it up. */
import type { ConfigSet } from '../../config/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import type { MailOut } from '../../mail/mailer.ts';
import type { EventOrigin, RecordRuntime } from '../../records/port.ts';
import type { Change } from '../../store/port.ts';
import { type Row, removeAsRead } from '../../store/table.ts';
import { attemptCommit, ignoreConflict, overtaken } from '../../store/transact.ts';
import type { Workspace } from '../../tenancy/port.ts';
import type { DueHandler, DueWork } from '../../work/due-work.ts';
import { Lease, LeaseLost } from '../../work/lease.ts';
import { orgScope, type SharedDeps } from '../automation-deps.ts';
import { blockFailure } from '../blocks/block-failure.ts';
import type { BlockCaller, RunCallers } from '../blocks/caller-effects.ts';
import { checkInput } from '../blocks/interpret.ts';
import { liveBlock, pinnedVersions, type StoredBlocks } from '../blocks/stored-blocks.ts';
import { type ChainHeader, chainDepthMax, chainRefusal } from '../chain-header.ts';
import { readyWorkspace } from '../suspensions.ts';
import {
  closeRun,
  type EndingDeps,
  type ExecuteDeps,
  type Executed,
  errorOf,
  executeRun,
  failRun,
  putSummary,
} from './execute-run.ts';
import { leaseMilliseconds, RunJournal, runLease } from './journal.ts';
import { assertCanStart, assertMayStart } from './run-bounds.ts';
import {
  countSteps,
  dueRun,
  isOver,
  type OpenRunRows,
  type Run,
  type RunGiven,
  type RunUser,
  runOfDue,
  storedRuns,
} from './run-rows.ts';

export interface StartRunRequest {
  readonly workspace: Workspace;
  /** The configuration whose blocks the run keeps to. */
  readonly config: ConfigSet;
  readonly block: string;
  readonly trigger: Run['trigger'];
  readonly input: unknown;
  readonly given?: RunGiven;
  /** A UUIDv7. The same id is the same run. */
  readonly id: string;
  /** The writes that led to it: without an event, a depth of 0. */
  readonly origin: EventOrigin;
  readonly user: RunUser;
}

interface StartDeps extends Pick<SharedDeps, 'clock' | 'meter'> {
  readonly blocks: StoredBlocks;
  readonly runRows: OpenRunRows;
}

/** @throws Problem `not_found` where there is no live block of the name. */
async function newRun({ clock, blocks }: Pick<StartDeps, 'clock' | 'blocks'>, ask: StartRunRequest): Promise<Run> {
  const { workspace, config, block, trigger, input, given, id, origin, user } = ask;
  const pinned = await pinnedVersions(blocks, config, { place: workspace, name: block });
  const version = pinned[block];
  if (version === undefined) throw notFound();
  const now = clock.now();
  return {
    ...{ id, block, trigger, input, user },
    ...(given === undefined ? {} : { given }),
    version,
    blocks: pinned,
    state: 'running',
    ...{ depth: origin.depth, chain: origin.chain },
    started_at: timestamp(now),
    now,
    ...{ taken: 0, stalled: 0, steps: 0 },
  };
}

/**
 * Stores a run that a process takes up at once.
 * @param along what else is in the commit.
 * @throws Problem `conflict` where the id is that of a run of another block, or of another version of it; `rate_limited`,
 * `plan_limit_exceeded`, which may be gone later.
 */
export async function startRun(
  deps: StartDeps,
  ask: StartRunRequest,
  along: readonly Change[] = [],
): Promise<{ readonly id: string; readonly isNew: boolean }> {
  const { scope } = ask.workspace;
  const run = await newRun(deps, ask);
  assertCanStart(run);
  const { id } = run;
  for (;;) {
    const started = (await storedRuns.read(scope, id))?.value;
    if (started !== undefined) {
      if (started.block === run.block && started.version === run.version) return { id, isNew: false };
      throw new Problem('conflict', `run \`${id}\` is one of another block, or of another version of it`);
    }
    await deps.meter.check(ask.workspace.orgCode, 'runs');
    await assertMayStart(scope);
    const changes = [deps.runRows(scope).insert(run), dueRun(id, deps.clock.now()), ...along];
    const attempt = await attemptCommit(scope, changes);
    if ('committed' in attempt) {
      deps.meter.add(ask.workspace, 'runs', 1);
      return { id, isNew: true };
    }
    if (attempt.refusedAt > 0) throw overtaken();
  }
}

/** The parts that deliveries, schedules and hooks need of modules opened after them. */
export interface AutomationWork {
  readonly runtime: RecordRuntime;
  readonly callers: RunCallers;
  /**
   * Stores a run and has it taken up. @param along the other changes of the commit.
   * @throws Problem `not_found`, `conflict`, `block_failed`, `rate_limited`.
   */
  start(ask: StartRunRequest, along?: readonly Change[]): Promise<{ readonly id: string; readonly isNew: boolean }>;
  readonly chain: ChainHeader;
  /** Undefined where the platform sends no mail. */
  readonly mail: MailOut | undefined;
}

interface BlockCommand {
  readonly name: string;
  /** The contents of the path after the name; empty where nothing does. */
  readonly path: string;
  readonly input: unknown;
  readonly requestId: string;
  /** The blocks of this version are run, to the end. */
  readonly config: ConfigSet;
}

/** The outcome of a call: what the block returns, the run that waits, or why a run ended that had done something. */
type BlockOutcome = { readonly returns: unknown } | { readonly run: string } | { readonly refusal: Problem };

export function createLogicBlocks(deps: RunsDeps) {
  return {
    /**
     * Runs a block in the name of its caller, and gives what it returns.
     * @throws Problem `not_found`, `validation_failed`, `unknown_field`, `block_failed`; that of the step that is refused.
     */
    run: async (caller: BlockCaller & { readonly who: RunUser }, command: BlockCommand): Promise<BlockOutcome> => {
      const { name, path, input, requestId, config } = command;
      const { workspace, who } = caller;
      const block = await liveBlock(deps.blocks, { config, place: workspace }, name);
      if (block === undefined) throw notFound();
      checkInput(block, input);
      const at = timestamp(deps.clock.now());
      const event = { id: requestId, type: 'logicblock.call', timestamp: at, depth: 1, path };
      const trigger = { kind: 'call', id: requestId } as const;
      const request = { workspace, config, block: name, trigger, input, given: { event }, origin: none, user: who };
      const { run, returns, refusal, isStored } = await callBlock(deps, request, caller);
      if (refusal !== undefined && !isStored) throw refusal;
      if (refusal !== undefined) return { refusal: ofRun(run.id, refusal) };
      return isOver(run) || !isStored ? { returns } : { run: run.id };
    },
  };
}

const none: EventOrigin = { depth: 0, chain: [] };

function ofRun(run: string, { code, message, details, cause }: Problem): Problem {
  return new Problem(code, message, { ...details, run }, cause);
}

export interface RunsDeps extends EndingDeps, ExecuteDeps {
  /** Names the process in what it leases. */
  readonly nodeId: string;
  readonly callers: RunCallers;
}

/** The number of starts without a further step that ends a run: it would fail for the same reason again. */
const stalledMax = 5;

interface CalledRun extends Executed {
  /** Whether there is anything of the run: a run that neither wrote nor waited leaves nothing. */
  readonly isStored: boolean;
}

/** Runs a block while its caller waits. @throws Problem that kept a run from its beginning, and what is no refusal. */
export async function callBlock(
  deps: RunsDeps,
  ask: Omit<StartRunRequest, 'id'>,
  caller: BlockCaller,
): Promise<CalledRun> {
  const { workspace } = ask;
  const run = await newRun(deps, { ...ask, id: deps.newId() });
  await deps.meter.check(workspace.orgCode, 'runs');
  deps.meter.add(workspace, 'runs', 1);
  const journal = new RunJournal({ ...deps, workspace }, run);
  try {
    const executed = await executeRun(deps, { journal, workspace, caller, isAwaited: true });
    // The outcome of the run is stored, so that is the answer. The worker that takes it up does the rest.
    if (journal.isStored) await settle(deps, workspace, journal).catch(() => release(deps, workspace, journal));
    return { ...executed, isStored: journal.isStored };
  } catch (error) {
    if (error instanceof LeaseLost) return lost(workspace, journal);
    if (journal.isStored) await release(deps, workspace, journal);
    throw error;
  }
}

/** The fault that stopped this process need not stop the next one, which does not wait for the lease. */
async function release({ clock }: RunsDeps, { scope }: Workspace, { run }: RunJournal): Promise<void> {
  await scope.commit([{ ...dueRun(run.id, clock.now()), if: 'present' }]).catch(() => undefined);
}

/**
 * The state of a run that another process has taken. It is an answer, not a failure: a request that is sent again
 * must not do once more what the run did.
 */
async function lost({ scope }: Workspace, { run }: RunJournal): Promise<CalledRun> {
  const existing = (await storedRuns.read(scope, run.id))?.value;
  const refusal = existing?.state === 'cancelled' ? new Problem('conflict', 'the run was cancelled') : undefined;
  return { run, isStored: true, ...(refusal && { refusal }) };
}

/** Takes up a run that is due: it begins, has waited, or its process died. */
export function runHandler(deps: RunsDeps): DueHandler {
  return async (work) => {
    const { scope, item } = work;
    const workspace = await workspaceOf(deps, work);
    const row = workspace === undefined ? undefined : await deps.runRows(scope).read(runOfDue(item));
    if (workspace === undefined || row === undefined)
      return void (await scope.commit([removeAsRead(item)]).catch(ignoreConflict));
    if (isOver(row.value)) return closeRun(deps, workspace, { run: row.value });
    const restsUntil = await deps.suspensions.restsUntil(workspace);
    if (restsUntil !== undefined)
      return scope
        .commit([{ ...dueRun(row.value.id, restsUntil), if: { version: item.version } }], { priority: 'background' })
        .then(() => undefined, ignoreConflict);
    const journal = await takeUp(deps, { workspace, row, work });
    if (journal === undefined) return;
    try {
      await resume(deps, workspace, journal);
      await settle(deps, workspace, journal);
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
    }
  };
}

async function workspaceOf(
  deps: RunsDeps,
  { env, orgCode, tenantCode, scope }: DueWork,
): Promise<Workspace | undefined> {
  if (tenantCode === undefined) return undefined;
  return readyWorkspace({ env, orgCode, tenantCode, scope, orgScope: orgScope(deps, { env, orgCode }) });
}

/** Undefined where another process was faster. */
async function takeUp(
  deps: RunsDeps,
  { workspace, row, work }: { readonly workspace: Workspace; readonly row: Row<Run>; readonly work: DueWork },
): Promise<RunJournal | undefined> {
  const { scope } = workspace;
  const { value: run } = row;
  const steps = await countSteps(scope, run.id);
  const isStalled = run.state === 'running' && run.taken > 0 && steps === run.steps;
  const taken: Run = {
    ...run,
    state: 'running',
    taken: run.taken + 1,
    stalled: isStalled ? run.stalled + 1 : 0,
    steps,
  };
  const parts = { ...deps, workspace };
  const until = deps.clock.now() + leaseMilliseconds;
  const due = { ...dueRun(run.id, until, deps.nodeId), if: { version: work.item.version } };
  const lease = await Lease.take(runLease(parts, taken), row, [deps.runRows(scope).replace(row, taken), due]);
  if (lease === undefined) return undefined;
  const journal = new RunJournal(parts, taken, lease);
  await journal.load();
  return journal;
}

async function resume(deps: RunsDeps, workspace: Workspace, journal: RunJournal): Promise<void> {
  const { run } = journal;
  await putSummary(deps, workspace, run);
  try {
    if (run.depth > chainDepthMax) throw blockFailure(chainRefusal('writes', [...run.chain, run.block]));
    if (run.stalled >= stalledMax)
      throw new Problem('internal_error', `the run was begun ${stalledMax} times without coming further`);
    const caller = await deps.callers.as(run.user, workspace, run.id, run.block);
    await executeRun(deps, { journal, workspace, caller, isAwaited: false });
  } catch (error) {
    if (!(error instanceof Problem) || error.code === 'unavailable') throw error;
    await failRun(journal, deps.clock, { error: errorOf(error) });
  }
}

async function settle(deps: RunsDeps, workspace: Workspace, { run, redaction }: RunJournal): Promise<void> {
  if (isOver(run)) await closeRun(deps, workspace, { run, redaction });
  else await putSummary(deps, workspace, run);
}
