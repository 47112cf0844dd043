import type { CompiledAccess } from '../../access/port.ts';
import { type Template, TemplateError, type TemplateValues, type When } from '../../expressions/port.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { Problem } from '../../lib/problem.ts';
import { blockFailure, type StepError, stepErrorOf, Uncaught } from './block-failure.ts';
import { charactersOf, levelsMax } from './characters-of.ts';
import type { CompiledBlock, Effects, EntityStep, Running, ScriptStep, StartValues, StepName } from './effects.ts';
import type { HttpAsk, MailAsk } from './outside.ts';
import { cpuOfFailure } from './script-step.ts';
import { valuePath } from './value-path.ts';

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
  /** Of the steps that were refused; undefined where the block catches nothing. */
  readonly errors: Record<string, StepError> | undefined;
  /** Whether what is refused there is caught. */
  readonly isCaught: boolean;
}

export class BlockRun implements Running {
  readonly effects: Effects;
  readonly #start: StartValues;
  readonly #place: Place;
  readonly #kept: Record<string, unknown> = Object.create(null);
  readonly #steps: Record<string, unknown>;
  readonly #values: TemplateValues;
  /** How many steps that it is within catch. */
  #catching = 0;
  #at = { path: '', step: { id: '', type: '' }, evaluated: 0 };

  private constructor(
    effects: Effects,
    start: StartValues,
    place: Place,
    before: Readonly<Record<string, unknown>> = {},
  ) {
    this.#steps = recordOf(before);
    this.effects = effects;
    this.#start = start;
    this.#place = place;
    this.#values = { ...start, steps: this.#steps, errors: place.errors };
  }

  static begin(effects: Effects, start: StartValues, block: CompiledBlock): BlockRun {
    const { name, app } = block;
    const place = { chain: [name], app, spent: { ...nothing }, errors: noErrors(block), isCaught: false };
    return new BlockRun(effects, start, place);
  }

  called(block: CompiledBlock, input: unknown): BlockRun {
    const { name, app = this.#place.app } = block;
    const { spent } = this.#place;
    const chain = [...this.#place.chain, name];
    if (chain.length > depthMax)
      throw boundOfRun(`logic blocks call each other more than ${depthMax} deep: ${chain.join(' → ')}`);
    const place = { chain, spent, app, errors: noErrors(block), isCaught: this.isCaught };
    return new BlockRun(this.effects, { ...this.#start, input }, place);
  }

  evaluate(template: Template): unknown {
    return this.#counted(this.#same(template.isOfNode, () => this.#made(template)));
  }

  #made(template: Template): unknown {
    const effort = { steps: 0 };
    try {
      return template.evaluate(this.#values, effort);
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      const failure = blockFailure(templateFailures[error.code], {}, error);
      throw error.code === 'expression_too_costly' ? new Uncaught(failure, 'run') : failure;
    } finally {
      this.#spend('effort', effort.steps);
    }
  }

  holds(condition: When): boolean {
    return (
      true ===
      this.#same(condition.isOfNode, () => {
        const effort = { steps: 0 };
        const holds = condition.holds(this.#values, effort);
        this.#spend('effort', effort.steps);
        return holds;
      })
    );
  }

  /** What depends on the node is kept with the run, by its place among the values that the step makes. */
  #same(isOfNode: boolean, make: () => unknown): unknown {
    const { path, step, evaluated } = this.#at;
    if (!isOfNode || this.effects.same === undefined) return make();
    this.#at.evaluated += 1;
    return this.effects.same(valuePath(path, evaluated), step, { make, isCaught: this.isCaught });
  }

  beginStep(path: string, step: StepName): MaybePromise<void> {
    this.place(path, step);
    this.#spend('steps', 1);
    return this.effects.pause();
  }

  place(path: string, { id, type }: StepName): void {
    this.#at = { path, step: { id, type }, evaluated: 0 };
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
    try {
      const { value, cpuMilliseconds } = await this.effects.script(path, { ...step, args: JSON.stringify(read) });
      this.#spend('scriptMilliseconds', cpuMilliseconds);
      return this.#counted(value);
    } catch (error) {
      this.#spend('scriptMilliseconds', cpuOfFailure(error));
      throw error;
    }
  }

  async http(path: string, step: HttpAsk): Promise<unknown> {
    this.#spend('httpCalls', 1);
    // What was answered counts, also where it took too long: the next call is refused.
    this.#spend('httpMilliseconds', 0);
    const done = await this.effects.http(path, step);
    this.#place.spent.httpMilliseconds += done.milliseconds;
    if ('refusal' in done) throw done.refusal;
    return this.#counted(done.value);
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

  async catching<T>(work: () => MaybePromise<T>): Promise<T> {
    this.#catching += 1;
    try {
      return await work();
    } finally {
      this.#catching -= 1;
    }
  }

  get isCaught(): boolean {
    return this.#catching > 0 || this.#place.isCaught;
  }

  keepError(id: string, problem: Problem): void {
    const { errors } = this.#place;
    const error = stepErrorOf(problem);
    this.#counted(error);
    if (errors !== undefined) errors[id] = error;
  }

  forgetError(id: string): void {
    delete this.#place.errors?.[id];
  }

  get errors(): Readonly<Record<string, StepError>> {
    return this.#place.errors ?? {};
  }

  fork(): BlockRun {
    const { errors } = this.#place;
    const place = { ...this.#place, errors: errors && recordOf(errors), isCaught: this.isCaught };
    return new BlockRun(this.effects, this.#start, place, this.#steps);
  }

  join(forks: readonly Running[]): void {
    for (const { kept, errors } of forks) {
      for (const [id, value] of Object.entries(kept)) this.keep(id, value);
      Object.assign(this.errors, errors);
    }
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
    if (spent[what] > runLimits[what]) throw boundOfRun(`a run ${bounds[what]}`);
  }
}

function boundOfRun(message: string): Uncaught {
  return new Uncaught(blockFailure(message), 'run');
}

function noErrors({ catches }: CompiledBlock): Record<string, StepError> | undefined {
  return catches === true ? recordOf({}) : undefined;
}

function recordOf<Value>(values: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.assign(Object.create(null), values);
}

const templateFailures: Readonly<Record<TemplateError['code'], string>> = {
  expression_failed: 'an expression could not be evaluated',
  unknown_time_zone: 'an expression names a time zone that there is not',
  unknown_locale: 'an expression names a locale that there is not',
  unknown_pattern: 'an expression names a pattern of times that is none',
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
