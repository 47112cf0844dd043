import { checkInput } from '../check-input.ts';
import { runBlock } from '../interpret.ts';
import type { StepType } from './step-compiler.ts';

export const call: StepType<'call'> = ({ logicblock, input = {} }, { template }) => {
  const given = template(input);
  return async (run, path) => {
    const value = run.evaluate(given);
    const block = await run.effects.block(logicblock);
    const called = run.called(block, value);
    checkInput(block, value);
    return { value: await runBlock(block, called, path) };
  };
};
