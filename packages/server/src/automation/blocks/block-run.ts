/** A block when it is ready to be run, all that its steps reach, and a run of it. */
import type { CompiledAccess } from '../../access/port.ts';
import { type CompiledTemplate, TemplateError, type TemplateValues, type When } from '../../expressions/port.ts';
import type { JsonSchema } from '../../lib/json-schema.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { Problem } from '../../lib/problem.ts';
import type { HttpContent, MailContent } from '../kinds/shared-content.ts';
import { ScriptError } from '../scripts/script-outcome.ts';
import type { ScriptValue } from '../scripts/script-runner.ts';
import {
  blockFailure,
  boundOfRun,
  bounds,
  charactersOf,
  levelsMax,
  nothingSpent,
  runLimits,
  type Spent,
  type StepError,
  stepErrorOf,
  Uncaught,
} from './block-failure.ts';

/** The questions of a step about the records, with its templates evaluated. */
export type EntityStep = { readonly id: string; readonly entity: string } & (
  | { readonly type: 'get'; readonly record: string }
  /** The parameters are those of a list by the API. A whole list has the pages behind the first one, too. */
  | { readonly type: 'list'; readonly parameters: ReadonlyMap<string, string>; readonly isWhole?: boolean }
  /** The same of an aggregate. The values are those that its condition reads, by their names. */
  | {
      readonly type: 'aggregate';
      readonly parameters: ReadonlyMap<string, string>;
      readonly values: Readonly<Record<string, unknown>>;
      readonly isWhole?: boolean;
    }
  | { readonly type: 'create'; readonly values: unknown }
  | { readonly type: 'update'; readonly record: string; readonly values: unknown; readonly if_version?: number }
  | { readonly type: 'delete'; readonly record: string }
);

const readTypes = ['get', 'list', 'aggregate'] as const;

export type ReadStep = Extract<EntityStep, { readonly type: (typeof readTypes)[number] }>;

export function isRead<Step extends { readonly type: string }>(step: Step): step is Step & ReadStep {
  return readTypes.some((type) => type === step.type);
}

/** A script with what it reads: JSON of the list of `input`, `steps`, `record` and `user`. */
export interface ScriptStep {
  readonly id: string;
  readonly source: string;
  readonly args: string;
}

export type HttpDone = ({ readonly value: HttpValue } | { readonly refusal: Problem }) & {
  /** The duration, including the wait for a turn. */
  readonly milliseconds: number;
};

/** All that a block reaches beside its own values. */
export interface Effects {
  /** Branches beside each other are done one after the other. */
  readonly isInOrder?: true;
  /**
   * @param path the place of the step in the run, with those of the loops and calls around it.
   * @param app the policies that decide the step, where they are not those of the caller.
   * @throws Problem as the call by the API would.
   */
  entity(path: string, step: EntityStep, app: CompiledAccess | undefined): Promise<unknown>;
  /** @throws Problem `block_failed`; `rate_limited` where too many scripts of the org wait. */
  script(path: string, step: ScriptStep): Promise<ScriptValue>;
  /** @throws Problem `rate_limited` where too many calls of the org wait. */
  http(path: string, step: HttpStepRequest): Promise<HttpDone>;
  /** @throws Problem `block_failed`; `plan_limit_exceeded`. */
  mail(path: string, step: MailStepRequest): Promise<unknown>;
  /** Gives once so many milliseconds are over since it was asked first. Until then the run rests. */
  wait(path: string, id: string, milliseconds: number): Promise<void>;
  /** A block that a step calls. @throws Problem `block_failed`. */
  block(name: string): Promise<CompiledBlock>;
  /** Asked before each step: lets other requests go first. */
  pause(): Promise<void> | undefined;
  /** Counts values that the run has in memory. @throws Problem `rate_limited`, `unavailable` where runs have too many. */
  hold?(characters: number): void;
  /** Does a step for effects that keep the result of each step. */
  watched?(path: string, step: CompiledStep, work: () => MaybePromise<Done>): Promise<Done>;
  /** Keeps that a step is refused while the run goes on, so that it goes the same way when it is taken up again. */
  refused?(path: string, step: StepName, problem: Problem): MaybePromise<void>;
  /**
   * Gives the value that was made at a place first, so that a node which knows other time zones and locales goes on by the
   * same. @throws Problem that the value was refused with then.
   */
  same?(path: string, step: StepName, value: LocalValue): unknown;
  /** Counts a pass of a loop that failed while the run goes on. */
  passFailed?(): void;
}

export type StartValues = Omit<TemplateValues, 'steps'>;

export interface CompiledBlock {
  readonly name: string;
  readonly input: JsonSchema;
  readonly steps: CompiledSteps;
  readonly returns: CompiledTemplate | undefined;
  /** Its writes are one commit, at its end. */
  readonly isTransaction: boolean;
  readonly catches?: boolean;
  /** The other blocks that its steps call. */
  readonly calls: readonly string[];
  /** The policies of its own by which its steps are decided. */
  readonly app: CompiledAccess | undefined;
}

export type CompiledSteps = readonly CompiledStep[];

/** A value that depends on the node which makes it. */
export interface LocalValue {
  readonly make: () => unknown;
  /** Whether the run goes on where it is refused. */
  readonly isCaught: boolean;
}

export interface StepName {
  readonly id: string;
  readonly type: string;
}

export interface CompiledStep extends StepName {
  readonly run: StepRun;
}

/** The steps done where a step is refused: its value is that of the last of these steps. */
export interface OnError {
  readonly steps: CompiledSteps;
  /** The index at which the list continues, if not the step after it. */
  readonly next?: number;
}

/** @param path the place of the step in the run. */
export type StepRun = (run: BlockRun, path: string) => MaybePromise<Done>;

export interface Done {
  readonly value: unknown;
  /** The index at which its list continues, if not the step after it; the length of the list ends it. */
  readonly next?: number;
}

export interface HttpStepRequest extends Omit<HttpContent, 'type' | 'headers'> {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The value of a step of the type `http`. */
export interface HttpValue {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface MailStepRequest extends Omit<MailContent, 'type'> {
  readonly id: string;
}

const depthMax = 8;

interface BlockFrame {
  /** The blocks that led to this one, and itself. */
  readonly chain: readonly string[];
  readonly spent: Spent;
  readonly app: CompiledAccess | undefined;
  /** Of the steps that were refused; undefined where the block catches nothing. */
  readonly errors: Record<string, StepError> | undefined;
  readonly isCaught: boolean;
}

/** One block as it is run: the values of its steps so far, and what it may still do. Its methods throw Problem `block_failed`. */
export class BlockRun {
  readonly effects: Effects;
  readonly #start: StartValues;
  readonly #place: BlockFrame;
  readonly #kept: Record<string, unknown> = Object.create(null);
  readonly #steps: Record<string, unknown>;
  readonly #values: TemplateValues;
  /** The number of enclosing steps that catch errors. */
  #catching = 0;
  #at = { path: '', step: { id: '', type: '' }, evaluated: 0 };

  private constructor(
    effects: Effects,
    start: StartValues,
    place: BlockFrame,
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
    const place = { chain: [name], app, spent: { ...nothingSpent }, errors: noErrors(block), isCaught: false };
    return new BlockRun(effects, start, place);
  }

  /** That of a block which this one calls. By policies of its own, or by those of this one. */
  called(block: CompiledBlock, input: unknown): BlockRun {
    const { name, app = this.#place.app } = block;
    const { spent } = this.#place;
    const chain = [...this.#place.chain, name];
    if (chain.length > depthMax)
      throw boundOfRun(`logic blocks call each other more than ${depthMax} deep: ${chain.join(' → ')}`);
    const place = { chain, spent, app, errors: noErrors(block), isCaught: this.isCaught };
    return new BlockRun(this.effects, { ...this.#start, input }, place);
  }

  evaluate(template: CompiledTemplate): unknown {
    return this.#counted(this.#same(template.isOfNode, () => this.#made(template)));
  }

  #made(template: CompiledTemplate): unknown {
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

  /** A value that depends on the node is kept with the run, by its place among the values that the step makes. */
  #same(isOfNode: boolean, make: () => unknown): unknown {
    const { path, step, evaluated } = this.#at;
    if (!isOfNode || this.effects.same === undefined) return make();
    this.#at.evaluated += 1;
    return this.effects.same(`${path}${mark}${evaluated}`, step, { make, isCaught: this.isCaught });
  }

  startStep(path: string, step: StepName): MaybePromise<void> {
    this.place(path, step);
    this.#spend('steps', 1);
    return this.effects.pause();
  }

  /** Sets the step whose expressions are evaluated next: it evaluates all of them before a step within it begins. */
  place(path: string, { id, type }: StepName): void {
    this.#at = { path, step: { id, type }, evaluated: 0 };
  }

  async entity(path: string, step: EntityStep): Promise<unknown> {
    this.#spend('entitySteps', 1);
    return this.#counted(await this.effects.entity(path, step, this.#place.app));
  }

  /** The values that a script reads are written out for it, so they count as a value that is made. */
  async script(path: string, step: Pick<ScriptStep, 'id' | 'source'>): Promise<unknown> {
    const { input, record, user } = this.#values;
    const read = [input, this.#steps, record ?? null, user];
    // The values are within a list and an object.
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

  async http(path: string, step: HttpStepRequest): Promise<unknown> {
    this.#spend('httpCalls', 1);
    // The call counts even if it took too long: the next call is refused.
    this.#spend('httpMilliseconds', 0);
    const done = await this.effects.http(path, step);
    this.#place.spent.httpMilliseconds += done.milliseconds;
    if ('refusal' in done) throw done.refusal;
    return this.#counted(done.value);
  }

  async mail(path: string, step: MailStepRequest): Promise<unknown> {
    this.#spend('mails', 1);
    return this.effects.mail(path, step);
  }

  keep(id: string, value: unknown): void {
    this.#steps[id] = value;
    this.#kept[id] = value;
  }

  /** Since the fork. */
  get kept(): Readonly<Record<string, unknown>> {
    return this.#kept;
  }

  /** Does what would be caught if it is refused. */
  async catching<T>(work: () => MaybePromise<T>): Promise<T> {
    this.#catching += 1;
    try {
      return await work();
    } finally {
      this.#catching -= 1;
    }
  }

  /** Whether a refusal now is caught, by this block or by a block that called it. */
  get isCaught(): boolean {
    return this.#catching > 0 || this.#place.isCaught;
  }

  /** For later steps, which read it. */
  keepError(id: string, problem: Problem): void {
    const { errors } = this.#place;
    const error = stepErrorOf(problem);
    this.#counted(error);
    if (errors !== undefined) errors[id] = error;
  }

  forgetError(id: string): void {
    delete this.#place.errors?.[id];
  }

  /** The refusals of steps that were caught. */
  get errors(): Readonly<Record<string, StepError>> {
    return this.#place.errors ?? {};
  }

  /** The run as a branch of it sees it: what is kept in the branch is seen there alone, until the branches are joined. */
  fork(): BlockRun {
    const { errors } = this.#place;
    const place = { ...this.#place, errors: errors && recordOf(errors), isCaught: this.isCaught };
    return new BlockRun(this.effects, this.#start, place, this.#steps);
  }

  join(forks: readonly BlockRun[]): void {
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

/** Behind the place of the step, and before those of the steps within it. */
const mark = '!';

/** Whether what lies at the place is a value that a step made, and no step. */
export function isValuePath(path: string): boolean {
  return path.includes(mark);
}

function cpuOfFailure(error: unknown): number {
  return error instanceof Problem && error.cause instanceof ScriptError ? error.cause.cpuMilliseconds : 0;
}
