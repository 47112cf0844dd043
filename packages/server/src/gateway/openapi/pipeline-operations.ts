import {
  arrayOf,
  closedObjectOf,
  type JsonSchema,
  objectOf,
  schemaReference,
  text,
  time,
} from '../../lib/json-schema.ts';
import { deployKeyScope } from './deploy-schemas.ts';
import { jsonContent, type Operation } from './operation.ts';
import { env, queryParameter } from './parameters.ts';

const tag = 'deploy';
const binary: JsonSchema = {};
const flag: JsonSchema = { type: 'boolean', default: false };

/** `handlers/management/deploy-archive.ts` */
const archiveOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/deploy/export',
    operationId: 'exportConfig',
    tag,
    summary:
      'The configuration of an environment as a folder of files in a tar archive, the same bytes for the same items',
    access: 'token',
    parameters: [env],
    replies: [
      {
        status: 200,
        description: 'The archive.',
        content: { 'application/x-tar': binary },
        headers: ['Content-Disposition'],
      },
    ],
    problems: ['conflict'],
  },
  {
    method: 'POST',
    path: '/deploy/import',
    operationId: 'importConfig',
    tag,
    summary: 'What an archive would change in test, and with the `base` of that answer the change itself',
    access: 'token',
    parameters: [
      env,
      queryParameter('base', text, 'What the comparison was called that is agreed to. Without it nothing is written.'),
      queryParameter('remove', flag, 'Takes items of test away that are not in the archive.'),
      queryParameter('force', flag, 'Takes definitions also where records of test would fail by them.'),
    ],
    body: { 'application/x-tar': binary },
    replies: [{ status: 200, description: 'What changes.', content: jsonContent(schemaReference('ConfigImport')) }],
    problems: [
      'validation_failed',
      'body_too_large',
      'prod_read_only',
      'role_required',
      'origin_refused',
      'version_mismatch',
      'conflict',
      'dangling_reference',
      'plan_limit_exceeded',
    ],
  },
];

/** `handlers/management/deploy-keys.ts` */
const keyOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/deploy/keys',
    operationId: 'listDeployKeys',
    tag,
    summary: 'The keys of the org’s pipelines, the oldest first',
    access: 'token',
    replies: [
      {
        status: 200,
        description: 'All of them.',
        content: jsonContent(objectOf({ items: arrayOf(schemaReference('DeployKey')) })),
      },
    ],
    problems: ['role_required'],
  },
  {
    method: 'POST',
    path: '/deploy/keys',
    operationId: 'createDeployKey',
    tag,
    summary: 'Makes a key for a pipeline, which may publish, or activate and roll back, and nothing else',
    access: 'token',
    body: jsonContent(closedObjectOf({ name: text, scope: deployKeyScope, expires_at: time }, ['expires_at'])),
    replies: [{ status: 201, description: 'Made.', content: jsonContent(schemaReference('CreatedDeployKey')) }],
    problems: ['validation_failed', 'unknown_field', 'role_required', 'origin_refused', 'conflict'],
  },
  {
    method: 'DELETE',
    path: '/deploy/keys/:id',
    operationId: 'removeDeployKey',
    tag,
    summary: 'Ends a key',
    access: 'token',
    replies: [{ status: 204, description: 'Ended.' }],
    problems: ['role_required', 'origin_refused', 'not_found'],
  },
];

/** Configuration in files, and the keys of who moves it by themselves. */
export const pipelineOperations: readonly Operation[] = [...archiveOperations, ...keyOperations];
