import type { Running } from '../effects.ts';
import { compare } from './compare.ts';
import type { StepCompiler, StepType } from './step-compiler.ts';

export const condition: StepType<'condition'> = (step, compiler) => {
  const test = testOf(step.if, compiler);
  const otherwise = compiler.placeOf(step.else);
  return (run) => (test(run) ? { value: true } : { value: false, next: otherwise });
};

function testOf(
  tested: Parameters<typeof condition>[0]['if'],
  { template, when }: StepCompiler,
): (run: Running) => boolean {
  if (typeof tested === 'string') {
    const expression = when(tested);
    return (run) => run.holds(expression);
  }
  const comparisons = tested.map(({ value, op, than }) => ({ value: template(value), op, than: template(than) }));
  return (run) => comparisons.every(({ value, op, than }) => compare(op, run.evaluate(value), run.evaluate(than)));
}
