import { type Clock, timestamp } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import type { RecordRuntime } from '../../records/port.ts';
import { type Change, type Condition, type Due, type Scope, TooLarge } from '../../store/port.ts';
import { asRead } from '../../store/table.ts';
import { transact, tryCommit } from '../../store/transact.ts';
import { walk } from '../../store/walk.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { orgScope, type SharedDeps } from '../automation-deps.ts';
import { blockFailure, stepErrorOf } from '../blocks/block-failure.ts';
import type { CompiledBlock, StartValues } from '../blocks/block-run.ts';
import type { BlockCaller } from '../blocks/caller-effects.ts';
import { interpret } from '../blocks/interpret.ts';
import { assertMayCall, type StoredBlocks } from '../blocks/stored-blocks.ts';
import type { ScriptRunner } from '../scripts/script-runner.ts';
import type { Suspensions } from '../suspensions.ts';
import type { RunJournal } from './journal.ts';
import { type Redaction, runBlindly, stepBlindly } from './redaction.ts';
import { assertFits } from './run-bounds.ts';
import { type OutsideEffectsDeps, RunEffects, type StartedStep, Suspended } from './run-effects.ts';
import {
  dueRunKey,
  forgottenAt,
  isOver,
  type OpenRunRows,
  type Run,
  type RunError,
  type RunGiven,
  type RunRows,
  type RunStep,
  type RunSummary,
  runSummaries,
  stepOf,
  wroteSecrets,
} from './run-rows.ts';
import { ContendedTransaction, runTransaction, type TransactionQueue } from './transactions/run-transaction.ts';

export interface ExecuteDeps extends OutsideEffectsDeps, Pick<SharedDeps, 'clock' | 'newId'> {
  readonly runtime: RecordRuntime;
  readonly blocks: StoredBlocks;
  readonly scripts: Pick<ScriptRunner, 'run'>;
  readonly suspensions: Suspensions;
  readonly transactions: TransactionQueue;
}

export interface Executed {
  readonly run: Run;
  /** Of a run that is done, as the block has it: what is stored is redacted. */
  readonly returns?: unknown;
  readonly refusal?: Problem;
}

interface Execution {
  readonly journal: RunJournal;
  readonly workspace: Workspace;
  readonly caller: BlockCaller;
  /** Whether a caller waits for its end. */
  readonly isAwaited: boolean;
}

/**
 * Does the rest of a run, to its end or to where it has to wait.
 * @throws LeaseLost, and any error that is no refusal: then the run is left as it is, and is taken up again.
 */
export async function executeRun(deps: ExecuteDeps, execution: Execution): Promise<Executed> {
  let done: DoneSteps = { started: undefined };
  try {
    const returns = await doSteps(deps, execution, (steps) => {
      done = steps;
    });
    return { run: execution.journal.run, returns };
  } catch (error) {
    return endRefused(deps, execution, { error, done });
  }
}

/** The part of a run that was done until now, as it is stored where the run fails. */
interface DoneSteps {
  readonly started: StartedStep | undefined;
  /** Of a transaction: its steps without effect are all that was done of it. */
  readonly reads?: ReadonlyMap<string, RunStep>;
  /** The number of passes of loops that failed while it went on: a transaction catches no errors. */
  readonly failures?: Pick<Run, 'failed_passes'>;
}

/** @param beginning receives the object that does the steps, which may be done again from the first. */
async function doSteps(
  deps: ExecuteDeps,
  { journal, workspace, caller, isAwaited }: Execution,
  beginning: (steps: DoneSteps) => void,
): Promise<unknown> {
  const { clock } = deps;
  const { run } = journal;
  const blockOf = blocksOf(deps, run, workspace);
  const block = await blockOf(run.block);
  const { input, now } = run;
  const start = startOf(workspace, run.given ?? { event: null }, { user: caller.user, input, now });
  const place = { caller, origin: { depth: run.depth, chain: [...run.chain, run.block] } };
  const called = async (name: string) => {
    const found = await blockOf(name);
    assertMayCall(block, found);
    return found;
  };
  const over = (returns: unknown, failures: DoneSteps['failures'] = {}): Run => {
    assertFits(returns, 'a run that wrote or waited may return');
    return ended(journal, clock, { state: 'done', returns, ...failures });
  };
  if (block.isTransaction)
    return runTransaction({ ...deps, workspace, journal, place, block: called, over }, { block, start }, beginning);
  const restsUntil = isAwaited ? {} : { restsUntil: () => deps.suspensions.restsUntil(workspace) };
  const effects = new RunEffects({ ...deps, workspace, journal, place, block: called, ...restsUntil });
  beginning(effects);
  try {
    const returns = await interpret(block, start, effects);
    // A run that neither wrote nor waited leaves nothing.
    if (journal.isStored) await journal.end(over(returns, effects.failures), clock.now());
    return returns;
  } finally {
    effects.release();
  }
}

function blocksOf({ blocks }: ExecuteDeps, run: Run, { env, orgCode }: Workspace) {
  return async (name: string): Promise<CompiledBlock> => {
    const version = run.blocks[name];
    const found = version === undefined ? undefined : await blocks.at({ env, orgCode, name, version });
    if (found === undefined) throw blockFailure(`there is no logic block \`${name}\``);
    return found;
  };
}

/** @throws the error, where it is no refusal. */
async function endRefused(
  { clock }: ExecuteDeps,
  { journal, isAwaited }: Execution,
  { error, done }: { readonly error: unknown; readonly done: DoneSteps },
): Promise<Executed> {
  const { run } = journal;
  if (error instanceof Suspended) {
    await journal.end({ ...run, state: 'waiting' }, journal.earliestWait());
    return { run: journal.run };
  }
  const refusal = refusalOf(error, journal);
  if (refusal === undefined) throw error;
  if (!journal.isStored) return { run, refusal };
  const laterAt = isAwaited ? undefined : triedAgainAt(refusal, run, clock.now());
  if (laterAt !== undefined) {
    await journal.end({ ...run, state: 'waiting' }, laterAt);
    return { run: journal.run };
  }
  const failed = errorOf(refusal);
  const steps = new Map([...(done.reads ?? []), ...failedStep(done, { journal, clock }, failed)]);
  await failRun(journal, clock, { error: failed, steps, ...done.failures });
  return { run: journal.run, refusal };
}

/** Of a run that no caller waits for, since its beginning. */
const triedAgainMilliseconds = 86_400_000;
const pauseMillisecondsMax = 5 * 60_000;

/** The time at which a step is tried again that others' work made fail; undefined where the run fails of it. */
function triedAgainAt(refusal: Problem, { started_at, taken }: Run, now: number): number | undefined {
  if (refusal.code !== 'rate_limited' && !(refusal instanceof ContendedTransaction)) return undefined;
  const at = now + Math.min(1000 * 2 ** taken, pauseMillisecondsMax);
  return at < Date.parse(started_at) + triedAgainMilliseconds ? at : undefined;
}

/** The run is tried again where the platform is unavailable. A run too large for a commit would be so each time. */
function refusalOf(error: unknown, { isStored }: RunJournal): Problem | undefined {
  if (error instanceof TooLarge && isStored)
    return new Problem('body_too_large', 'the run would write more than one commit takes', {}, error);
  return error instanceof Problem && error.code !== 'unavailable' ? error : undefined;
}

/** Ends a run as failed: without its values, where they are too large to be stored. @throws LeaseLost */
export async function failRun(
  journal: RunJournal,
  clock: Clock,
  {
    steps,
    ...end
  }: Pick<Run, 'failed_passes'> & { readonly error: RunError; readonly steps?: ReadonlyMap<string, RunStep> },
): Promise<void> {
  const failed = ended(journal, clock, { state: 'failed', ...end });
  try {
    await journal.end(failed, clock.now(), steps);
  } catch (thrown) {
    if (!(thrown instanceof TooLarge)) throw thrown;
    await journal.end(runBlindly(failed), clock.now());
  }
}

export function startOf(
  { env, tenantId, tenantCode }: Workspace,
  { event, record, before }: RunGiven,
  of: Pick<StartValues, 'user' | 'input' | 'now'>,
): StartValues {
  return {
    ...{ event, tenant: { id: tenantId, code: tenantCode }, env, ...of },
    ...(record === undefined ? {} : { record }),
    ...(before === undefined ? {} : { before }),
  };
}

/** The run as it is when it is over. What is stored and shown of it has no values of encrypted fields. */
function ended(
  { run, redaction }: RunJournal,
  clock: Clock,
  end: Pick<Run, 'state' | 'returns' | 'error' | 'failed_passes'>,
): Run {
  const whole: Run = { ...run, ...end, ended_at: timestamp(clock.now()) };
  if (redaction.isBlind) return runBlindly(whole);
  const { input, given, returns, error } = redaction.of(whole) as Run;
  const shown = {
    input,
    ...(given === undefined ? {} : { given }),
    ...(returns === undefined ? {} : { returns }),
    ...(error === undefined ? {} : { error }),
    ...(redaction.isUsed ? { is_redacted: true as const } : {}),
  };
  return { ...whole, ...shown };
}

/** By the block's own code where it has one. */
export function errorOf(problem: Problem): RunError {
  const { code, message } = stepErrorOf(problem);
  const { step } = problem.details;
  return { code, message, ...(typeof step === 'string' ? { step } : {}) };
}

/** The step that failed, if it reached out: others have no row. */
function failedStep(
  { started }: DoneSteps,
  { journal, clock }: { readonly journal: RunJournal; readonly clock: Clock },
  error: RunError,
): ReadonlyMap<string, RunStep> {
  if (started === undefined || started.note.id !== error.step || journal.step(started.path) !== undefined)
    return new Map();
  const { began: startedAt, ...note } = started.note;
  const step: RunStep = { ...note, state: 'failed', at: timestamp(startedAt), ms: clock.now() - startedAt, error };
  return new Map([[started.path, step]]);
}

export type RunWorkspace = Pick<Workspace, 'env' | 'orgCode' | 'tenantCode' | 'scope'>;

export interface EndingDeps extends Pick<SharedDeps, 'stores' | 'clock' | 'retentionOf' | 'notify'> {
  readonly runRows: OpenRunRows;
}

/**
 * Does what is left to do for a run that is over: its steps are stored as they are shown, and expire; its org learns how
 * it ended. Until that is done the run stays due, so a process that dies in between leaves it to another.
 * @param redaction of the process that did the run; left out, what may hold values of encrypted fields is dropped.
 */
export async function closeRun(
  deps: EndingDeps,
  workspace: RunWorkspace,
  { run, redaction }: { readonly run: Run; readonly redaction?: Redaction },
): Promise<void> {
  const { scope } = workspace;
  const stored = deps.runRows(scope);
  const due = forgottenAt(deps.clock.now(), (await deps.retentionOf(workspace.orgCode)).runs);
  // Another process knew the values: what one of the steps wrote to encrypted fields may be in any of them.
  const isBlind = redaction === undefined ? await wroteSecrets(scope, run.id) : redaction.isBlind;
  const show = (step: RunStep): RunStep => {
    if (isBlind) return stepBlindly(step);
    return redaction === undefined ? step : (redaction.of(step) as RunStep);
  };
  if (redaction === undefined) await closeRow(stored, scope, { id: run.id, isBlind, due });
  const close = async (): Promise<boolean> => {
    let isWhole = true;
    for await (const rows of stored.steps(run.id)) {
      const open = rows.filter((row) => row.due === undefined);
      const puts = open.map((row): Change => {
        const step = waited(show(stepOf(row)), run);
        return stored.putStep({ run: run.id, path: row.sk }, step, { if: asRead(row), due });
      });
      if (puts.length > 0 && !(await tryCommit(scope, puts, { priority: 'background' }))) isWhole = false;
    }
    return isWhole;
  };
  // The run is due from its end on, so another process may be closing it too: what that one has done need not be done again.
  while (!(await close()));
  const isAnswered = run.trigger.kind === 'call' && run.taken === 0 && redaction !== undefined;
  // A caller who still waits learns it from the reply.
  if (run.state === 'failed' && !isAnswered)
    await deps.notify(workspace, { kind: 'run', name: run.block, code: run.error?.code }, 1);
  await putSummary(deps, workspace, run);
  await scope.commit([{ kind: 'remove', ...dueRunKey(run.id), if: 'any' }], { priority: 'background' });
}

/** A wait that was over when its run was. */
function waited(step: RunStep, { ended_at = '' }: Run): RunStep {
  return step.until !== undefined && step.until <= Date.parse(ended_at) ? { ...step, state: 'done' } : step;
}

/** A run that is begun again meanwhile is written too. */
async function closeRow(
  stored: RunRows,
  scope: Scope,
  { id, isBlind, due }: { readonly id: string; readonly isBlind: boolean; readonly due: Due },
): Promise<void> {
  const plan = async () => {
    const row = await stored.read(id);
    if (row === undefined || (row.due !== undefined && !isBlind)) return { changes: [] };
    const run = isBlind ? runBlindly(row.value) : row.value;
    return { changes: [stored.put(run, { if: asRead(row), due: row.due ?? due })] };
  };
  await transact(scope, plan, { priority: 'background' });
}

/**
 * Longer than any run waits: what a run leaves here that is never taken up again, since its workspace is gone,
 * is forgotten too.
 */
const openMilliseconds = 40 * 86_400_000;

/** The current state of the run, for the lists of its org. */
export async function putSummary(
  deps: EndingDeps,
  workspace: RunWorkspace,
  run: Run,
  condition: Condition = 'any',
): Promise<void> {
  const { id, block, trigger, state, started_at, ended_at, failed_passes, error } = run;
  const summary: RunSummary = {
    ...{ id, block, tenant_code: workspace.tenantCode, trigger, state, started_at, ended_at, failed_passes },
    // Its sentence may hold values of the workspace.
    error: error && { code: error.code, step: error.step },
  };
  const kept = isOver(run) ? (await deps.retentionOf(workspace.orgCode)).runs : openMilliseconds;
  const due = forgottenAt(deps.clock.now(), kept);
  await orgScope(deps, workspace).commit([runSummaries.put(id, summary, { if: condition, due })]);
}

const summariesPerRead = 200;

/**
 * Removes what the lists of an org show of the runs of a workspace. May be repeated.
 * @param scope that of the org in the environment.
 * @param afterPage asked after each page that was read. What it throws ends the work.
 */
export async function forgetRunsOf(scope: Scope, tenantCode: string, afterPage: () => Promise<void>): Promise<void> {
  const { pk } = runSummaries.key('');
  const read = (after: string | undefined) =>
    runSummaries.range(scope, pk, { ...(after === undefined ? {} : { after }), limit: summariesPerRead });
  for await (const rows of walk({ after: undefined }, read, ({ sk }) => sk)) {
    const gone = rows.filter(({ value }) => value.tenant_code === tenantCode);
    const removals = gone.map(({ sk }): Change => ({ kind: 'remove', pk, sk, if: 'any' }));
    if (removals.length > 0) await scope.commit(removals, { priority: 'background' });
    await afterPage();
  }
}
