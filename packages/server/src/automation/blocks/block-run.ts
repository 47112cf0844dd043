import type { CompiledAccess } from '../../access/port.ts';
import { type Template, TemplateError, type TemplateValues, type When } from '../../expressions/port.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { blockFailure } from './block-failure.ts';
import { charactersOf, levelsMax } from './characters-of.ts';
import type { CompiledBlock, Effects, EntityStep, Running, ScriptStep, StartValues } from './effects.ts';
import type { HttpAsk, MailAsk } from './outside.ts';

/** What a run may do, together with the blocks that it calls. */
export const runLimits = {
  steps: 1000,
  entitySteps: 100,
  effort: 2_000_000,
  characters: 4 * 1024 * 1024,
  scriptMilliseconds: 2000,
  httpCalls: 50,
  httpMilliseconds: 60_000,
  mails: 20,
};

/** How many blocks may have called one another. */
const depthMax = 8;

type Spent = Record<keyof typeof runLimits, number>;

const nothing: Spent = {
  steps: 0,
  entitySteps: 0,
  effort: 0,
  characters: 0,
  scriptMilliseconds: 0,
  httpCalls: 0,
  httpMilliseconds: 0,
  mails: 0,
};

interface Place {
  /** The blocks that led to this one, and itself. */
  readonly chain: readonly string[];
  readonly spent: Spent;
  readonly app: CompiledAccess | undefined;
}

export class BlockRun implements Running {
  readonly effects: Effects;
  readonly #start: StartValues;
  readonly #place: Place;
  readonly #kept: Record<string, unknown> = Object.create(null);
  readonly #steps: Record<string, unknown>;
  readonly #values: TemplateValues;

  private constructor(effects: Effects, start: StartValues, place: Place, before: object = {}) {
    this.#steps = Object.assign(Object.create(null), before);
    this.effects = effects;
    this.#start = start;
    this.#place = place;
    this.#values = { ...start, steps: this.#steps };
  }

  static begin(effects: Effects, start: StartValues, { name, app }: CompiledBlock): BlockRun {
    return new BlockRun(effects, start, {
      chain: [name],
      app,
      spent: { ...nothing },
    });
  }

  called({ name, app }: CompiledBlock, input: unknown): BlockRun {
    const { chain, spent } = this.#place;
    if (chain.length === depthMax)
      throw blockFailure(`logic blocks call each other more than ${depthMax} deep: ${[...chain, name].join(' → ')}`);
    return new BlockRun(
      this.effects,
      { ...this.#start, input },
      {
        chain: [...chain, name],
        spent,
        app: app ?? this.#place.app,
      },
    );
  }

  evaluate(template: Template): unknown {
    const effort = { steps: 0 };
    try {
      return this.#counted(template.evaluate(this.#values, effort));
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      throw blockFailure(templateFailures[error.code], {}, error);
    } finally {
      this.#spend('effort', effort.steps);
    }
  }

  holds(condition: When): boolean {
    const effort = { steps: 0 };
    const holds = condition.holds(this.#values, effort);
    this.#spend('effort', effort.steps);
    return holds;
  }

  beginStep(): MaybePromise<void> {
    this.#spend('steps', 1);
    return this.effects.pause();
  }

  async entity(path: string, step: EntityStep): Promise<unknown> {
    this.#spend('entitySteps', 1);
    return this.#counted(await this.effects.entity(path, step, this.#place.app));
  }

  /** What a script reads is written out for it, so it counts as a value that is made. */
  async script(path: string, step: Pick<ScriptStep, 'id' | 'source'>): Promise<unknown> {
    const { input, record, user } = this.#values;
    const read = [input, this.#steps, record ?? null, user];
    // Values stand in it within a list and an object.
    this.#counted(read, levelsMax + 2);
    const { value, cpuMilliseconds } = await this.effects.script(path, { ...step, args: JSON.stringify(read) });
    this.#spend('scriptMilliseconds', cpuMilliseconds);
    return this.#counted(value);
  }

  async http(path: string, step: HttpAsk): Promise<unknown> {
    this.#spend('httpCalls', 1);
    // What was answered counts, also where it took too long: the next call is refused.
    this.#spend('httpMilliseconds', 0);
    const { value, milliseconds } = await this.effects.http(path, step);
    this.#place.spent.httpMilliseconds += milliseconds;
    return this.#counted(value);
  }

  async mail(path: string, step: MailAsk): Promise<unknown> {
    this.#spend('mails', 1);
    return this.effects.mail(path, step);
  }

  keep(id: string, value: unknown): void {
    this.#steps[id] = value;
    this.#kept[id] = value;
  }

  get kept(): Readonly<Record<string, unknown>> {
    return this.#kept;
  }

  fork(): BlockRun {
    return new BlockRun(this.effects, this.#start, this.#place, this.#steps);
  }

  join(forks: readonly Running[]): void {
    for (const { kept } of forks) for (const [id, value] of Object.entries(kept)) this.keep(id, value);
  }

  /** A value may name another one many times, so it is counted as often as it would be written. */
  #counted(value: unknown, levels = levelsMax): unknown {
    const { characters } = this.#place.spent;
    const made = charactersOf(value, runLimits.characters - characters, levels);
    this.#spend('characters', made);
    this.effects.hold?.(made);
    return value;
  }

  #spend(what: keyof Spent, amount: number): void {
    const { spent } = this.#place;
    spent[what] += amount;
    if (spent[what] > runLimits[what]) throw blockFailure(`a run ${bounds[what]}`);
  }
}

const templateFailures: Readonly<Record<TemplateError['code'], string>> = {
  expression_failed: 'an expression could not be evaluated',
  expression_too_costly: 'an expression takes too much',
};

const bounds: Readonly<Record<keyof Spent, string>> = {
  steps: `does at most ${runLimits.steps} steps`,
  entitySteps: `does at most ${runLimits.entitySteps} steps on records`,
  effort: `takes at most ${runLimits.effort} steps of expressions`,
  scriptMilliseconds: `has scripts work for at most ${runLimits.scriptMilliseconds} ms`,
  httpCalls: `makes at most ${runLimits.httpCalls} calls to other systems`,
  httpMilliseconds: `waits for other systems for at most ${runLimits.httpMilliseconds} ms`,
  mails: `sends at most ${runLimits.mails} mails`,
  characters: `makes values of at most ${runLimits.characters} characters`,
};
