import { recordRoutes } from '@freehold/contract/app/records';
import type { entitiesApi } from '@freehold/contract/management/entities';
import type { ReplyOf } from '@freehold/contract/route';
import type { JsonSchema } from '../lib/json-schema.ts';
import {
  apiName,
  type CompiledEntity,
  colTypeOf,
  type FieldDefinition,
  fieldTypeOf,
  isPlatformMade,
} from '../schema/port.ts';
import { type EntityOperation, entityOperations } from './openapi/entity-operations.ts';
import { isNeeded } from './openapi/entity-schemas.ts';
import { filterOperator, filterSchemas } from './openapi/list-parameters.ts';
import type { Parameter } from './openapi/operation.ts';
import { pathParameters, templatedPath } from './openapi/render-operation.ts';
import { typeNames } from './openapi/type-names.ts';
import { platformFieldSchemas } from './openapi/view-schemas.ts';

type EntityEndpoint = ReplyOf<typeof entitiesApi.readEntityEndpoints>['endpoints'][number];
type EndpointParameter = EntityEndpoint['params'][number];

/** The routes that an app has for an entity, as its OpenAPI document tells of them. */
export function entityEndpoints(orgCode: string, entity: CompiledEntity): readonly EntityEndpoint[] {
  return [...typeNames([entity], [])].flatMap(({ names }) =>
    entityOperations({ entity, names, view: 'default', lookedUp: () => undefined, expansions: () => [] }).map(
      (operation) => endpointOf(orgCode, entity, operation),
    ),
  );
}

function endpointOf(orgCode: string, entity: CompiledEntity, operation: EntityOperation): EntityEndpoint {
  const { action, method, parameters = [] } = operation;
  const path = operation.path.replace(':org', orgCode);
  const { access } = recordRoutes[action];
  const body = bodyOf(entity, action);
  const chosen = parameters
    .filter((one) => one.in !== 'header' && one.deprecated !== true)
    .map((one) => parameterOf(entity, one));
  return {
    action,
    method,
    path: templatedPath(path),
    // A count is a way of listing, and has no config of its own.
    api: apiName(access === 'count' ? 'list' : access, entity.name),
    params: [
      ...pathParameters(path).map((one) => parameterOf(entity, one)),
      ...body.map(({ field, required }) => ({
        name: field.name,
        in: 'body' as const,
        type: colTypeOf(field),
        required,
      })),
      // The operators of all fields are one parameter here.
      ...new Map(chosen.map((one) => [one.name, one])).values(),
    ],
    example: exampleOf({ action, method, path: templatedPath(path) }, body),
  };
}

interface SentField {
  readonly field: FieldDefinition;
  readonly required: boolean;
}

/** The fields of a body, without those that the platform makes. */
function bodyOf(entity: CompiledEntity, action: EntityOperation['action']): readonly SentField[] {
  if (action !== 'create' && action !== 'update') return [];
  const sent = [...entity.fields.values()].filter((field) => !isPlatformMade(field.behaviour));
  return sent.map((field) => ({
    field: field.definition,
    required: action === 'create' && isNeeded(entity, field),
  }));
}

function parameterOf(
  { fields }: CompiledEntity,
  { name, schema, 'x-views': views, ...place }: Parameter,
): EndpointParameter {
  const at = { in: place.in === 'path' ? place.in : ('query' as const), required: place.required === true };
  if (views !== undefined) return { name, type: views.join('|'), ...at };
  if (schema === filterOperator) return { name: '<field>_op', type: schemaType(filterSchemas.FilterOperator), ...at };
  const field = fields.get(name)?.definition;
  const type = field === undefined ? schemaType(platformFieldSchemas[name] ?? schema) : colTypeOf(field);
  return { name, type, ...at };
}

function schemaType({ type, format, enum: listed }: JsonSchema = {}): string {
  if (Array.isArray(listed)) return listed.join('|');
  if (format === 'uuid') return 'guid';
  return format === 'date-time' ? 'datetime' : String(type);
}

function exampleOf(
  { action, method, path }: Omit<EntityEndpoint, 'api' | 'params' | 'example'>,
  body: readonly SentField[],
) {
  const call = `curl -X ${method} "$BASE_URL${path.replace('{id}', '$ID')}" -H "Authorization: Bearer $TOKEN"`;
  if (action === 'import') return `${call} -H 'Content-Type: text/csv' --data-binary @records.csv`;
  if (body.length === 0) return call;
  const shown = body.filter(({ required }, index) => index < 5 || required);
  const sent = Object.fromEntries(shown.map(({ field }) => [field.name, fieldTypeOf(field).example?.(field)]));
  return `${call} -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(sent))}`;
}

/** Quotes a text as one word for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
