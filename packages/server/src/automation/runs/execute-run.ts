import { type Clock, timestamp } from '../../lib/clock.ts';
import type { IdSource } from '../../lib/ids.ts';
import { Problem } from '../../lib/problem.ts';
import type { RecordRuntime } from '../../records/port.ts';
import { TooLarge } from '../../store/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { atStep, blockFailure, stepErrorOf } from '../blocks/block-failure.ts';
import type { BlockCaller } from '../blocks/caller-effects.ts';
import { interpret } from '../blocks/interpret.ts';
import type { StoredBlocks } from '../blocks/stored-blocks.ts';
import type { ScriptRunner } from '../scripts/script-runner.ts';
import type { Suspensions } from '../suspensions.ts';
import type { RunJournal } from './journal.ts';
import { runBlindly } from './redaction.ts';
import { assertFits } from './run-bounds.ts';
import { type CollectedWrite, type OutsideDeps, RunEffects, Suspended } from './run-effects.ts';
import type { Run, RunError, RunStep } from './run-rows.ts';

export interface ExecuteDeps extends OutsideDeps {
  readonly runtime: RecordRuntime;
  readonly clock: Clock;
  readonly newId: IdSource;
  readonly blocks: StoredBlocks;
  readonly scripts: Pick<ScriptRunner, 'run'>;
  readonly suspensions: Suspensions;
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
 * @throws RunLost, and what is no refusal: then the run stands as it is, and is taken up again.
 */
export async function executeRun(
  deps: ExecuteDeps,
  { journal, workspace, caller, isAwaited }: Execution,
): Promise<Executed> {
  const { runtime, clock, scripts, http, mail, meter } = deps;
  const { run } = journal;
  const { env, orgCode } = workspace;
  const block = async (name: string) => {
    const version = run.blocks[name];
    const found = version === undefined ? undefined : await deps.blocks.at({ env, orgCode, name, version });
    if (found === undefined) throw blockFailure(`there is no logic block \`${name}\``);
    return found;
  };
  const begun = await block(run.block);
  const called = async (name: string) => {
    const found = await block(name);
    if (found.isTransaction && !begun.isTransaction)
      throw blockFailure(`logic block \`${name}\` is a transaction, which only transactions call`);
    if (begun.isTransaction && found.catches === true)
      throw blockFailure(`logic block \`${name}\` has \`on_error\`, and a transaction catches no errors`);
    return found;
  };
  const place = { caller, origin: { depth: run.depth, chain: [...run.chain, run.block] } };
  const effects = new RunEffects({
    ...{ runtime, clock, workspace, journal, place, scripts, http, mail, meter, block: called },
    ...(begun.isTransaction ? { newId: deps.newId } : {}),
    ...(isAwaited ? {} : { restsUntil: () => deps.suspensions.restsUntil(workspace) }),
  });
  try {
    const returns = await interpret(begun, startOf(run, workspace, caller), effects);
    // What neither wrote nor waited leaves nothing.
    const { collected } = effects;
    if (journal.isStored || collected.length > 0) {
      assertFits(returns, 'a run that wrote or waited may return');
      const done = over(journal, clock, { state: 'done', returns, ...effects.failures });
      if (collected.length === 0) await journal.end(done, clock.now());
      else await writeTogether(deps, journal, { done, writes: collected });
    }
    return { run: journal.run, returns };
  } catch (error) {
    if (error instanceof Suspended) {
      await journal.end({ ...journal.run, state: 'waiting' }, journal.earliestWait());
      return { run: journal.run };
    }
    const refusal = refusalOf(error, journal);
    if (refusal === undefined) throw error;
    if (!journal.isStored) return { run, refusal };
    const laterAt = isAwaited ? undefined : triedAgainAt(refusal, journal.run, clock.now());
    if (laterAt !== undefined) {
      await journal.end({ ...journal.run, state: 'waiting' }, laterAt);
      return { run: journal.run };
    }
    const failed = errorOf(refusal);
    const steps = failedStep(effects, { journal, clock }, failed);
    await failRun(journal, clock, { error: failed, steps, ...effects.failures });
    return { run: journal.run, refusal };
  } finally {
    effects.release();
  }
}

/** Of a run that no caller waits for, since its beginning. */
const triedAgainMilliseconds = 86_400_000;
const pauseMillisecondsMax = 5 * 60_000;

/** When a step is tried again that is refused because others of the org wait; undefined where the run fails of it. */
function triedAgainAt({ code }: Problem, { started_at, taken }: Run, now: number): number | undefined {
  if (code !== 'rate_limited') return undefined;
  const at = now + Math.min(1000 * 2 ** taken, pauseMillisecondsMax);
  return at < Date.parse(started_at) + triedAgainMilliseconds ? at : undefined;
}

/** What the platform cannot do now is tried again. What is too large for a commit would be so each time. */
function refusalOf(error: unknown, { isStored }: RunJournal): Problem | undefined {
  if (error instanceof TooLarge && isStored)
    return new Problem('body_too_large', 'the run would write more than one commit takes', {}, error);
  return error instanceof Problem && error.code !== 'unavailable' ? error : undefined;
}

/** Ends a run as failed: without its values, where they are too large to be stored. @throws RunLost */
export async function failRun(
  journal: RunJournal,
  clock: Clock,
  {
    steps,
    ...end
  }: Pick<Run, 'failed_passes'> & { readonly error: RunError; readonly steps?: ReadonlyMap<string, RunStep> },
): Promise<void> {
  const failed = over(journal, clock, { state: 'failed', ...end });
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

/** @throws Problem of the write that is refused, with its step. */
async function writeTogether(
  { runtime, clock }: ExecuteDeps,
  journal: RunJournal,
  { done, writes }: { readonly done: Run; readonly writes: readonly CollectedWrite[] },
): Promise<void> {
  const steps = new Map(
    writes.map(({ path, note: { began, ...note }, allowed }): [string, RunStep] => [
      path,
      {
        ...note,
        state: 'done',
        at: timestamp(began),
        ms: clock.now() - began,
        output: { id: note.record },
        ...(allowed.secrets.length === 0 ? {} : { has_secrets: true as const }),
      },
    ]),
  );
  const operations = writes.map(({ allowed }) => allowed.operation);
  const refused = (index: number, problem: Problem) => atStep(writes[index]?.note.id ?? '', problem);
  await journal.effectAtEnd({ ended: done, steps }, (along) => runtime.write(operations, { along, refused }));
}

/** The run as it is when it is over. What is stored and shown of it has no values of encrypted fields. */
function over(
  { run, redaction }: RunJournal,
  clock: Clock,
  end: Pick<Run, 'state' | 'returns' | 'error' | 'failed_passes'>,
): Run {
  const ended: Run = { ...run, ...end, ended_at: timestamp(clock.now()) };
  if (redaction.isBlind) return runBlindly(ended);
  const { input, given, returns, error } = redaction.of(ended) as Run;
  const shown = {
    input,
    ...(given === undefined ? {} : { given }),
    ...(returns === undefined ? {} : { returns }),
    ...(error === undefined ? {} : { error }),
    ...(redaction.isUsed ? { is_redacted: true as const } : {}),
  };
  return { ...ended, ...shown };
}

/** By the block's own code where it has one. */
export function errorOf(problem: Problem): RunError {
  const { code, message } = stepErrorOf(problem);
  const { step } = problem.details;
  return { code, message, ...(typeof step === 'string' ? { step } : {}) };
}

/** The step that failed, if it reached out: others have no row. */
function failedStep(
  { begun }: RunEffects,
  { journal, clock }: { readonly journal: RunJournal; readonly clock: Clock },
  error: RunError,
): ReadonlyMap<string, RunStep> {
  if (begun === undefined || begun.note.id !== error.step || journal.step(begun.path) !== undefined) return new Map();
  const { began, ...note } = begun.note;
  const step: RunStep = { ...note, state: 'failed', at: timestamp(began), ms: clock.now() - began, error };
  return new Map([[begun.path, step]]);
}
