import type { CompiledAccess } from '../../access/port.ts';
import type { Clock } from '../../lib/clock.ts';
import type { IdSource } from '../../lib/ids.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import type { MailOut } from '../../mail/mailer.ts';
import { outsideOfTransactions } from '../../promotion/port.ts';
import type { RecordRuntime } from '../../records/port.ts';
import { laneOf, type Workspace } from '../../tenancy/port.ts';
import { blockFailure } from '../blocks/block-failure.ts';
import { readAs } from '../blocks/caller-effects.ts';
import type { CompiledBlock, Effects, EntityStep, HttpDone, ScriptStep, ScriptValue } from '../blocks/effects.ts';
import type { HttpAsk, HttpValue, MailAsk } from '../blocks/outside.ts';
import { logOfFailure, runScriptStep } from '../blocks/script-step.ts';
import type { OutsideHttp } from '../http/outside-http.ts';
import { LogBudget, type ScriptLog } from '../scripts/script-log.ts';
import type { ScriptRunner } from '../scripts/script-runner.ts';
import type { WorkMeter } from '../work-meter.ts';
import { type AllowedWrite, allowedWrite } from './entity-steps.ts';
import { type HeldCharacters, holdCharacters } from './held-characters.ts';
import type { RunJournal, StepNote } from './journal.ts';
import { assertMail, assertMayWait } from './run-bounds.ts';
import type { RunPlace } from './run-caller.ts';

/** The run goes on at a later time, which its journal knows: a step waits, or the workspace is suspended. */
export class Suspended extends Error {
  override readonly name = 'Suspended';
}

/** How runs reach other systems. */
export interface OutsideDeps {
  readonly http: OutsideHttp;
  /** Undefined where the platform sends no mail. */
  readonly mail: MailOut | undefined;
  readonly meter: WorkMeter;
}

export interface RunEffectsDeps extends OutsideDeps {
  readonly runtime: RecordRuntime;
  readonly clock: Clock;
  readonly workspace: Workspace;
  readonly journal: RunJournal;
  readonly place: RunPlace;
  readonly scripts: Pick<ScriptRunner, 'run'>;
  readonly block: (name: string) => Promise<CompiledBlock>;
  /** Makes ids for records that are written at the end; left out, each write is done at once. */
  readonly newId?: IdSource;
  /** Asked before each step that reaches out; left out, for a run that its caller waits for. */
  readonly restsUntil?: () => Promise<number | undefined>;
}

/** A step that was begun, so that a failure can be laid to it. */
export interface BegunStep {
  readonly path: string;
  readonly note: StepNote;
}

/** A write of a transaction. */
export interface CollectedWrite extends BegunStep {
  readonly allowed: AllowedWrite;
}

/** Does each step once: a step that is in the journal gives what it gave before. */
export class RunEffects implements Effects {
  readonly pause: () => Promise<void> | undefined;
  readonly #deps: RunEffectsDeps;
  readonly #collected: CollectedWrite[] = [];
  readonly #held: HeldCharacters;
  readonly #logs = new LogBudget();
  #begun: BegunStep | undefined;

  constructor(deps: RunEffectsDeps) {
    this.#deps = deps;
    this.pause = createYielder(laneOf(deps.workspace));
    this.#held = holdCharacters(deps.workspace.orgCode);
  }

  /** The step that reached out last. */
  get begun(): BegunStep | undefined {
    return this.#begun;
  }

  hold(characters: number): void {
    this.#held.add(characters);
  }

  /** The run does no more here. */
  release(): void {
    this.#held.release();
  }

  block(name: string): Promise<CompiledBlock> {
    return this.#deps.block(name);
  }

  async entity(path: string, step: EntityStep, app: CompiledAccess | undefined): Promise<unknown> {
    const { journal, runtime } = this.#deps;
    const place = this.#placeOf(app);
    const note = this.#begin(path, step);
    const known = journal.step(path);
    if (step.type === 'get' || step.type === 'list') {
      if (known !== undefined) return known.output;
      const output = await readAs(runtime, place.caller, step);
      await journal.note(path, note, output);
      return output;
    }
    if (known !== undefined && known.has_secrets !== true) return known.output;
    const { newId } = this.#deps;
    const id = newId?.();
    const hide = (secrets: readonly unknown[]) => journal.redaction.hideOf(path, secrets);
    const allowed = await allowedWrite(place, step, { id, hide });
    if (known !== undefined) return known.output;
    if (id === undefined) {
      await this.#assertGoesOn();
      return this.#write({ path, note }, allowed);
    }
    const record = step.type === 'create' ? id : step.record;
    this.#collected.push({ path, note: { ...note, record }, allowed });
    return { id: record };
  }

  /** The writes that are to be done at the end. */
  get collected(): readonly CollectedWrite[] {
    return this.#collected;
  }

  /** A script that is done again after a crash gives the same: its clock and its chance are the run's. */
  async script(path: string, { id, source, args }: ScriptStep): Promise<ScriptValue> {
    const { journal, scripts, workspace } = this.#deps;
    const note = this.#begin(path, { id, type: 'script' });
    const known = journal.step(path);
    if (known !== undefined) {
      this.#keptOf(known.log);
      return { value: known.output, cpuMilliseconds: 0 };
    }
    const { id: run, now } = journal.run;
    const { orgCode: org, env } = workspace;
    try {
      const done = await runScriptStep(scripts, { source, args, org, env, now, seed: `${run} ${path}` });
      await journal.note(path, { ...note, ...this.#keptOf(done.log) }, done.value);
      return done;
    } catch (error) {
      this.#begun = { path, note: { ...note, ...this.#keptOf(logOfFailure(error)) } };
      throw error;
    }
  }

  /** What a script wrote holds values, which builders see in the test environment alone. */
  #keptOf(log: ScriptLog | undefined): Pick<StepNote, 'log'> {
    return log === undefined || this.#deps.workspace.env !== 'test' ? {} : { log: this.#logs.take(log) };
  }

  /** What another system did is done again after a crash that comes before the answer is stored, under the same key. */
  async http(path: string, step: HttpAsk): Promise<HttpDone> {
    const { journal, http, workspace } = this.#deps;
    const note = this.#begin(path, { id: step.id, type: 'http' });
    const known = journal.step(path);
    if (known !== undefined) return { value: known.output as HttpValue, milliseconds: known.ms };
    this.#assertMaySend();
    await this.#assertGoesOn();
    const isRead = step.method === 'GET';
    if (!isRead) await journal.store();
    const depth = journal.run.depth + 1;
    const value = await http.send(workspace, step, isRead ? { depth } : { depth, key: this.#keyOf(path) });
    await journal.note(path, note, value);
    if (!isRead) await journal.store();
    return { value, milliseconds: journal.step(path)?.ms ?? 0 };
  }

  async mail(path: string, { id, ...written }: MailAsk): Promise<unknown> {
    const { journal, mail, meter, workspace } = this.#deps;
    const note = this.#begin(path, { id, type: 'mail' });
    const known = journal.step(path);
    if (known !== undefined) return known.output;
    this.#assertMaySend();
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

  #assertMaySend(): void {
    if (this.#deps.newId !== undefined) throw blockFailure(outsideOfTransactions);
  }

  /** @throws Suspended */
  async #assertGoesOn(): Promise<void> {
    const { journal, restsUntil, clock } = this.#deps;
    if ((await restsUntil?.()) === undefined) return;
    // The next visit puts it off, unless the suspension has ended by then.
    journal.restUntil(clock.now());
    throw new Suspended();
  }

  async wait(path: string, id: string, milliseconds: number): Promise<void> {
    const { journal, clock, newId, workspace } = this.#deps;
    const note = this.#begin(path, { id, type: 'wait' });
    if (newId !== undefined) throw blockFailure('a transaction does not wait');
    // A run that was taken up is one of those that are open.
    if (journal.run.taken === 0 && journal.step(path) === undefined) await assertMayWait(workspace.scope);
    if (journal.isWaiting(path, note, clock.now() + milliseconds)) throw new Suspended();
  }

  /** Does a write at once, in a commit with its row. */
  async #write({ path, note }: BegunStep, { operation, outputOf, secrets }: AllowedWrite): Promise<unknown> {
    const { journal, runtime } = this.#deps;
    const marked = secrets.length === 0 ? note : { ...note, has_secrets: true as const };
    const { records } = await journal.effect(path, { note: marked, outputOf }, (along) =>
      runtime.write([operation], { along }),
    );
    const output = journal.step(path)?.output;
    const [record] = records;
    // The version of the record is that of the commit, and so of the step's own row.
    return record === undefined || typeof output !== 'object' ? output : { ...output, version: record.version };
  }

  /** The same user, under the policies that decide the step. */
  #placeOf(app: CompiledAccess | undefined): RunPlace {
    const { place } = this.#deps;
    return app === undefined ? place : { ...place, caller: place.caller.asApp(app) };
  }

  #begin(
    path: string,
    { id, type, ...rest }: { id: string; type: string; entity?: string; record?: string },
  ): StepNote {
    const { entity, record } = rest;
    const note = {
      id,
      type,
      began: this.#deps.clock.now(),
      ...(entity === undefined ? {} : { entity }),
      ...(record === undefined ? {} : { record }),
    };
    this.#begun = { path, note };
    return note;
  }
}
