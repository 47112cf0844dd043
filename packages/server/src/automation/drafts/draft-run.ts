/** Builders try a block that is not stored: in the test environment, with nothing written and nothing sent. */
import type { runsApi } from '@freehold/contract/management/runs';
import type { ReplyOf } from '@freehold/contract/route';
import type { CompiledAccess } from '../../access/port.ts';
import type { AuditContext } from '../../audit/audit-entry.ts';
import { timestamp } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import { createFairSlots } from '../../lib/scheduling/fair-slots.ts';
import { Overtaken, type RecordRuntime, type RecordTransaction } from '../../records/port.ts';
import { findActiveWorkspace, shareKeyOf, type Workspace } from '../../tenancy/port.ts';
import type { SharedDeps } from '../automation-deps.ts';
import { blockFailure, charactersOf, Uncaught } from '../blocks/block-failure.ts';
import {
  type CompiledBlock,
  type CompiledStep,
  type Done,
  type Effects,
  type EntityStep,
  type HttpDone,
  type HttpStepRequest,
  isRead,
  type MailStepRequest,
  type ScriptStep,
  type StepName,
} from '../blocks/block-run.ts';
import {
  allowedWrite,
  type BlockCaller,
  callerIn,
  explainReads,
  type RunCallers,
  readAs,
  secretsOf,
} from '../blocks/caller-effects.ts';
import { checkInput, interpret } from '../blocks/interpret.ts';
import { assertMayCall, compileBlock, entitiesIn, liveBlock, type StoredBlocks } from '../blocks/stored-blocks.ts';
import type { LogicBlockContent } from '../kinds/logicblock.ts';
import { outsideOfTransactions } from '../kinds/logicblock-steps.ts';
import { errorOf, startOf } from '../runs/execute-run.ts';
import { Redaction } from '../runs/redaction.ts';
import { assertMail } from '../runs/run-bounds.ts';
import type { RunError } from '../runs/run-rows.ts';
import { ContendedTransaction } from '../runs/transactions/run-transaction.ts';
import { LogBudget, type ScriptLog } from '../scripts/script-outcome.ts';
import { logOfFailure, runScriptStep, type ScriptRunner, type ScriptValue } from '../scripts/script-runner.ts';

interface DraftRunRequest {
  readonly orgCode: string;
  readonly tenantCode: string;
  /** It was checked as a definition is. */
  readonly content: LogicBlockContent;
  readonly input: unknown;
  readonly record?: unknown;
  readonly before?: unknown;
  readonly by: AuditContext;
}

export type DraftResult = ReplyOf<typeof runsApi.testLogicBlock>;

export interface DraftDeps extends Pick<SharedDeps, 'stores' | 'configs' | 'clock' | 'newId'> {
  readonly runtime: Pick<RecordRuntime, 'get' | 'query' | 'list' | 'aggregate' | 'rehearse' | 'rehearsal'>;
  readonly callers: RunCallers;
  readonly blocks: StoredBlocks;
  readonly scripts: Pick<ScriptRunner, 'run'>;
  /** From the call to its end, with what it waits for others. */
  readonly millisecondsMax?: number;
}

const shownCharactersMax = 1024 * 1024;

export function createDrafts({ millisecondsMax = 20_000, ...deps }: DraftDeps) {
  const slots = createFairSlots({ perOrg: 4, perNode: 16, waitingPerOrg: 16, what: 'tests of logic blocks' });
  return {
    /** @throws Problem `not_found`, `workspace_suspended`, `validation_failed`, `unknown_field`, `block_failed`; `rate_limited`. */
    run: async (run: DraftRunRequest): Promise<DraftResult> => {
      const ending = new AbortController();
      const message = `a test of a logic block takes at most ${millisecondsMax / 1000} seconds`;
      const timer = setTimeout(() => ending.abort(new Uncaught(blockFailure(message), 'run')), millisecondsMax);
      try {
        return await slots.run(run.orgCode, () => runDraft(deps, run, ending.signal), ending.signal);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

async function runDraft(deps: DraftDeps, run: DraftRunRequest, signal: AbortSignal): Promise<DraftResult> {
  const { stores, configs, callers, clock, newId } = deps;
  const { orgCode, tenantCode, content, by } = run;
  const workspace = await findActiveWorkspace(stores, { env: 'test', orgCode, tenantCode });
  const config = await configs.test.refresh(orgCode);
  const entities = await entitiesIn(config, content);
  const block = await compileBlock(content, { entities, pause: createYielder(shareKeyOf(workspace)) });
  checkInput(block, run.input, '/input');
  const { id } = by.actor;
  const caller = await callers.as({ id, kind: 'builder', act: id }, workspace, by.request_id);
  const startedAt = clock.now();
  const redaction = new Redaction();
  const effects = new DraftEffects({
    ...{ runtime: deps.runtime, scripts: deps.scripts, workspace, caller, newId, redaction, began: startedAt, signal },
    now: () => clock.now(),
    block: async (name) => {
      if (name === block.name) return block;
      const found = await liveBlock(deps.blocks, { config, place: workspace }, name);
      if (found === undefined) throw blockFailure(`there is no logic block \`${name}\``);
      assertMayCall(block, found);
      return found;
    },
    ...(block.isTransaction ? { transaction: deps.runtime.rehearsal(workspace) } : {}),
  });
  try {
    const { input, record, before } = run;
    const at = timestamp(startedAt);
    const event = { id: by.request_id, type: 'logicblock.test', timestamp: at, depth: 1, path: '' };
    const start = startOf(workspace, { event, record, before }, { user: caller.user, input, now: startedAt });
    const returns = await until(signal, interpret(block, start, effects));
    return shown({ returns }, effects.steps, redaction);
  } catch (thrown) {
    const error = thrown instanceof Overtaken ? new ContendedTransaction(thrown) : thrown;
    if (!(error instanceof Problem) || error.code === 'unavailable') throw error;
    return shown({ error: errorOf(error) }, effects.steps, redaction);
  }
}

/** Work that is under way ends with its step. */
function until<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const ended = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, ended]);
}

type RefusedStep = NonNullable<DraftResult['steps'][number]['error']>;

/** Without values that were to be written to encrypted fields, and with no more values than a reply takes. */
function shown(
  end: Pick<DraftResult, 'returns' | 'error'>,
  done: readonly DraftStep[],
  redaction: Redaction,
): DraftResult {
  let left = shownCharactersMax;
  const fits = (value: unknown): boolean => {
    if (left < 0) return false;
    left -= charactersOf(value, left, Number.POSITIVE_INFINITY);
    return left >= 0;
  };
  const isEndShown = fits(end);
  const steps = done
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
    .map(({ input, output, log, error, ...step }) => ({
      ...step,
      ...(input !== undefined && fits(input) ? { input: redaction.of(input) } : {}),
      ...(error === undefined && fits(output) ? { output: redaction.of(output) } : {}),
      ...(log !== undefined && fits(log) ? { log: redaction.of(log) as ScriptLog } : {}),
      ...(error === undefined
        ? {}
        : { error: redaction.of({ code: error.code, message: error.message }) as RefusedStep }),
    }));
  return {
    ...(isEndShown ? (redaction.of(end) as typeof end) : {}),
    steps,
    ...(left < 0 ? { cut: true as const } : {}),
  };
}

/** The result of a step of a draft, with all values. */
type DraftStep = ReplyOf<typeof runsApi.testLogicBlock>['steps'][number];

interface DraftEffectsDeps extends Pick<DraftDeps, 'newId' | 'scripts'> {
  /** It reads and judges, and has nothing that writes. */
  readonly runtime: Omit<DraftDeps['runtime'], 'rehearsal'>;
  readonly workspace: Workspace;
  readonly caller: BlockCaller;
  readonly redaction: Redaction;
  /** Milliseconds since the epoch: that of the draft for scripts, and the present. */
  readonly began: number;
  readonly now: () => number;
  readonly block: (name: string) => Promise<CompiledBlock>;
  /** Present where the block is a transaction: it has the writes that later steps see, and is never committed. */
  readonly transaction?: Omit<RecordTransaction, 'commit'>;
  /** Ends the draft before its next step, with its reason. */
  readonly signal: AbortSignal;
}

/** Does what reads and computes, and judges what would write, which is not done. */
class DraftEffects implements Effects {
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
    this.#yield = createYielder(shareKeyOf(deps.workspace));
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
    const startedAt = now();
    const came = (output: unknown, error = this.#caught.get(path)): void => {
      this.steps.push({
        ...{ path, id, type, ms: Math.max(now() - startedAt, 0), output, error },
        ...{ input: this.#inputs.get(path), log: this.#logs.get(path) },
        ...(this.#skipped.has(path) && { skipped: true as const }),
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
    if (isRead(step)) {
      this.#inputs.set(path, stepParameters(step));
      return readAs(runtime, caller, step);
    }
    const id = step.type === 'create' ? newId() : step.record;
    redaction.hideOf(path, await secretsOf({ caller }, step));
    // Not before it is known which of its values are secret.
    this.#inputs.set(path, stepParameters(step));
    const place = { caller, origin: { depth: 0, chain: [] } };
    const { operation, outputOf } = await allowedWrite(place, step, { id, numbers: new Map() });
    const record = await (transaction?.write(operation) ?? runtime.rehearse(operation));
    this.#skipped.add(path);
    return outputOf(record);
  }

  async script(path: string, { source, args }: ScriptStep): Promise<ScriptValue> {
    const { scripts, workspace, began: startedAt } = this.#deps;
    const place = { env: workspace.env, org: workspace.orgCode };
    try {
      const done = await runScriptStep(scripts, { source, args, ...place, now: startedAt, seed: `draft ${path}` });
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

  async http(path: string, { id: _, secret: _secret, ...written }: HttpStepRequest): Promise<HttpDone> {
    this.#inputs.set(path, written);
    this.#send(path);
    return { value: { status: 200, headers: {}, body: null }, milliseconds: 0 };
  }

  async mail(path: string, { id: _, ...written }: MailStepRequest): Promise<unknown> {
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
function stepParameters(step: EntityStep): object {
  if (step.type !== 'list' && step.type !== 'aggregate') {
    const { id: _, type: _type, ...rest } = step;
    return rest;
  }
  const { entity, parameters, isWhole } = step;
  const values = step.type === 'aggregate' && Object.keys(step.values).length > 0 ? { values: step.values } : {};
  return { entity, parameters: Object.fromEntries(parameters), ...values, ...(isWhole === true ? { all: true } : {}) };
}
