/** Runs whose writes are one commit: done again, and in turn, while other commits come in between. */
import type { CompiledAccess } from '../../../access/port.ts';
import { type Clock, timestamp } from '../../../lib/clock.ts';
import type { IdSource } from '../../../lib/ids.ts';
import { Problem } from '../../../lib/problem.ts';
import { createSerializer } from '../../../lib/scheduling/serializer.ts';
import { Overtaken, type RecordTransaction } from '../../../records/port.ts';
import { blockFailure } from '../../blocks/block-failure.ts';
import {
  type CompiledBlock,
  type Effects,
  type EntityStep,
  isRead,
  type ScriptStep,
  type StartValues,
} from '../../blocks/block-run.ts';
import { allowedWrite, type Creating, callerIn, explainReads, readAs, secretsOf } from '../../blocks/caller-effects.ts';
import { interpret } from '../../blocks/interpret.ts';
import { outsideOfTransactions } from '../../kinds/logicblock-steps.ts';
import type { ScriptLog } from '../../scripts/script-outcome.ts';
import { logOfFailure, runScriptStep, type ScriptValue } from '../../scripts/script-runner.ts';
import { assertFits } from '../run-bounds.ts';
import { BoundedEffects, type StartedStep, type StepDeps } from '../run-effects.ts';
import type { Run, RunStep } from '../run-rows.ts';

interface TransactionDeps extends StepDeps {
  readonly newId: IdSource;
}

interface RunTransactionDeps extends TransactionDeps {
  readonly transactions: TransactionQueue;
  /** The run as it is when it is over. @throws Problem where what it returns is not kept. */
  readonly over: (returns: unknown) => Run;
}

/**
 * Runs a block whose steps take effect together, or not at all: again from its first step while other commits come in
 * between. It does the same again with the same records: its clock, its chance and the ids that it gives stay.
 * @param attempted hears of each attempt as it begins.
 * @throws Problem, LeaseLost, TooLarge.
 */
export function runTransaction(
  deps: RunTransactionDeps,
  { block, start }: { readonly block: CompiledBlock; readonly start: StartValues },
  attempted: (effects: TransactionEffects) => void,
): Promise<unknown> {
  const { runtime, workspace, journal } = deps;
  const created = new Map<string, Creating>();
  return deps.transactions.run(`${workspace.env} ${workspace.scope.name}`, async () => {
    const transaction = runtime.transaction(workspace);
    const effects = new TransactionEffects({ ...deps, transaction, created });
    attempted(effects);
    const doSteps = async () => {
      const returns = await interpret(block, start, effects);
      const isKept = transaction.hasWritten || journal.isStored;
      return { returns, ended: isKept ? deps.over(returns) : undefined };
    };
    try {
      const { returns, ended } = await doSteps().catch(async (error: unknown) => {
        // The refusal may be due to changes that other commits have made meanwhile.
        if (error instanceof Problem) await transaction.assertReads();
        throw error;
      });
      const { steps } = effects;
      if (ended !== undefined && transaction.hasWritten)
        await journal.effectAtEnd({ ended, steps }, (along) => transaction.commit(() => along([])));
      else {
        await transaction.assertReads();
        if (ended !== undefined) await journal.end(ended, deps.clock.now(), steps);
      }
      return returns;
    } finally {
      effects.release();
    }
  });
}

interface TransactionEffectsDeps extends TransactionDeps {
  readonly transaction: RecordTransaction;
  /** By the paths of steps: what their records are called, however often the transaction is done. */
  readonly created: Map<string, Creating>;
}

/** The data that are stored of the values that steps gave, in characters: it lies in the commit of the transaction. */
const keptCharactersMax = 1024 * 1024;

/** Does the steps of a transaction once: whether they have an effect is decided behind the last of them. */
class TransactionEffects extends BoundedEffects implements Effects {
  /** Of branches beside each other the later ones see what the earlier ones wrote, each time in the same order. */
  readonly isInOrder = true;
  readonly steps = new Map<string, RunStep>();
  readonly #deps: TransactionEffectsDeps;
  #started: StartedStep | undefined;
  #kept = 0;

  constructor(deps: TransactionEffectsDeps) {
    super(deps);
    this.#deps = deps;
  }

  get started(): StartedStep | undefined {
    return this.#started;
  }

  /** The steps that would have no effect in any case. */
  get reads(): ReadonlyMap<string, RunStep> {
    return new Map([...this.steps].filter(([, step]) => isRead(step) || step.type === 'script'));
  }

  entity(path: string, step: EntityStep, app: CompiledAccess | undefined): Promise<unknown> {
    return this.#entity(path, step, app).catch(explainReads);
  }

  async #entity(path: string, step: EntityStep, app: CompiledAccess | undefined): Promise<unknown> {
    const { runtime, transaction, place, journal } = this.#deps;
    await journal.renew();
    const caller = callerIn(transaction, app === undefined ? place.caller : place.caller.asApp(app));
    const { id, type, entity } = step;
    if (isRead(step)) {
      const record = step.type === 'get' ? { record: step.record } : {};
      this.#begin(path, { id, type, entity, ...record });
      const output = await readAs(runtime, caller, step);
      assertFits(output, 'a step may give');
      this.#keep(path, output);
      return output;
    }
    const creating = this.#creating(path);
    const record: string = step.type === 'create' ? creating.id : step.record;
    this.#begin(path, { id, type, entity, record });
    const secrets = await secretsOf({ caller }, step);
    journal.redaction.hideOf(path, secrets);
    const { operation, outputOf } = await allowedWrite({ ...place, caller }, step, creating);
    const output = await outputOf(await transaction.write(operation));
    this.#keep(path, output, { output: { id: record }, ...(secrets.length === 0 ? {} : { has_secrets: true }) });
    return output;
  }

  /** A script that is done again gives the same: its clock and its chance are the run's. */
  async script(path: string, { id, source, args }: ScriptStep): Promise<ScriptValue> {
    const { scripts, workspace, journal } = this.#deps;
    const { orgCode: org, env } = workspace;
    const { run } = journal;
    await journal.renew();
    this.#begin(path, { id, type: 'script' });
    try {
      const done = await runScriptStep(scripts, { source, args, org, env, now: run.now, seed: `${run.id} ${path}` });
      this.#addLog(done.log);
      assertFits(done.value, 'a step may give');
      this.#keep(path, done.value);
      return done;
    } catch (error) {
      this.#addLog(logOfFailure(error));
      throw error;
    }
  }

  http(): Promise<never> {
    return Promise.reject(blockFailure(outsideOfTransactions));
  }

  mail(): Promise<never> {
    return Promise.reject(blockFailure(outsideOfTransactions));
  }

  wait(): Promise<never> {
    return Promise.reject(blockFailure('a transaction does not wait'));
  }

  #creating(path: string): Creating {
    const { created, newId } = this.#deps;
    const known = created.get(path) ?? { id: newId(), numbers: new Map() };
    created.set(path, known);
    return known;
  }

  #addLog(log: ScriptLog | undefined): void {
    const started = this.#started;
    if (started !== undefined) this.#started = { ...started, note: { ...started.note, ...this.keptOf(log) } };
  }

  #begin(path: string, note: Omit<StartedStep['note'], 'began'>): void {
    this.#started = { path, note: { ...note, began: this.#deps.clock.now() } };
  }

  /** @param instead what is stored where there is no room for the value. */
  #keep(path: string, output: unknown, instead: Pick<RunStep, 'output' | 'has_secrets'> = {}): void {
    if (this.#started === undefined) return;
    const { began: startedAt, ...note } = this.#started.note;
    const { output: short, ...rest } = instead;
    this.#kept += (JSON.stringify(output) ?? '').length;
    const shown = this.#kept > keptCharactersMax ? short : output;
    this.steps.set(path, {
      ...{ ...note, ...rest, state: 'done', at: timestamp(startedAt), ms: this.#deps.clock.now() - startedAt },
      ...(shown === undefined ? {} : { output: shown }),
    });
  }
}

const defaultBounds = {
  /** The number of times that a transaction is done at most. */
  attemptsMax: 10,
  /** So often it is done beside others; then after those that wait in its workspace. */
  attemptsBeside: 2,
  /** From its beginning: later it is not done again. */
  milliseconds: 10_000,
};

interface Tries {
  readonly times: number;
  readonly until: number;
  readonly before?: () => Promise<void> | undefined;
  readonly overtaken?: () => void;
}

/** Others have changed what a transaction had read, each time that it was done. */
export class ContendedTransaction extends Problem {
  constructor(cause?: unknown) {
    super('conflict', 'other writes kept changing what the transaction reads: try again', {}, cause);
  }
}

/**
 * Does transactions until no other commit comes in between. Those that meet again and again wait for each other, so that
 * one of them after the other is done. Where a transaction is overtaken in its turn too, all others of its workspace wait until it is
 * done; those of other processes, and writes outside of transactions, do not wait.
 */
export class TransactionQueue {
  readonly #clock: Clock;
  readonly #bounds: typeof defaultBounds;
  readonly #inTurn = createSerializer<string>();
  /** By workspace, the end of a turn that others have to give way to. */
  readonly #pressed = new Map<string, Promise<void>>();

  constructor(clock: Clock, bounds = defaultBounds) {
    this.#clock = clock;
    this.#bounds = bounds;
  }

  /** @param key that of a workspace. @throws ContendedTransaction, and what an attempt throws beside Overtaken. */
  async run<T>(key: string, attempt: () => Promise<T>): Promise<T> {
    const { attemptsMax, attemptsBeside, milliseconds } = this.#bounds;
    const until = this.#clock.now() + milliseconds;
    const beside = await this.#tries(attempt, { times: attemptsBeside, until, before: () => this.#pressed.get(key) });
    if ('done' in beside) return beside.done;
    const end = await this.#turn(key, until - this.#clock.now());
    if (end === undefined) throw new ContendedTransaction(beside.cause);
    const ended = Promise.withResolvers<void>();
    try {
      const overtaken = () => void this.#pressed.set(key, ended.promise);
      const alone = await this.#tries(attempt, { times: attemptsMax - attemptsBeside, until, overtaken });
      if ('done' in alone) return alone.done;
      throw new ContendedTransaction(alone.cause);
    } finally {
      this.#pressed.delete(key);
      ended.resolve();
      end();
    }
  }

  async #tries<T>(
    attempt: () => Promise<T>,
    { times, until, before, overtaken }: Tries,
  ): Promise<{ readonly done: T } | { readonly cause: unknown }> {
    let cause: unknown;
    for (let left = times; left > 0; left--) {
      await before?.();
      if (this.#clock.now() >= until) break;
      try {
        return { done: await attempt() };
      } catch (error) {
        if (!(error instanceof Overtaken)) throw error;
        cause = error;
        overtaken?.();
      }
    }
    return { cause };
  }

  /** Ends the turn; undefined where it did not come in time. */
  async #turn(key: string, milliseconds: number): Promise<(() => void) | undefined> {
    const turn = Promise.withResolvers<boolean>();
    const end = Promise.withResolvers<void>();
    const timer = setTimeout(() => turn.resolve(false), Math.max(0, milliseconds));
    void this.#inTurn(key, () => {
      turn.resolve(true);
      return end.promise;
    });
    const hasCome = await turn.promise;
    clearTimeout(timer);
    if (hasCome) return end.resolve;
    end.resolve();
    return undefined;
  }
}
