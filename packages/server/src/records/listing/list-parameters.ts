/**
 * Parameters and fields share the query string of a list. Each parameter can be sent with `$` before its name, which
 * no field can have; a parameter that shares its name with a field of the entity is sent so alone.
 */
import {
  type CompiledEntity,
  fieldNamed,
  isReservedParameter,
  isSharedParameter,
  type ParameterName,
} from '../../schema/port.ts';

type EntityFields = Pick<CompiledEntity, 'fields' | 'aliases'>;

/** The parameters of lists, counts, exports and aggregates; each refuses those that only others take. */
const takenBy = {
  list: [
    'owner',
    'all',
    'view',
    'expand',
    'q',
    'filter',
    'sortby',
    'sortdir',
    'pagesize',
    'nexttoken',
    'total',
    'fields',
    'explain',
    'facets',
  ],
  count: ['owner', 'all', 'view', 'q', 'filter', 'sortby', 'sortdir', 'pagesize', 'nexttoken', 'explain'],
  export: ['owner', 'all', 'view', 'q', 'filter', 'sortby', 'sortdir'],
  /** Beside its own: those by which records are chosen, and `explain`. */
  aggregate: ['owner', 'all', 'q', 'filter', 'explain'],
} as const satisfies Readonly<Record<string, readonly ParameterName[]>>;

export type ListRoute = keyof typeof takenBy;

/**
 * A query with one spelling of each parameter: `$sortby` is `sortby`, and `$total` is `total` if the entity has no such
 * field. Where both spellings of a parameter are sent, one keeps its `$`, and its reader refuses it.
 * @param entity that of a list; undefined for other requests, whose parameters name no fields.
 */
export function withPlainNames(
  parameters: ReadonlyMap<string, string>,
  entity?: EntityFields,
): ReadonlyMap<string, string> {
  if (![...parameters.keys()].some((name) => name.startsWith('$'))) return parameters;
  const plain = new Map<string, string>();
  for (const [name, text] of parameters) {
    const other = parameterOf(name);
    const isPlain = other === undefined || parameters.has(other) || isClaimed(other, entity);
    plain.set(isPlain ? name : other, text);
  }
  return plain;
}

/** The data that are sent of a parameter. @param parameters with plain names. */
export function parameter(
  { parameters, entity }: { readonly parameters: ReadonlyMap<string, string>; readonly entity: EntityFields },
  name: ParameterName,
): string | undefined {
  return parameters.get(nameIn(entity, name));
}

export function nameIn(entity: EntityFields, name: ParameterName): string {
  return isClaimed(name, entity) ? `$${name}` : name;
}

/** Whether a name is that of a parameter, not of a field. @param name as `withPlainNames` has it. */
export function isParameter(entity: EntityFields, name: string): boolean {
  const named = parameterOf(name);
  if (named !== undefined) return isClaimed(named, entity);
  return isKnown(name) && !isClaimed(name, entity);
}

/** The mistake in a name that is no parameter of a route. @param name as `withPlainNames` has it. */
export function parameterMistake(
  entity: EntityFields,
  route: ListRoute,
  name: string,
): { readonly code: string; readonly message: string } | undefined {
  const plain = parameterOf(name) ?? name;
  if (!isParameter(entity, name)) {
    if (plain === name) return undefined;
    return { code: 'contradiction', message: `\`${plain}\` and \`${name}\` are one parameter: send one of them` };
  }
  if (takenBy[route].some((taken) => taken === plain)) return undefined;
  return { code: 'unknown_parameter', message: `\`${name}\` is no parameter of this route` };
}

/** The parameter that is sent with `$` before its name. */
function parameterOf(name: string): string | undefined {
  return name.startsWith('$') && isKnown(name.slice(1)) ? name.slice(1) : undefined;
}

function isKnown(name: string): boolean {
  return isReservedParameter(name) || isSharedParameter(name);
}

function isClaimed(name: string, entity: EntityFields | undefined): boolean {
  return isSharedParameter(name) && entity !== undefined && fieldNamed(entity, name) !== undefined;
}
