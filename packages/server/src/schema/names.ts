/** Names a builder gives. What lives on `Object.prototype` is refused, so that no name can mean a built-in member. */

import { systemEntityNames } from '@freehold/contract/system-entities';
import { isReservedParameter } from './parameter-names.ts';

const entityName = /^[a-z][a-z0-9_]{0,62}$/;
/** What a segment of a path has without an escape. */
const apiName = /^[A-Za-z0-9._~-]{1,512}$/;
const fieldName = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;

/** A sentence about what is wrong with an entity's name, if anything is. */
export function entityNameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string' || !entityName.test(name) || isBuiltIn(name))
    return '`entityName` must be a lower-case letter and then at most 62 of `a-z`, `0-9`, `_`';
  if (systemEntityNames.includes(name)) return `\`${name}\` is a system entity and cannot be redefined`;
  return undefined;
}

/** A sentence about what is wrong with the name under which an entity is created, if anything is. */
export function apiNameProblem(name: unknown): string | undefined {
  if (typeof name === 'string' && apiName.test(name)) return undefined;
  return '`apiname` must be 1 to 512 of `A-Z`, `a-z`, `0-9`, `-`, `.`, `_`, `~`';
}

export function fieldNameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string' || !fieldName.test(name) || isBuiltIn(name))
    return 'a field needs a `name`: a letter and then at most 62 of `A-Z`, `a-z`, `0-9`, `_`';
  if (isReservedParameter(name) || name.endsWith('_op'))
    return `a field cannot be named \`${name}\`: it is a parameter of lists`;
  return undefined;
}

/** A sentence about what is wrong with the name of a view, if anything is. */
export function viewNameProblem(name: unknown): string | undefined {
  if (typeof name === 'string' && entityName.test(name) && !isBuiltIn(name)) return undefined;
  return 'the name of a view must be a lower-case letter and then at most 62 of `a-z`, `0-9`, `_`';
}

/** What a view calls a member of its reply. It is no parameter of lists, so the names of those are free. */
export function memberNameProblem(name: unknown): string | undefined {
  if (typeof name === 'string' && fieldName.test(name) && !isBuiltIn(name)) return undefined;
  return '`as` must be a letter and then at most 62 of `A-Z`, `a-z`, `0-9`, `_`';
}

function isBuiltIn(name: string): boolean {
  return name in Object.prototype || name === '__proto__';
}
