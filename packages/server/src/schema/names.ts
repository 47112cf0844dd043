import { routeActionNames, routeActions } from '@freehold/contract/route-actions';
import { systemEntityNames } from '@freehold/contract/system-entities';

/** Names a builder gives. What lives on `Object.prototype` is refused, so that no name can mean a built-in member. */

const entityName = /^[a-z][a-z0-9_]{0,62}$/;
/** The form of a segment of a path without an escape. */
const apiName = /^[A-Za-z0-9._~-]{1,512}$/;
const fieldName = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;

/** A sentence about what is wrong with an entity's name, if anything is. */
export function entityNameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string' || !entityName.test(name))
    return '`entityName` must be a lower-case letter and then at most 62 of `a-z`, `0-9`, `_`';
  const proposal = `choose another name, such as \`app_${name}\``;
  if (isBuiltIn(name)) return `\`${name}\` is a built-in name: ${proposal}`;
  if (systemEntityNames.includes(name)) return `\`${name}\` is a system entity and cannot be redefined: ${proposal}`;
  return undefined;
}

/** The same for a new entity. A stored entity keeps its name. */
export function newEntityNameProblem(name: unknown): string | undefined {
  return entityNameProblem(name) ?? routeNameProblem(name);
}

/** A sentence about the routes that policies about the records of an entity would be about as well, if there are any. */
export function routeNameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string' || !routeActionNames.includes(name)) return undefined;
  const taken = routeActions.filter((one) => one.name === name).map(({ action }) => `\`${action}\``);
  return `no new entity can be named \`${name}\`: policies that allow ${[...new Set(taken)].join(', ')} reach routes of the workspace; choose another name, such as \`app_${name}\``;
}

/** A sentence about what is wrong with the name under which an entity is created, if anything is. */
export function apiNameProblem(name: unknown): string | undefined {
  if (typeof name === 'string' && apiName.test(name)) return undefined;
  return '`apiname` must be 1 to 512 of `A-Z`, `a-z`, `0-9`, `-`, `.`, `_`, `~`';
}

export function fieldNameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string' || !fieldName.test(name))
    return 'a field needs a `name`: a letter and then at most 62 of `A-Z`, `a-z`, `0-9`, `_`';
  return reservedFieldNameProblem(name);
}

/** A sentence about what a name means that a field could have otherwise; undefined also where it could not. */
export function reservedFieldNameProblem(name: string): string | undefined {
  if (!fieldName.test(name)) return undefined;
  if (isBuiltIn(name)) return `a field cannot be named \`${name}\`, a built-in name: ${otherFieldName(name)}`;
  if (isReservedParameter(name) || name.endsWith('_op'))
    return `a field cannot be named \`${name}\`: it is a parameter of lists; ${otherFieldName(name)}`;
  return undefined;
}

/** The proposal in a refusal of a reserved name of a field. */
export function otherFieldName(name: string): string {
  return `choose another name, such as \`${name.slice(0, 57)}_value\``;
}

/** A sentence about what is wrong with the name of a view, if anything is. */
export function viewNameProblem(name: unknown): string | undefined {
  if (typeof name === 'string' && entityName.test(name) && !isBuiltIn(name)) return undefined;
  return 'the name of a view must be a lower-case letter and then at most 62 of `a-z`, `0-9`, `_`';
}

/** Checks a view's name for a member of its reply. It is no parameter of lists, so the names of those are free. */
export function memberNameProblem(name: unknown): string | undefined {
  if (typeof name === 'string' && fieldName.test(name) && !isBuiltIn(name)) return undefined;
  return '`as` must be a letter and then at most 62 of `A-Z`, `a-z`, `0-9`, `_`';
}

function isBuiltIn(name: string): boolean {
  return name in Object.prototype || name === '__proto__';
}

/** Parameters of lists whose names no field may have. */
export const reservedParameters = [
  'owner',
  'all',
  'view',
  'q',
  'facets',
  'sortby',
  'sortdir',
  'pagesize',
  'nexttoken',
] as const;

/**
 * Parameters of lists that came after fields could have these names. In lists of an entity with such a field the name
 * stays that of the field, and the parameter has `$` before its name.
 */
export const sharedParameters = [
  'expand',
  'explain',
  'fields',
  'filter',
  'group',
  'having',
  'measure',
  'time_zone',
  'total',
] as const;

export type ParameterName = (typeof reservedParameters)[number] | (typeof sharedParameters)[number];

export function isReservedParameter(name: string): boolean {
  return reservedParameters.some((parameter) => parameter === name);
}

export function isSharedParameter(name: string): boolean {
  return sharedParameters.some((parameter) => parameter === name);
}
