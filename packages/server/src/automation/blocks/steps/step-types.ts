import type { MaybePromise } from '../../../lib/maybe-promise.ts';
import type { LogicStep } from '../../kinds/logicblock-steps.ts';
import type { StepRun } from '../effects.ts';
import { call } from './call.ts';
import { condition } from './condition.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { loop } from './loop.ts';
import { http, mail } from './outside.ts';
import { parallel } from './parallel.ts';
import { raise } from './raise.ts';
import { script } from './script.ts';
import type { StepCompiler, StepType } from './step-compiler.ts';
import { switchOn } from './switch.ts';
import { set, transform } from './values.ts';
import { wait } from './wait.ts';
import { create, remove, update } from './writes.ts';

/** All types of steps. A type that is missing here is a mistake in its types. */
const stepTypes: { readonly [T in LogicStep['type']]: StepType<T> } = {
  get,
  list,
  set,
  transform,
  script,
  condition,
  switch: switchOn,
  loop,
  parallel,
  call,
  raise,
  create,
  update,
  delete: remove,
  wait,
  http,
  mail,
};

/** @throws Problem `block_failed`. */
export function compileStep(step: LogicStep, compiler: StepCompiler): MaybePromise<StepRun> {
  // Each is kept under the type of the steps that it takes.
  const compile = stepTypes[step.type] as (step: LogicStep, compiler: StepCompiler) => MaybePromise<StepRun>;
  return compile(step, compiler);
}
