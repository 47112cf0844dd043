import { Problem } from '../../../lib/problem.ts';
import { Uncaught } from '../block-failure.ts';
import { checkInput } from '../check-input.ts';
import type { CompiledBlock, Running } from '../effects.ts';
import { runBlock } from '../interpret.ts';
import type { StepType } from './step-compiler.ts';

export const call: StepType<'call'> = ({ logicblock, input = {} }, { template }) => {
  const given = template(input);
  return async (run, path) => {
    const value = run.evaluate(given);
    const block = await blockOf(run, logicblock);
    const called = run.called(block, value);
    checkInput(block, value);
    return { value: await returnOf(runBlock(block, called, path)) };
  };
};

/** Whether a block can be run may be another answer when the run is taken up again, so no step goes on without it. */
async function blockOf({ effects }: Running, name: string): Promise<CompiledBlock> {
  try {
    return await effects.block(name);
  } catch (error) {
    throw error instanceof Problem ? new Uncaught(error, 'run') : error;
  }
}

/** What a block raises is a refusal like any to the block that called it. */
async function returnOf(returned: Promise<unknown>): Promise<unknown> {
  try {
    return await returned;
  } catch (error) {
    if (!(error instanceof Uncaught) || error.ends === 'run') throw error;
    const { code, message, details, cause } = error;
    throw new Problem(code, message, details, cause);
  }
}
