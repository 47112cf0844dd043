import { isDeepStrictEqual } from 'node:util';
import type { Template } from '../../../expressions/port.ts';
import type { CompiledSteps } from '../effects.ts';
import { pathTo, runSteps } from '../interpret.ts';
import type { StepType } from './step-compiler.ts';

/** Its value is that of the last step of the branch that was taken. */
export const switchOn: StepType<'switch'> = async (step, { template, within }) => {
  const on = template(step.on);
  const cases: { readonly is: Template; readonly steps: CompiledSteps }[] = [];
  for (const one of step.cases) cases.push({ is: template(one.is), steps: await within(one.steps) });
  const otherwise = step.default === undefined ? [] : await within(step.default);
  return async (run, path) => {
    const value = run.evaluate(on);
    const taken = cases.findIndex(({ is }) => isDeepStrictEqual(run.evaluate(is), value));
    const [branch, place] = taken < 0 ? [otherwise, cases.length] : [cases[taken]?.steps ?? [], taken];
    return { value: await runSteps(branch, run, pathTo(path, place)) };
  };
};
