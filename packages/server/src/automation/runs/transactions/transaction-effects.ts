import type { CompiledAccess } from '../../../access/port.ts';
import { type Clock, timestamp } from '../../../lib/clock.ts';
import type { IdSource } from '../../../lib/ids.ts';
import { createYielder } from '../../../lib/scheduling/event-loop.ts';
import type { RecordRuntime, RecordTransaction } from '../../../records/port.ts';
import { laneOf, type Workspace } from '../../../tenancy/port.ts';
import { blockFailure } from '../../blocks/block-failure.ts';
import { readAs } from '../../blocks/caller-effects.ts';
import type { CompiledBlock, Effects, EntityStep, ScriptStep, ScriptValue } from '../../blocks/effects.ts';
import { logOfFailure, runScriptStep } from '../../blocks/script-step.ts';
import { outsideOfTransactions } from '../../kinds/logicblock-steps.ts';
import { LogBudget, type ScriptLog } from '../../scripts/script-log.ts';
import type { ScriptRunner } from '../../scripts/script-runner.ts';
import { allowedWrite, type Creating, secretsOf } from '../entity-steps.ts';
import { type HeldCharacters, holdCharacters } from '../held-characters.ts';
import type { RunJournal } from '../journal.ts';
import { assertFits } from '../run-bounds.ts';
import type { RunPlace } from '../run-caller.ts';
import type { BegunStep } from '../run-effects.ts';
import type { RunStep } from '../run-rows.ts';
import { callerIn, explainReads } from './caller-in.ts';

export interface TransactionEffectsDeps {
  readonly runtime: Pick<RecordRuntime, 'get' | 'query' | 'list'>;
  readonly transaction: RecordTransaction;
  readonly clock: Clock;
  readonly newId: IdSource;
  readonly workspace: Workspace;
  readonly place: RunPlace;
  readonly scripts: Pick<ScriptRunner, 'run'>;
  readonly block: (name: string) => Promise<CompiledBlock>;
  readonly journal: Pick<RunJournal, 'redaction' | 'run' | 'renew'>;
  /** By the paths of steps: what their records are called, however often the transaction is done. */
  readonly created: Map<string, Creating>;
}

/** What is stored of the values that steps gave, in characters: it lies in the commit of the transaction. */
const keptCharactersMax = 1024 * 1024;

/** Does the steps of a transaction once: whether they have an effect is decided behind the last of them. */
export class TransactionEffects implements Effects {
  /** Of branches beside each other the later ones see what the earlier ones wrote, each time in the same order. */
  readonly isInOrder = true;
  readonly pause: () => Promise<void> | undefined;
  readonly steps = new Map<string, RunStep>();
  readonly #deps: TransactionEffectsDeps;
  readonly #held: HeldCharacters;
  readonly #logs = new LogBudget();
  #begun: BegunStep | undefined;
  #kept = 0;

  constructor(deps: TransactionEffectsDeps) {
    this.#deps = deps;
    this.pause = createYielder(laneOf(deps.workspace));
    this.#held = holdCharacters(deps.workspace.orgCode);
  }

  get begun(): BegunStep | undefined {
    return this.#begun;
  }

  /** The steps that would have no effect in any case. */
  get reads(): ReadonlyMap<string, RunStep> {
    return new Map([...this.steps].filter(([, { type }]) => ['get', 'list', 'script'].includes(type)));
  }

  hold(characters: number): void {
    this.#held.add(characters);
  }

  release(): void {
    this.#held.release();
  }

  block(name: string): Promise<CompiledBlock> {
    return this.#deps.block(name);
  }

  entity(path: string, step: EntityStep, app: CompiledAccess | undefined): Promise<unknown> {
    return this.#entity(path, step, app).catch(explainReads);
  }

  async #entity(path: string, step: EntityStep, app: CompiledAccess | undefined): Promise<unknown> {
    const { runtime, transaction, place, journal } = this.#deps;
    await journal.renew();
    const caller = callerIn(transaction, app === undefined ? place.caller : place.caller.asApp(app));
    const { id, type, entity } = step;
    if (step.type === 'get' || step.type === 'list') {
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

  /** What a script wrote holds values, which builders see in the test environment alone. */
  #addLog(log: ScriptLog | undefined): void {
    const begun = this.#begun;
    if (log === undefined || begun === undefined || this.#deps.workspace.env !== 'test') return;
    this.#begun = { ...begun, note: { ...begun.note, log: this.#logs.take(log) } };
  }

  #begin(path: string, note: Omit<BegunStep['note'], 'began'>): void {
    this.#begun = { path, note: { ...note, began: this.#deps.clock.now() } };
  }

  /** @param instead what is stored where there is no room for the value. */
  #keep(path: string, output: unknown, instead: Pick<RunStep, 'output' | 'has_secrets'> = {}): void {
    if (this.#begun === undefined) return;
    const { began, ...note } = this.#begun.note;
    const { output: short, ...rest } = instead;
    this.#kept += (JSON.stringify(output) ?? '').length;
    const shown = this.#kept > keptCharactersMax ? short : output;
    this.steps.set(path, {
      ...{ ...note, ...rest, state: 'done', at: timestamp(began), ms: this.#deps.clock.now() - began },
      ...(shown === undefined ? {} : { output: shown }),
    });
  }
}
