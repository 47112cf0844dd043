import { Type } from '@sinclair/typebox';
import { documentView, entityName, environment, ifMatch, ifNoMatch, ifNoneMatch } from '../parameters.ts';
import { InputError } from '../problem-schema.ts';
import { reply, route } from '../route.ts';
import {
  anyObject,
  closed,
  count,
  guid,
  itemsOf,
  madeByServer,
  named,
  ofRecords,
  oneOf,
  text,
  time,
} from '../schema.ts';

const CreateConfig = madeByServer('CreateConfig');
const Views = madeByServer('Views');
const EntityDefinition = madeByServer('EntityDefinition');
const ConfigChange = madeByServer('ConfigChange');

export const DefinedEntity = named(
  'DefinedEntity',
  Type.Object({
    entityName: text,
    apis: Type.Array(text),
    version: Type.Integer(),
    warnings: Type.Optional(Type.Array(text)),
  }),
);

const PlannedEntity = named(
  'PlannedEntity',
  Type.Object({ entityName: text, apis: Type.Array(text), warnings: Type.Optional(Type.Array(text)) }),
);

const dryRun = (description: string) => Type.Boolean({ default: false, description });

export const EntitySummary = named(
  'EntitySummary',
  Type.Object({
    name: text,
    apis: Type.Array(text),
    records: Type.Integer(),
    updated_at: time,
    lookups: Type.Array(Type.Object({ field: text, entity: text }), {
      description: 'The fields that refer to records, each with the entity that it refers to.',
    }),
  }),
);

export const ApiConfig = named(
  'ApiConfig',
  Type.Object({ key: text, version: Type.Integer(), entityName: text, action: text, method: text, path: text, Views }),
);

export const EntityIndex = named(
  'EntityIndex',
  Type.Object({
    name: Type.String({ description: 'Of a compound index its fields with commas between them.' }),
    kind: oneOf(['field', 'unique', 'owner', 'parent', 'search', 'compound', 'aggregate']),
    state: oneOf(['building', 'ready', 'failed']),
    done: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Records indexed so far, while the index is being built.' }),
    ),
    total: Type.Optional(count),
    duplicates: ofRecords(
      Type.Array(Type.Object({ tenant_code: text, ids: Type.Array(guid, { minItems: 2, maxItems: 2 }) }), {
        description: 'Records with equal values.',
      }),
    ),
    crowded_in: Type.Optional(
      Type.String({ description: 'Of a failed aggregate a workspace in which it has too many groups.' }),
    ),
  }),
);

export const EntityFill = named(
  'EntityFill',
  Type.Object({
    field: text,
    state: oneOf(['filling', 'failed']),
    done: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Records gone through so far, while the field is being filled.' }),
    ),
    total: Type.Optional(count),
    failed: ofRecords(
      Type.Object({
        records: Type.Integer({ minimum: 1, description: 'Records that could not be given a value.' }),
        examples: Type.Array(Type.Object({ tenant_code: text, id: guid }), { maxItems: 20 }),
      }),
    ),
  }),
);

export const EntityConfigs = named(
  'EntityConfigs',
  Type.Object({
    entityName: text,
    create: CreateConfig,
    get: ApiConfig,
    list: ApiConfig,
    update: ApiConfig,
    delete: ApiConfig,
    indexes: Type.Array(EntityIndex),
    fills: Type.Optional(Type.Array(EntityFill)),
  }),
);

export const ChangedApi = named(
  'ChangedApi',
  Type.Object({
    entityName: text,
    api: text,
    version: Type.Integer(),
    indexes: Type.Optional(Type.Array(EntityIndex)),
    fills: Type.Optional(Type.Array(EntityFill)),
    warnings: Type.Optional(Type.Array(text)),
  }),
);

const ChangeExample = Type.Object({
  tenant_code: text,
  id: guid,
  errors: Type.Optional(Type.Array(InputError, { description: 'Why the record fails.' })),
});

const PlannedStep = Type.Object({
  change: oneOf([
    'field_added',
    'field_removed',
    'field_changed',
    'field_renamed',
    'field_converted',
    'field_filled',
    'values_lost',
    'index_built',
    'index_dropped',
    'unique_contradicted',
    'check_added',
    'check_removed',
    'check_changed',
    'view_added',
    'view_removed',
    'view_changed',
    'definition_changed',
  ]),
  message: text,
  field: Type.Optional(text),
  from: Type.Optional(Type.String({ description: 'The name that a renamed field had.' })),
  index: Type.Optional(Type.Object({ kind: text, name: text })),
  check: Type.Optional(Type.String({ description: 'The expression of the check.' })),
  view: Type.Optional(text),
  records: Type.Union([Type.Integer({ minimum: 0 }), Type.Object({ atLeast: Type.Integer({ minimum: 0 }) })], {
    description:
      'How many records fail by the step, lose a value, are indexed, are gone through to fill a field, or have the values of others.',
  }),
  examples: Type.Array(ChangeExample, {
    maxItems: 5,
    description: 'Some of the records that fail, lose a value or have the values of others.',
  }),
});

export const PlannedChange = named(
  'PlannedChange',
  Type.Object({
    plan: Type.Array(PlannedStep),
    would_fail: Type.Boolean({ description: 'Whether the change needs `force=true` because records fail its rules.' }),
    would_lose: Type.Boolean({ description: 'Whether the change needs `force=true` because records lose values.' }),
    would_revive: Type.Optional(
      Type.Array(
        Type.Object({
          name: text,
          policies: Type.Integer({ minimum: 0, description: 'How many of the policies that were checked name it.' }),
          examples: Type.Array(Type.Object({ tenant_code: text, id: guid }), {
            maxItems: 5,
            description: 'Some of these policies.',
          }),
        }),
        {
          description:
            'Names of removed fields that the change gives to fields, and that policies name. It needs `force=true`, also with an empty list, which says that there are too many policies to check.',
        },
      ),
    ),
    warnings: Type.Optional(Type.Array(text)),
  }),
);

export const EntityEndpoint = named(
  'EntityEndpoint',
  Type.Object({
    action: text,
    method: text,
    path: text,
    api: text,
    params: Type.Array(
      Type.Object({ name: text, in: oneOf(['path', 'query', 'body']), type: text, required: Type.Boolean() }),
    ),
    example: Type.String({ description: 'The call as a shell command.' }),
  }),
);

export const entitiesApi = {
  defineEntity: route({
    method: 'POST',
    path: '/api/:apiname',
    access: 'developer',
    tag: 'entity',
    summary: 'Defines an entity, and with it five APIs',
    query: closed({
      env: environment,
      dry_run: dryRun('Checks the definition, replies with what would be defined, and defines nothing.'),
    }),
    body: EntityDefinition,
    replies: {
      201: reply('Defined.', DefinedEntity, ['Idempotency-Replayed']),
      200: reply('What would be defined, by a dry run.', PlannedEntity),
    },
    problems: ['prod_read_only', 'conflict', 'plan_limit_exceeded'],
    repeats: 'by handler',
  }),
  changeApi: route({
    method: 'PUT',
    path: '/api/:apiname',
    access: 'developer',
    tag: 'entity',
    summary: 'Changes one of the five configs of an entity',
    description:
      'Sent members replace the stored ones; `null` removes an optional member. Fields of `UpdateParams` are merged by name, renamed by `renamedFrom`, and removed if `removeFields` names them: 409 with `would_lose` if records have values in them. The create config is the definition, the others have `Views` of their own.',
    query: closed({
      env: environment,
      force: Type.Boolean({
        default: false,
        description: 'Makes the change even if records would fail its checks or lose values.',
      }),
      dry_run: dryRun('Replies with the plan of the change and makes no change.'),
    }),
    headers: [ifMatch, ifNoMatch],
    body: ConfigChange,
    replies: { 200: reply('Changed, or the plan of the change.', Type.Union([ChangedApi, PlannedChange]), ['ETag']) },
    problems: ['prod_read_only', 'not_found', 'conflict', 'version_mismatch', 'plan_limit_exceeded'],
    takesTags: true,
  }),
  listEntities: route({
    method: 'GET',
    path: '/api/entities',
    access: 'developer',
    tag: 'entity',
    summary: 'The entities of the org',
    query: closed({ env: environment }),
    compressed: 'reply',
    replies: { 200: reply('All of them.', itemsOf(EntitySummary)) },
  }),
  readEntity: route({
    method: 'GET',
    path: '/api/entity',
    access: 'developer',
    tag: 'entity',
    summary: 'The five configs of an entity',
    description: 'With the progress of its indexes, and of fields that are being filled.',
    query: closed({ env: environment, entityName }),
    compressed: 'reply',
    replies: { 200: reply('The configs.', EntityConfigs) },
    problems: ['not_found'],
    production: { leftOut: 'which records are equal or failed' },
  }),
  readEntityEndpoints: route({
    method: 'GET',
    path: '/api/entity/endpoints',
    access: 'developer',
    tag: 'entity',
    summary: 'The app routes of an entity, each with an example call',
    query: closed({ env: environment, entity: entityName }),
    compressed: 'reply',
    replies: { 200: reply('The routes.', Type.Object({ endpoints: Type.Array(EntityEndpoint) })) },
    problems: ['not_found'],
  }),
  readAppOpenapi: route({
    method: 'GET',
    path: '/api/openapi.json',
    access: 'developer',
    tag: 'entity',
    summary: 'App routes as an OpenAPI document',
    description:
      'Those of an entity; without one, the routes that every app has. The app gateway serves all of them as one document to holders of an app token.',
    query: closed({
      env: environment,
      entity: Type.Optional(Type.String({ description: 'The name of an entity, of the builder or of the platform.' })),
      view: documentView,
    }),
    headers: [ifNoneMatch],
    compressed: 'document',
    replies: {
      200: reply('OpenAPI 3.1.', anyObject(), ['ETag']),
      304: reply('The caller’s copy is current.', ['ETag']),
    },
    problems: ['not_found'],
  }),
  removeEntity: route({
    method: 'DELETE',
    path: '/api/entity',
    access: 'developer',
    tag: 'entity',
    summary: 'Removes an entity and its records',
    description:
      'The records are unreachable at once and removed in the background; until then the name cannot be used again (409).',
    query: closed({
      env: environment,
      entityname: entityName,
      if_empty: Type.Boolean({ default: false, description: 'Refuses if the entity has records.' }),
    }),
    replies: { 204: reply('Removed.') },
    problems: ['not_found', 'prod_read_only', 'conflict', 'dangling_reference', 'in_use'],
  }),
};
