/** What a block is when it is ready to be run, and what its steps see of the run. */

import type { CompiledAccess } from '../../access/port.ts';
import type { Template, TemplateValues, When } from '../../expressions/port.ts';
import type { JsonSchema } from '../../lib/json-schema.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { Problem } from '../../lib/problem.ts';
import type { ScriptLog } from '../scripts/script-log.ts';
import type { StepError } from './block-failure.ts';
import type { HttpAsk, HttpValue, MailAsk } from './outside.ts';

/** What a step asks of the records, with its templates evaluated. */
export type EntityStep = { readonly id: string; readonly entity: string } & (
  | { readonly type: 'get'; readonly record: string }
  /** The parameters are those of a list by the API. A whole list has the pages behind the first one, too. */
  | { readonly type: 'list'; readonly parameters: ReadonlyMap<string, string>; readonly isWhole?: boolean }
  | { readonly type: 'create'; readonly values: unknown }
  | { readonly type: 'update'; readonly record: string; readonly values: unknown; readonly if_version?: number }
  | { readonly type: 'delete'; readonly record: string }
);

/** A script with what it reads: JSON of the list of `input`, `steps`, `record` and `user`. */
export interface ScriptStep {
  readonly id: string;
  readonly source: string;
  readonly args: string;
}

export interface ScriptValue {
  readonly value: unknown;
  readonly cpuMilliseconds: number;
  readonly log?: ScriptLog;
}

/** What came of a call to another system. */
export type HttpDone = ({ readonly value: HttpValue } | { readonly refusal: Problem }) & {
  /** How long it took, with the wait for a turn. */
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
  http(path: string, step: HttpAsk): Promise<HttpDone>;
  /** @throws Problem `block_failed`; `plan_limit_exceeded`. */
  mail(path: string, step: MailAsk): Promise<unknown>;
  /** Gives once so many milliseconds are over since it was asked first. Until then the run rests. */
  wait(path: string, id: string, milliseconds: number): Promise<void>;
  /** A block that a step calls. @throws Problem `block_failed`. */
  block(name: string): Promise<CompiledBlock>;
  /** Asked before each step: lets other requests go first. */
  pause(): Promise<void> | undefined;
  /** Counts values that the run has in memory. @throws Problem `rate_limited`, `unavailable` where runs have too many. */
  hold?(characters: number): void;
  /** Does a step for effects that keep what each step came to. */
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

/** What a run is begun with. */
export type StartValues = Omit<TemplateValues, 'steps'>;

export interface CompiledBlock {
  readonly name: string;
  readonly input: JsonSchema;
  readonly steps: CompiledSteps;
  readonly returns: Template | undefined;
  /** Its writes are one commit, at its end. */
  readonly isTransaction: boolean;
  /** Whether any of its steps has `on_error`. */
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

/** What is done where a step is refused: its value is that of the last of these steps. */
export interface OnError {
  readonly steps: CompiledSteps;
  /** Where the list goes on, if not at the step after it. */
  readonly next?: number;
}

/** @param path the place of the step in the run. */
export type StepRun = (run: Running, path: string) => MaybePromise<Done>;

export interface Done {
  readonly value: unknown;
  /** Where its list goes on, if not at the step after it; the length of the list ends it. */
  readonly next?: number;
}

/** One block as it is run: the values of its steps so far, and what it may still do. */
export interface Running {
  readonly effects: Effects;
  /** @throws Problem `block_failed`, as each of the following. */
  evaluate(template: Template): unknown;
  holds(condition: When): boolean;
  /** That of a block which this one calls. By policies of its own, or by those of this one. */
  called(block: CompiledBlock, input: unknown): Running;
  beginStep(path: string, step: StepName): MaybePromise<void>;
  /** Where expressions are evaluated from now on: a step evaluates all of its own before a step within it begins. */
  place(path: string, step: StepName): void;
  /** @throws Problem also as the effect does. */
  entity(path: string, step: EntityStep): Promise<unknown>;
  /** @throws Problem also as the effect does. */
  script(path: string, step: Pick<ScriptStep, 'id' | 'source'>): Promise<unknown>;
  /** @throws Problem also as the effect does. */
  http(path: string, step: HttpAsk): Promise<unknown>;
  /** @throws Problem also as the effect does. */
  mail(path: string, step: MailAsk): Promise<unknown>;
  keep(id: string, value: unknown): void;
  /** Does what would be caught if it is refused. */
  catching<T>(work: () => MaybePromise<T>): Promise<T>;
  /** Whether what is refused now is caught, by this block or by one that called it. */
  readonly isCaught: boolean;
  /** What later steps read of the refusal of a step. */
  keepError(id: string, problem: Problem): void;
  forgetError(id: string): void;
  /** The run as a branch of it sees it: what is kept in the branch is seen there alone, until the branches are joined. */
  fork(): Running;
  join(forks: readonly Running[]): void;
  /** What was kept since the fork. */
  readonly kept: Readonly<Record<string, unknown>>;
  /** The refusals of steps that were caught. */
  readonly errors: Readonly<Record<string, StepError>>;
}
