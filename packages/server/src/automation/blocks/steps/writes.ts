import { blockFailure } from '../block-failure.ts';
import type { StepType } from './step-compiler.ts';
import { textOf } from './text-of.ts';

export const create: StepType<'create'> = ({ id, entity, values }, { template }) => {
  const made = template(values);
  return async (run, path) => ({
    value: await run.entity(path, { id, type: 'create', entity, values: run.evaluate(made) }),
  });
};

export const update: StepType<'update'> = (step, { template }) => {
  const { id, entity } = step;
  const record = template(step.record);
  const values = template(step.values);
  const version = step.if_version === undefined ? undefined : template(step.if_version);
  return async (run, path) => {
    const ifVersion = version === undefined ? undefined : run.evaluate(version);
    if (ifVersion !== undefined && !Number.isSafeInteger(ifVersion)) throw blockFailure('`if_version` is no version');
    const asked = {
      id,
      type: 'update',
      entity,
      record: textOf(run.evaluate(record)),
      values: run.evaluate(values),
    } as const;
    const checked = ifVersion === undefined ? asked : { ...asked, if_version: Number(ifVersion) };
    return { value: await run.entity(path, checked) };
  };
};

export const remove: StepType<'delete'> = ({ id, entity, record }, { template }) => {
  const recordId = template(record);
  return async (run, path) => {
    const step = { id, type: 'delete', entity, record: textOf(run.evaluate(recordId)) } as const;
    return { value: await run.entity(path, step) };
  };
};
