import type { CompiledAccess } from '../../access/port.ts';
import type { IdSource } from '../../lib/ids.ts';
import { Problem } from '../../lib/problem.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import type { RecordRuntime, RecordTransaction } from '../../records/port.ts';
import { laneOf, type Workspace } from '../../tenancy/port.ts';
import { blockFailure } from '../blocks/block-failure.ts';
import { type BlockCaller, readAs } from '../blocks/caller-effects.ts';
import type {
  CompiledBlock,
  CompiledStep,
  Done,
  Effects,
  EntityStep,
  HttpDone,
  ScriptStep,
  ScriptValue,
  StepName,
} from '../blocks/effects.ts';
import type { HttpAsk, MailAsk } from '../blocks/outside.ts';
import { logOfFailure, runScriptStep } from '../blocks/script-step.ts';
import { outsideOfTransactions } from '../kinds/logicblock-steps.ts';
import { allowedWrite, secretsOf } from '../runs/entity-steps.ts';
import { errorOf } from '../runs/execute-run.ts';
import type { Redaction } from '../runs/redaction.ts';
import { assertMail } from '../runs/run-bounds.ts';
import type { RunError } from '../runs/run-rows.ts';
import { callerIn, explainReads } from '../runs/transactions/caller-in.ts';
import { LogBudget, type ScriptLog } from '../scripts/script-log.ts';
import type { ScriptRunner } from '../scripts/script-runner.ts';

/** What a step of a draft came to. */
export interface DraftStep {
  readonly path: string;
  readonly id: string;
  readonly type: string;
  readonly ms: number;
  /** What it asked for, of a step that reaches out. */
  readonly input?: unknown;
  readonly output: unknown;
  /** What its script wrote. */
  readonly log?: ScriptLog;
  /** Why it was refused. */
  readonly error?: RunError;
  /** It would have had an effect. */
  readonly skipped: boolean;
}

export interface DraftEffectsDeps {
  /** It reads and judges, and has nothing that writes. */
  readonly runtime: Pick<RecordRuntime, 'get' | 'query' | 'list' | 'rehearse'>;
  readonly workspace: Workspace;
  readonly caller: BlockCaller;
  readonly newId: IdSource;
  readonly scripts: Pick<ScriptRunner, 'run'>;
  readonly redaction: Redaction;
  /** Milliseconds since the epoch: that of the draft for scripts, and the present. */
  readonly began: number;
  readonly now: () => number;
  readonly block: (name: string) => Promise<CompiledBlock>;
  /** Where the block is one: it has what later steps are to see, and is never committed. */
  readonly transaction?: Omit<RecordTransaction, 'commit'>;
  /** Ends the draft before its next step, with its reason. */
  readonly signal: AbortSignal;
}

/** Does what reads and computes, and judges what would write, which is not done. */
export class DraftEffects implements Effects {
  readonly steps: DraftStep[] = [];
  readonly isInOrder?: true;
  readonly #deps: DraftEffectsDeps;
  readonly #yield: () => Promise<void> | undefined;
  readonly #skipped = new Set<string>();
  readonly #inputs = new Map<string, unknown>();
  readonly #logs = new Map<string, ScriptLog>();
  /** Why steps were refused that were caught. */
  readonly #caught = new Map<string, RunError>();
  readonly #logBudget = new LogBudget();

  constructor(deps: DraftEffectsDeps) {
    this.#deps = deps;
    if (deps.transaction !== undefined) this.isInOrder = true;
    this.#yield = createYielder(laneOf(deps.workspace));
  }

  pause(): Promise<void> | undefined {
    this.#deps.signal.throwIfAborted();
    return this.#yield();
  }

  block(name: string): Promise<CompiledBlock> {
    return this.#deps.block(name);
  }

  async watched(path: string, { id, type }: CompiledStep, work: () => Done | Promise<Done>): Promise<Done> {
    const { now } = this.#deps;
    const began = now();
    const came = (output: unknown, error = this.#caught.get(path)): void => {
      const input = this.#inputs.get(path);
      const log = this.#logs.get(path);
      this.steps.push({
        ...{ path, id, type, ms: Math.max(now() - began, 0), output, skipped: this.#skipped.has(path) },
        ...(input === undefined ? {} : { input }),
        ...(log === undefined ? {} : { log }),
        ...(error === undefined ? {} : { error }),
      });
    };
    try {
      const done = await work();
      came(done.value);
      return done;
    } catch (error) {
      // A step that has another one within it is refused with that one.
      const isInner = error instanceof Problem && error.details.step === undefined;
      if (isInner && error.code !== 'unavailable') came(undefined, errorOf(error));
      throw error;
    }
  }

  refused(path: string, _step: StepName, problem: Problem): void {
    this.#caught.set(path, errorOf(problem));
  }

  entity(path: string, step: EntityStep, app: CompiledAccess | undefined): Promise<unknown> {
    return this.#entity(path, step, app).catch(explainReads);
  }

  async #entity(path: string, step: EntityStep, app: CompiledAccess | undefined): Promise<unknown> {
    const { runtime, newId, redaction, transaction } = this.#deps;
    const by = app === undefined ? this.#deps.caller : this.#deps.caller.asApp(app);
    const caller = transaction === undefined ? by : callerIn(transaction, by);
    if (step.type === 'get' || step.type === 'list') {
      this.#inputs.set(path, askedOf(step));
      return readAs(runtime, caller, step);
    }
    const id = step.type === 'create' ? newId() : step.record;
    redaction.hideOf(path, await secretsOf({ caller }, step));
    // Not before it is known which of its values are secret.
    this.#inputs.set(path, askedOf(step));
    const place = { caller, origin: { depth: 0, chain: [] } };
    const { operation, outputOf } = await allowedWrite(place, step, { id, numbers: new Map() });
    const record = await (transaction?.write(operation) ?? runtime.rehearse(operation));
    this.#skipped.add(path);
    return outputOf(record);
  }

  async script(path: string, { source, args }: ScriptStep): Promise<ScriptValue> {
    const { scripts, workspace, began } = this.#deps;
    const place = { env: workspace.env, org: workspace.orgCode };
    try {
      const done = await runScriptStep(scripts, { source, args, ...place, now: began, seed: `draft ${path}` });
      this.#keepLog(path, done.log);
      return done;
    } catch (error) {
      this.#keepLog(path, logOfFailure(error));
      throw error;
    }
  }

  #keepLog(path: string, log: ScriptLog | undefined): void {
    if (log !== undefined) this.#logs.set(path, this.#logBudget.take(log));
  }

  async http(path: string, { id: _, secret: _secret, ...written }: HttpAsk): Promise<HttpDone> {
    this.#inputs.set(path, written);
    this.#send(path);
    return { value: { status: 200, headers: {}, body: null }, milliseconds: 0 };
  }

  async mail(path: string, { id: _, ...written }: MailAsk): Promise<unknown> {
    this.#inputs.set(path, written);
    this.#send(path);
    assertMail(written);
    return {};
  }

  async wait(path: string): Promise<void> {
    if (this.#deps.transaction !== undefined) throw blockFailure('a transaction does not wait');
    this.#skipped.add(path);
  }

  #send(path: string): void {
    if (this.#deps.transaction !== undefined) throw blockFailure(outsideOfTransactions);
    this.#skipped.add(path);
  }
}

/** A step on records as a builder reads it. */
function askedOf(step: EntityStep): object {
  if (step.type !== 'list') {
    const { id: _, type: _type, ...asked } = step;
    return asked;
  }
  const { entity, parameters, isWhole } = step;
  return { entity, parameters: Object.fromEntries(parameters), ...(isWhole === true ? { all: true } : {}) };
}
