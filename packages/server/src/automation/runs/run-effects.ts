import type { CompiledAccess } from '../../access/port.ts';
import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import type { MailOut } from '../../mail/mailer.ts';
import type { RecordRuntime } from '../../records/port.ts';
import { TooLarge } from '../../store/port.ts';
import { shareKeyOf, type Workspace } from '../../tenancy/port.ts';
import type { WorkMeter } from '../automation-deps.ts';
import { blockFailure, mayBeCaught, problemOf, stepErrorOf } from '../blocks/block-failure.ts';
import {
  type CompiledBlock,
  type Effects,
  type EntityStep,
  type HttpDone,
  type HttpStepRequest,
  type HttpValue,
  isRead,
  type LocalValue,
  type MailStepRequest,
  type ScriptStep,
  type StepName,
} from '../blocks/block-run.ts';
import { type AllowedWrite, allowedWrite, type RunContext, readAs, secretsOf } from '../blocks/caller-effects.ts';
import type { OutsideHttp } from '../outside/outside-http.ts';
import { LogBudget, type ScriptLog } from '../scripts/script-outcome.ts';
import { logOfFailure, runScriptStep, type ScriptRunner, type ScriptValue } from '../scripts/script-runner.ts';
import type { RunJournal, StepNote } from './journal.ts';
import { assertMail, assertMayWait, type HeldCharacters, holdCharacters } from './run-bounds.ts';
import type { Run, RunStep } from './run-rows.ts';

/** The run goes on at a later time, which its journal knows: a step waits, or the workspace is suspended. */
export class Suspended extends Error {
  override readonly name = 'Suspended';
}

export interface OutsideEffectsDeps {
  readonly http: OutsideHttp;
  /** Undefined where the platform sends no mail. */
  readonly mail: MailOut | undefined;
  readonly meter: WorkMeter;
}

export interface StepDeps {
  readonly runtime: RecordRuntime;
  readonly clock: Clock;
  readonly workspace: Workspace;
  readonly journal: RunJournal;
  readonly place: RunContext;
  readonly scripts: Pick<ScriptRunner, 'run'>;
  readonly block: (name: string) => Promise<CompiledBlock>;
}

interface RunEffectsDeps extends OutsideEffectsDeps, StepDeps {
  /** Asked before each step that reaches out; left out, for a run that its caller waits for. */
  readonly restsUntil?: () => Promise<number | undefined>;
}

/** A step that was begun, so that a failure can be laid to it. */
export interface StartedStep {
  readonly path: string;
  readonly note: StepNote;
}

/** The turns of a run and of a transaction, the memory that it holds, and the logs of its scripts. */
export class BoundedEffects {
  readonly pause: () => Promise<void> | undefined;
  readonly block: (name: string) => Promise<CompiledBlock>;
  readonly #workspace: Workspace;
  readonly #held: HeldCharacters;
  readonly #logs = new LogBudget();

  constructor({ workspace, block }: Pick<StepDeps, 'workspace' | 'block'>) {
    this.pause = createYielder(shareKeyOf(workspace));
    this.block = block;
    this.#workspace = workspace;
    this.#held = holdCharacters(workspace.orgCode);
  }

  hold(characters: number): void {
    this.#held.add(characters);
  }

  release(): void {
    this.#held.release();
  }

  /** A log holds values, which builders see in the test environment alone. */
  keptOf(log: ScriptLog | undefined): Pick<StepNote, 'log'> {
    return log === undefined || this.#workspace.env !== 'test' ? {} : { log: this.#logs.take(log) };
  }
}

/** Does each step once: a step that is in the journal gives what it gave before. */
export class RunEffects extends BoundedEffects implements Effects {
  readonly #deps: RunEffectsDeps;
  #started: StartedStep | undefined;
  /** The facts that are known of the steps that reached out, by their paths: branches work beside each other. */
  readonly #notes = new Map<string, StepNote>();
  #failedPasses = 0;

  constructor(deps: RunEffectsDeps) {
    super(deps);
    this.#deps = deps;
  }

  /** The step that reached out last. */
  get started(): StartedStep | undefined {
    return this.#started;
  }

  get failures(): Pick<Run, 'failed_passes'> {
    return this.#failedPasses === 0 ? {} : { failed_passes: this.#failedPasses };
  }

  passFailed(): void {
    this.#failedPasses += 1;
  }

  async refused(path: string, { id, type }: StepName, problem: Problem): Promise<void> {
    const { journal, clock } = this.#deps;
    if (journal.step(path) !== undefined) return;
    const note = this.#notes.get(path) ?? { id, type, began: clock.now() };
    journal.keepRefusal(path, note, stepErrorOf(problem));
    await journal.renew();
  }

  same(path: string, { id, type }: StepName, { make, isCaught }: LocalValue): unknown {
    const { journal, clock } = this.#deps;
    const known = journal.step(path);
    if (known !== undefined) return outputOf(known);
    const note = { id, type, began: clock.now() };
    try {
      const value = make();
      journal.keep(path, note, value);
      return value;
    } catch (error) {
      if (isCaught && error instanceof Problem && mayBeCaught(error))
        journal.keepRefusal(path, note, stepErrorOf(error));
      throw error;
    }
  }

  async entity(path: string, step: EntityStep, app: CompiledAccess | undefined): Promise<unknown> {
    const { journal, runtime } = this.#deps;
    const place = this.#placeOf(app);
    const note = this.#begin(path, step);
    const known = journal.step(path);
    if (isRead(step)) {
      if (known !== undefined) return outputOf(known);
      const output = await readAs(runtime, place.caller, step);
      await journal.note(path, note, output);
      return output;
    }
    if (known !== undefined) {
      if (known.has_secrets === true) journal.redaction.hideOf(path, await secretsOf(place, step));
      return outputOf(known);
    }
    const secrets = await secretsOf(place, step);
    journal.redaction.hideOf(path, secrets);
    const marked = secrets.length === 0 ? note : { ...note, has_secrets: true as const };
    // Before anything is decided about them: the refusal of a step is kept too.
    this.#notes.set(path, marked);
    const allowed = await allowedWrite(place, step);
    await this.#assertGoesOn();
    return this.#write({ path, note: marked }, allowed);
  }

  /** A script that is done again after a crash gives the same: its clock and its chance are the run's. */
  async script(path: string, { id, source, args }: ScriptStep): Promise<ScriptValue> {
    const { journal, scripts, workspace } = this.#deps;
    const note = this.#begin(path, { id, type: 'script' });
    const known = journal.step(path);
    if (known !== undefined) {
      this.keptOf(known.log);
      return { value: outputOf(known), cpuMilliseconds: 0 };
    }
    const { id: run, now } = journal.run;
    const { orgCode: org, env } = workspace;
    try {
      const done = await runScriptStep(scripts, { source, args, org, env, now, seed: `${run} ${path}` });
      await journal.note(path, { ...note, ...this.keptOf(done.log) }, done.value);
      return done;
    } catch (error) {
      this.#setStarted(path, { ...note, ...this.keptOf(logOfFailure(error)) });
      throw error;
    }
  }

  /** A call of another system is repeated after a crash that comes before the answer is stored, under the same key. */
  async http(path: string, step: HttpStepRequest): Promise<HttpDone> {
    const { journal, http, workspace } = this.#deps;
    const note = this.#begin(path, { id: step.id, type: 'http' });
    const known = journal.step(path);
    if (known?.error !== undefined) return { refusal: refusalOf(known), milliseconds: known.ms };
    if (known !== undefined) return { value: known.output as HttpValue, milliseconds: known.ms };
    await this.#assertGoesOn();
    const isRead = step.method === 'GET';
    if (!isRead) await journal.store();
    const depth = journal.run.depth + 1;
    try {
      const value = await http.send(workspace, step, isRead ? { depth } : { depth, key: this.#keyOf(path) });
      await journal.note(path, note, value);
      if (!isRead) await journal.store();
      return { value, milliseconds: journal.step(path)?.ms ?? 0 };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { refusal: error, milliseconds: this.#deps.clock.now() - note.began };
    }
  }

  async mail(path: string, { id, ...written }: MailStepRequest): Promise<unknown> {
    const { journal, mail, meter, workspace } = this.#deps;
    const note = this.#begin(path, { id, type: 'mail' });
    const known = journal.step(path);
    if (known !== undefined) return outputOf(known);
    await this.#assertGoesOn();
    if (mail === undefined) throw blockFailure('this platform sends no mail: its operator has set none up');
    assertMail(written);
    // Counted before anything waits, so that other runs see it.
    await meter.check(workspace.orgCode, 'mails');
    meter.add(workspace, 'mails', 1);
    await journal.store();
    const answer = await mail.deliver(written, { org: workspace.orgCode, id: this.#keyOf(path) });
    if (answer !== 'sent') throw blockFailure(`the mail was not sent (${answer.code})`);
    await journal.note(path, note, {});
    await journal.store();
    return {};
  }

  /** The same for a step in all runs that a run was retried as. */
  #keyOf(path: string): string {
    const { id, root = id } = this.#deps.journal.run;
    return `${root}.${path}`;
  }

  /** @throws Suspended */
  async #assertGoesOn(): Promise<void> {
    const { journal, restsUntil, clock } = this.#deps;
    if ((await restsUntil?.()) === undefined) return;
    // The next pass defers it, unless the suspension has ended by then.
    journal.restUntil(clock.now());
    throw new Suspended();
  }

  async wait(path: string, id: string, milliseconds: number): Promise<void> {
    const { journal, clock, workspace } = this.#deps;
    const note = this.#begin(path, { id, type: 'wait' });
    // A run that was taken up is one of those that are open.
    if (journal.run.taken === 0 && journal.step(path) === undefined) await assertMayWait(workspace.scope);
    if (journal.isWaiting(path, note, clock.now() + milliseconds)) throw new Suspended();
  }

  /** Does a write at once, in a commit with its row. */
  async #write({ path, note }: StartedStep, { operation, outputOf }: AllowedWrite): Promise<unknown> {
    const { journal, runtime } = this.#deps;
    const { records } = await journal
      .effect(path, { note, outputOf }, (along) => runtime.write([operation], { along }))
      .catch(refuseTooLarge);
    const output = journal.step(path)?.output;
    const [record] = records;
    // The version of the record is that of the commit, and so of the step's own row.
    return record === undefined || typeof output !== 'object' ? output : { ...output, version: record.version };
  }

  /** The same user, under the policies that decide the step. */
  #placeOf(app: CompiledAccess | undefined): RunContext {
    const { place } = this.#deps;
    return app === undefined ? place : { ...place, caller: place.caller.asApp(app) };
  }

  #begin(path: string, { id, type, entity, record }: Omit<StepNote, 'began'>): StepNote {
    const of = { ...(entity === undefined ? {} : { entity }), ...(record === undefined ? {} : { record }) };
    const note = { id, type, began: this.#deps.clock.now(), ...of };
    this.#setStarted(path, note);
    return note;
  }

  #setStarted(path: string, note: StepNote): void {
    this.#started = { path, note };
    this.#notes.set(path, note);
  }
}

/** The output of a step done before. @throws Problem where it was refused then, and the run went on. */
function outputOf(known: RunStep): unknown {
  if (known.error !== undefined) throw refusalOf(known);
  return known.output;
}

/** The write of a single step would be so each time; nothing of it is done. */
function refuseTooLarge(error: unknown): never {
  if (!(error instanceof TooLarge)) throw error;
  throw new Problem('body_too_large', 'the step would write more than one commit takes', {}, error);
}

function refusalOf({ error }: RunStep): Problem {
  return problemOf({ status: 422, code: 'block_failed', message: '', ...error });
}
