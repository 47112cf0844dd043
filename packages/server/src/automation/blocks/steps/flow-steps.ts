import { isDeepStrictEqual } from 'node:util';
import type { ProblemCode } from '@freehold/contract/problem';
import type { CompiledTemplate } from '../../../expressions/port.ts';
import { compareBytes } from '../../../lib/byte-order.ts';
import { Problem } from '../../../lib/problem.ts';
import { placedSteps, type RaisedStatus, type StepComparison } from '../../kinds/logicblock-steps.ts';
import { blockFailure, mayBeCaught, Uncaught } from '../block-failure.ts';
import type { BlockRun, CompiledBlock, CompiledSteps, Done, OnError } from '../block-run.ts';
import { type CaughtDone, caught, checkInput, pathTo, runBlock, runSteps } from '../interpret.ts';
import { type CompileStep, type StepCompiler, textOf } from './effect-steps.ts';

export const condition: CompileStep<'condition'> = (step, compiler) => {
  const test = testOf(step.if, compiler);
  const otherwise = compiler.placeOf(step.else);
  return (run) => (test(run) ? { value: true } : { value: false, next: otherwise });
};

function testOf(
  tested: Parameters<typeof condition>[0]['if'],
  { template, when }: StepCompiler,
): (run: BlockRun) => boolean {
  if (typeof tested === 'string') {
    const expression = when(tested);
    return (run) => run.holds(expression);
  }
  const comparisons = tested.map(({ value, op, than }) => ({ value: template(value), op, than: template(than) }));
  return (run) => comparisons.every(({ value, op, than }) => compare(op, run.evaluate(value), run.evaluate(than)));
}

/** Compares two values as the lists of records do; values of different types are neither above nor below each other. */
export function compare(op: StepComparison['op'], value: unknown, than: unknown): boolean {
  switch (op) {
    case 'eq':
      return isDeepStrictEqual(value, than);
    case 'ne':
      return !isDeepStrictEqual(value, than);
    case 'gt':
      return isOrdered(value, than, (order) => order > 0);
    case 'gte':
      return isOrdered(value, than, (order) => order >= 0);
    case 'lt':
      return isOrdered(value, than, (order) => order < 0);
    case 'lte':
      return isOrdered(value, than, (order) => order <= 0);
    case 'in':
      return Array.isArray(than) && holds(than, value);
    case 'between': {
      const [low, high] = Array.isArray(than) ? than : [];
      return compare('gte', value, low) && compare('lte', value, high);
    }
    case 'startswith':
      return typeof value === 'string' && typeof than === 'string' && value.startsWith(than);
    case 'contains':
      if (Array.isArray(value)) return holds(value, than);
      return typeof value === 'string' && typeof than === 'string' && value.includes(than);
    case 'exists':
      return (value !== null && value !== undefined) === (than !== false);
  }
}

const elementsMax = 1000;

/** @throws Problem `block_failed` for a list that takes too long to look through. */
function holds(list: readonly unknown[], value: unknown): boolean {
  if (list.length > elementsMax)
    throw blockFailure(`a list that is looked through has at most ${elementsMax} elements`);
  return list.some((one) => isDeepStrictEqual(one, value));
}

function isOrdered(value: unknown, than: unknown, holds: (order: number) => boolean): boolean {
  if (typeof value === 'number' && typeof than === 'number') return holds(value - than);
  return typeof value === 'string' && typeof than === 'string' && holds(compareBytes(value, than));
}

/** Its value is that of the last step of the branch that was taken. */
export const switchOn: CompileStep<'switch'> = async (step, { template, within }) => {
  const on = template(step.on);
  const cases: { readonly is: CompiledTemplate; readonly steps: CompiledSteps }[] = [];
  for (const one of step.cases) cases.push({ is: template(one.is), steps: await within(one.steps) });
  const otherwise = step.default === undefined ? [] : await within(step.default);
  return async (run, path) => {
    const value = run.evaluate(on);
    const taken = cases.findIndex(({ is }) => isDeepStrictEqual(run.evaluate(is), value));
    const [branch, place] = taken < 0 ? [otherwise, cases.length] : [cases[taken]?.steps ?? [], taken];
    return { value: await runSteps(branch, run, pathTo(path, place)) };
  };
};

/**
 * While it goes on, its value is the element; then it is what the last step of each pass gave. It catches its errors
 * itself, pass by pass, and says how many passes failed.
 */
export const loop: CompileStep<'loop'> = async ({ id, over, max, steps }, { template, within, onError }) => {
  const elements = template(over);
  const body = await within(steps);
  const ifRefused = await onError();
  const catchingIds = placedSteps(steps).flatMap(({ step }) => (step.on_error === undefined ? [] : [step.id]));
  const listOf = (run: BlockRun): readonly unknown[] => {
    const list: unknown = run.evaluate(elements);
    if (!Array.isArray(list)) throw blockFailure('a loop goes over a list, and this is none');
    if (list.length > max) throw blockFailure(`the loop goes over at most ${max} elements`);
    return list;
  };
  const pass = (run: BlockRun, path: string): Promise<Done> => {
    // The errors of an earlier pass do not belong to this one.
    for (const one of catchingIds) run.forgetError(one);
    return runSteps(body, run, path).then((value) => ({ value }));
  };
  return async (run, path) => {
    if (ifRefused === undefined) return passes(listOf(run), run, { id, path, pass });
    const step = { id, type: 'loop' };
    run.forgetError(id);
    const started = await caught(run, { step, path, onError: ifRefused }, () => ({ value: listOf(run) }));
    if (started.isRefused === true) return started;
    return passes(started.value as readonly unknown[], run, { id, path, pass, onError: ifRefused });
  };
};

interface Passes {
  readonly id: string;
  readonly path: string;
  readonly pass: (run: BlockRun, path: string) => Promise<Done>;
  readonly onError?: OnError;
}

async function passes(list: readonly unknown[], run: BlockRun, { id, path, pass, onError }: Passes): Promise<Done> {
  const items: unknown[] = [];
  let failed = 0;
  for (const [index, item] of list.entries()) {
    run.keep(id, { item, index });
    const place = { step: { id, type: 'loop' }, path: pathTo(path, index) };
    const work = () => pass(run, place.path);
    const done: CaughtDone = onError === undefined ? await work() : await caught(run, { ...place, onError }, work);
    if (done.isRefused === true) {
      failed += 1;
      run.effects.passFailed?.();
    }
    // The run goes on at another step, so the passes behind this one are not done.
    if (done.next !== undefined) return { value: null, next: done.next };
    items.push(done.value);
  }
  return { value: { items, count: items.length, ...(onError === undefined ? {} : { failed }) } };
}

/** Its value is that of the last step of each branch. All branches finish, also where one of them fails. */
export const parallel: CompileStep<'parallel'> = async ({ branches }, { within }) => {
  const compiled: CompiledSteps[] = [];
  for (const branch of branches) compiled.push(await within(branch));
  return async (run, path) => {
    const forks = compiled.map(() => run.fork());
    const ends: PromiseSettledResult<unknown>[] = [];
    const branches = forks.map((fork, index) => () => runSteps(compiled[index] ?? [], fork, pathTo(path, index)));
    if (run.effects.isInOrder === true)
      for (const branch of branches) ends.push(...(await Promise.allSettled([branch()])));
    else ends.push(...(await Promise.allSettled(branches.map((branch) => branch()))));
    run.join(forks);
    const failures: readonly unknown[] = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    if (failures.length > 0) throw decisive(failures, run);
    return { value: ends.map((end) => (end.status === 'fulfilled' ? end.value : null)) };
  };
};

/**
 * Of several failures the one by which it goes on. What was refused stays refused, while what waits would go on; but the
 * run goes on past a refusal that is caught, so there the other branches finish first.
 */
function decisive(failures: readonly unknown[], { isCaught }: BlockRun): unknown {
  const refusals = failures.filter((failure) => failure instanceof Problem);
  const final = refusals.find((refusal) => !isCaught || !mayBeCaught(refusal));
  return final ?? failures.find((failure) => !(failure instanceof Problem)) ?? failures[0];
}

export const call: CompileStep<'call'> = ({ logicblock, input = {} }, { template }) => {
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
async function blockOf({ effects }: BlockRun, name: string): Promise<CompiledBlock> {
  try {
    return await effects.block(name);
  } catch (error) {
    throw error instanceof Problem ? new Uncaught(error, 'run') : error;
  }
}

/** An error that a block raises is a refusal like any to the block that called it. */
async function returnOf(returned: Promise<unknown>): Promise<unknown> {
  try {
    return await returned;
  } catch (error) {
    if (!(error instanceof Uncaught) || error.ends === 'run') throw error;
    const { code, message, details, cause } = error;
    throw new Problem(code, message, details, cause);
  }
}

const codes: Readonly<Record<RaisedStatus, ProblemCode>> = {
  400: 'validation_failed',
  403: 'access_denied',
  404: 'not_found',
  409: 'conflict',
  422: 'block_refused',
};

const messageMax = 2000;

/** The block's own code is in `errors`: that of the problem is the platform's, and gives its status. */
export const raise: CompileStep<'raise'> = ({ status, code, message, field = '' }, { template }) => {
  const sentence = template(message);
  return (run) => {
    const text = textOf(run.evaluate(sentence)).slice(0, messageMax).toWellFormed();
    const raised = new Problem(codes[status], text, { errors: [{ pointer: field, code, message: text }] });
    throw new Uncaught(raised, 'block');
  };
};
