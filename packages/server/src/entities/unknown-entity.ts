import { notFound, Problem } from '../lib/problem.ts';

export function unknownEntity(entityName: string): Problem {
  const { code } = notFound();
  return new Problem(code, `there is no entity \`${entityName.slice(0, 100)}\``);
}
