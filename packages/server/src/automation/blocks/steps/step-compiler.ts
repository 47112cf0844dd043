import type { Template, When } from '../../../expressions/port.ts';
import type { MaybePromise } from '../../../lib/maybe-promise.ts';
import type { LogicStep } from '../../kinds/logicblock-steps.ts';
import type { CompiledSteps, OnError, StepRun } from '../effects.ts';

/** What a step is made ready with. */
export interface StepCompiler {
  /** @param encode what becomes of the text of each expression. @throws Problem `block_failed`. */
  template(value: unknown, encode?: (text: string) => string): Template;
  /** A condition as CEL has it. @throws Problem `block_failed`. */
  when(source: string): When;
  /** A list of steps within the step. */
  within(steps: readonly LogicStep[]): Promise<CompiledSteps>;
  /** The place of a later step in the list in which the step stands; the length of the list where none is named. */
  placeOf(id: string | undefined): number;
  /** What is done where the step is refused; undefined where the run ends. Asked behind what is within the step. */
  onError(): Promise<OnError | undefined>;
}

type StepOf<T extends LogicStep['type']> = Extract<LogicStep, { readonly type: T }>;

/** How a step of a type is made ready to be run. */
export type StepType<T extends LogicStep['type']> = (step: StepOf<T>, compiler: StepCompiler) => MaybePromise<StepRun>;
