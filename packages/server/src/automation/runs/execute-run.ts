import { type Clock, timestamp } from '../../lib/clock.ts';
import type { IdSource } from '../../lib/ids.ts';
import { Problem } from '../../lib/problem.ts';
import type { RecordRuntime } from '../../records/port.ts';
import { TooLarge } from '../../store/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { blockFailure, stepErrorOf } from '../blocks/block-failure.ts';
import type { BlockCaller } from '../blocks/caller-effects.ts';
import type { CompiledBlock } from '../blocks/effects.ts';
import { interpret } from '../blocks/interpret.ts';
import { assertMayCall, type StoredBlocks } from '../blocks/stored-blocks.ts';
import type { ScriptRunner } from '../scripts/script-runner.ts';
import type { Suspensions } from '../suspensions.ts';
import type { RunJournal } from './journal.ts';
import { runBlindly } from './redaction.ts';
import { assertFits } from './run-bounds.ts';
import { type BegunStep, type OutsideDeps, RunEffects, Suspended } from './run-effects.ts';
import type { Run, RunError, RunStep } from './run-rows.ts';
import { runTransaction } from './transactions/run-transaction.ts';
import { ContendedTransaction, type TransactionQueue } from './transactions/transaction-queue.ts';

export interface ExecuteDeps extends OutsideDeps {
  readonly runtime: RecordRuntime;
  readonly clock: Clock;
  readonly newId: IdSource;
  readonly blocks: StoredBlocks;
  readonly scripts: Pick<ScriptRunner, 'run'>;
  readonly suspensions: Suspensions;
  readonly transactions: TransactionQueue;
}

export interface Executed {
  readonly run: Run;
  /** Of a run that is done, as the block has it: what is stored is redacted. */
  readonly returns?: unknown;
  /** Why it failed. */
  readonly refusal?: Problem;
}

export interface Execution {
  readonly journal: RunJournal;
  readonly workspace: Workspace;
  readonly caller: BlockCaller;
  /** Whether a caller waits for its end. */
  readonly isAwaited: boolean;
}

/**
 * Does what is left of a run, to its end or to where it has to wait.
 * @throws LeaseLost, and what is no refusal: then the run stands as it is, and is taken up again.
 */
export async function executeRun(deps: ExecuteDeps, execution: Execution): Promise<Executed> {
  let done: DoneSteps = { begun: undefined };
  try {
    const returns = await doSteps(deps, execution, (steps) => {
      done = steps;
    });
    return { run: execution.journal.run, returns };
  } catch (error) {
    return endRefused(deps, execution, { error, done });
  }
}

/** What was done of a run until now, as it is stored where the run fails. */
interface DoneSteps {
  readonly begun: BegunStep | undefined;
  /** Of a transaction: what had no effect is all that was done of it. */
  readonly reads?: ReadonlyMap<string, RunStep>;
  /** How many passes of loops failed while it went on: a transaction catches no errors. */
  readonly failures?: Pick<Run, 'failed_passes'>;
}

/** @param beginning hears of what does the steps, which may be done again from the first. */
async function doSteps(
  deps: ExecuteDeps,
  { journal, workspace, caller, isAwaited }: Execution,
  beginning: (steps: DoneSteps) => void,
): Promise<unknown> {
  const { clock } = deps;
  const { run } = journal;
  const blockOf = blocksOf(deps, run, workspace);
  const block = await blockOf(run.block);
  const start = startOf(run, workspace, caller);
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
    // What neither wrote nor waited leaves nothing.
    if (journal.isStored) await journal.end(over(returns, effects.failures), clock.now());
    return returns;
  } finally {
    effects.release();
  }
}

/** The blocks that a run works by. */
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

/** When a step is tried again that is refused because of what others do; undefined where the run fails of it. */
function triedAgainAt(refusal: Problem, { started_at, taken }: Run, now: number): number | undefined {
  if (refusal.code !== 'rate_limited' && !(refusal instanceof ContendedTransaction)) return undefined;
  const at = now + Math.min(1000 * 2 ** taken, pauseMillisecondsMax);
  return at < Date.parse(started_at) + triedAgainMilliseconds ? at : undefined;
}

/** What the platform cannot do now is tried again. What is too large for a commit would be so each time. */
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

function startOf(run: Run, { env, tenantId, tenantCode }: Workspace, { user }: BlockCaller) {
  const { event, record, before } = run.given ?? { event: null };
  return {
    event,
    ...(record === undefined ? {} : { record }),
    ...(before === undefined ? {} : { before }),
    user,
    tenant: { id: tenantId, code: tenantCode },
    input: run.input,
    env,
    now: run.now,
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
  { begun }: DoneSteps,
  { journal, clock }: { readonly journal: RunJournal; readonly clock: Clock },
  error: RunError,
): ReadonlyMap<string, RunStep> {
  if (begun === undefined || begun.note.id !== error.step || journal.step(begun.path) !== undefined) return new Map();
  const { began, ...note } = begun.note;
  const step: RunStep = { ...note, state: 'failed', at: timestamp(began), ms: clock.now() - began, error };
  return new Map([[begun.path, step]]);
}
