import { ApiProblem } from '../../../api/problem.ts';
import type { Field } from '../../entities/definition.ts';
import { Refusal } from '../../records/denial.tsx';

interface Props {
  readonly error: unknown;
  /** Those whose mistakes stand at them. */
  readonly fields: readonly Field[];
}

/** Why a record was not saved, with the decision behind a refusal by policies. */
export function SaveProblem({ error, fields }: Props) {
  return <Refusal error={error instanceof ApiProblem ? withoutMistakesAt(fields, error) : error} />;
}

/** The problem without what is said at the fields. */
function withoutMistakesAt(fields: readonly Field[], problem: ApiProblem): ApiProblem {
  const others = problem.errors.filter(({ pointer }) => !fields.some(({ name }) => isWithin(pointer, name)));
  if (problem.body === undefined || others.length === problem.errors.length) return problem;
  return new ApiProblem({ ...problem.body, detail: 'correct the fields that are marked', errors: others }, '');
}

/** Whether a pointer leads to the field or into it. */
export function isWithin(pointer: string, name: string): boolean {
  const field = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return pointer === field || pointer.startsWith(`${field}/`);
}
