import { operators } from '../../records/port.ts';
import {
  apiName,
  colTypeOf,
  type EntityDefinition,
  type FieldDefinition,
  fieldTypeOf,
  isPlatformField,
  isPlatformMade,
  routeOf,
} from '../../schema/port.ts';

/** One route that an app may call for an entity, with what it takes and a call to copy. */
export interface EntityEndpoint {
  readonly action: string;
  readonly method: string;
  readonly path: string;
  readonly api: string;
  readonly params: readonly EndpointParameter[];
  readonly example: string;
}

interface EndpointParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'body';
  readonly type: string;
  readonly required: boolean;
}

const endpointActions = ['create', 'get', 'list', 'count', 'update', 'delete'] as const;
type EndpointAction = (typeof endpointActions)[number];

export function entityEndpoints(orgCode: string, definition: EntityDefinition): readonly EntityEndpoint[] {
  const fields = definition.UpdateParams.filter(({ name }) => !isPlatformField(name));
  return endpointActions.map((action) => {
    const { method, path } = routeOf(action, definition.entityName);
    const fullPath = `/app/${orgCode}${path}`;
    return {
      action,
      method,
      path: fullPath,
      // Counting is a way of listing, and has no config of its own.
      api: apiName(action === 'count' ? 'list' : action, definition.entityName),
      params: parametersOf(action, definition, fields),
      example: exampleOf(action, method, fullPath, fields),
    };
  });
}

function parametersOf(
  action: EndpointAction,
  definition: EntityDefinition,
  fields: readonly FieldDefinition[],
): readonly EndpointParameter[] {
  const ofFields = (place: 'body' | 'query'): readonly EndpointParameter[] =>
    fields.filter(place === 'body' ? isSent : isFiltered).map((field) => ({
      name: field.name,
      in: place,
      type: colTypeOf(field),
      required: place === 'body' && action === 'create' && mustBeSent(field),
    }));
  const choice = [...ofFields('query'), query('<field>_op', operators.join('|')), ...otherChoices(definition)];
  switch (action) {
    case 'create':
      return [...ofFields('body'), view];
    case 'update':
      return [id, ...ofFields('body'), view];
    case 'get':
      return [id, view];
    case 'delete':
      return [id];
    case 'count':
      return [...choice, query('nexttoken', 'string')];
    case 'list':
      return [
        ...choice,
        view,
        query('sortby', 'string'),
        query('sortdir', 'asc|desc'),
        query('pagesize', 'number'),
        query('nexttoken', 'string'),
      ];
  }
}

const id: EndpointParameter = { name: 'id', in: 'path', type: 'guid', required: true };
const view = query('view', 'string');

function query(name: string, type: string): EndpointParameter {
  return { name, in: 'query', type, required: false };
}

/** What records are chosen by beside the values of their fields. */
function otherChoices({ ownerIndexes = [], UpdateParams }: EntityDefinition): readonly EndpointParameter[] {
  return [
    ...(ownerIndexes.length > 0 ? [query('owner', 'guid')] : []),
    ...(ownerIndexes.some(({ scopeList }) => scopeList === true) ? [query('all', 'boolean')] : []),
    ...(UpdateParams.some(({ search }) => search === true) ? [query('q', 'string')] : []),
  ];
}

function isSent(field: FieldDefinition): boolean {
  return !isPlatformMade(fieldTypeOf(field));
}

function isFiltered(field: FieldDefinition): boolean {
  return fieldTypeOf(field).isOpaque !== true;
}

function mustBeSent(field: FieldDefinition): boolean {
  return field.validate === true && field.required !== false && field.default === undefined;
}

function exampleOf(action: EndpointAction, method: string, path: string, fields: readonly FieldDefinition[]): string {
  const call = `curl -X ${method} "$BASE_URL${path.replace('{id}', '$ID')}" -H "Authorization: Bearer $TOKEN"`;
  if (action !== 'create' && action !== 'update') return call;
  const shown = fields.filter(isSent).filter((field, index) => index < 5 || mustBeSent(field));
  const body = Object.fromEntries(shown.map((field) => [field.name, fieldTypeOf(field).example?.(field)]));
  return `${call} -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`;
}

/** One word for a POSIX shell, whatever stands in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
