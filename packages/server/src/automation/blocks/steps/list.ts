import { blockFailure } from '../block-failure.ts';
import type { StepType } from './step-compiler.ts';
import { textOf } from './text-of.ts';

export const list: StepType<'list'> = (step, { template }) => {
  const {
    id,
    entity,
    filters = [],
    sortby,
    sortdir,
    all: isWhole = false,
    pagesize = isWhole ? 200 : undefined,
    fields,
  } = step;
  const conditions = filters.map(({ field, op, value }) => ({ field, op, value: template(value) }));
  return async (run, path) => {
    const parameters = new Map<string, string>();
    const put = (name: string, text: string): void => {
      if (parameters.has(name)) throw blockFailure(`a list takes one condition on \`${name}\``);
      parameters.set(name, text);
    };
    for (const { field, op, value } of conditions) {
      put(field, parameterText(op, run.evaluate(value)));
      if (op !== 'eq') put(`${field}_op`, op);
    }
    if (sortby !== undefined) put('sortby', sortby);
    if (sortdir !== undefined) put('sortdir', sortdir);
    if (pagesize !== undefined) put('pagesize', String(pagesize));
    // With its mark, since an entity may have a field of this name.
    if (fields !== undefined) put('$fields', fields.join(','));
    return { value: await run.entity(path, { id, type: 'list', entity, parameters, isWhole }) };
  };
};

/** Values of a list are sent with commas between them, so none may hold one. */
function parameterText(op: string, value: unknown): string {
  if (op !== 'in' && op !== 'between') return textOf(value);
  const texts = (Array.isArray(value) ? value : [value]).map(textOf);
  if (texts.some((text) => text.includes(','))) throw blockFailure(`\`${op}\` takes no value with a comma in it`);
  return texts.join(',');
}
