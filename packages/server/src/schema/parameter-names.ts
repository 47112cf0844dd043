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
export const sharedParameters = ['expand', 'explain', 'fields', 'filter', 'total'] as const;

export type ParameterName = (typeof reservedParameters)[number] | (typeof sharedParameters)[number];

export function isReservedParameter(name: string): boolean {
  return reservedParameters.some((parameter) => parameter === name);
}

export function isSharedParameter(name: string): boolean {
  return sharedParameters.some((parameter) => parameter === name);
}
