import { arrayOf, closedObjectOf, objectOf, orNull, schemaReference, text } from '../../lib/json-schema.ts';
import { managementPageSize } from './audit-operations.ts';
import { deployNote as note } from './deploy-schemas.ts';
import { nexttoken } from './list-parameters.ts';
import { jsonContent, type Operation } from './operation.ts';

const tag = 'deploy';
const itemsOf = (name: string) => jsonContent(objectOf({ items: arrayOf(schemaReference(name)) }));

/** `handlers/management/deploy.ts`: production, and what is on its way there. */
const stagingOperations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/user/provision-prod',
    operationId: 'provisionProd',
    tag,
    summary: 'Gives the org its production; however often it is called there is one',
    access: 'token',
    replies: [{ status: 200, description: 'It is there.', content: jsonContent(schemaReference('ProvisionedProd')) }],
    problems: ['role_required', 'origin_refused'],
  },
  {
    method: 'GET',
    path: '/deploy/diff',
    operationId: 'readDiff',
    tag,
    summary: 'The config items of test that are not the same in production',
    access: 'token',
    replies: [{ status: 200, description: 'All of them.', content: itemsOf('ConfigDifference') }],
    problems: ['conflict'],
  },
  {
    method: 'POST',
    path: '/deploy/publish',
    operationId: 'publish',
    tag,
    summary: 'Freezes items of test as they are and stages them for production',
    description: 'What the items refer to and production lacks is staged with them, and told with its reason.',
    access: 'token',
    body: jsonContent(schemaReference('PublishRequest')),
    replies: [{ status: 201, description: 'Staged.', content: jsonContent(schemaReference('Published')) }],
    problems: ['validation_failed', 'unknown_field', 'origin_refused', 'conflict'],
  },
  {
    method: 'GET',
    path: '/deploy/staged',
    operationId: 'readStaged',
    tag,
    summary: 'What waits for its activation, and what is to be known of it',
    access: 'token',
    replies: [
      {
        status: 200,
        description: 'The items and the checks.',
        content: jsonContent(
          objectOf({
            base: text,
            items: arrayOf(schemaReference('StagedItem')),
            checks: arrayOf(schemaReference('DeployCheck')),
          }),
        ),
      },
    ],
    problems: ['conflict'],
  },
  {
    method: 'DELETE',
    path: '/deploy/staged',
    operationId: 'withdrawAll',
    tag,
    summary: 'Takes everything back that is staged',
    access: 'token',
    replies: [{ status: 204, description: 'Nothing is staged.' }],
    problems: ['origin_refused', 'conflict'],
  },
  {
    method: 'DELETE',
    path: '/deploy/staged/:kind/:name',
    operationId: 'withdraw',
    tag,
    summary: 'Takes one staged item back',
    access: 'token',
    replies: [{ status: 204, description: 'It is not staged any more.' }],
    problems: ['origin_refused', 'not_found', 'conflict'],
  },
];

/** `handlers/management/deploy.ts`: what is live in production, and was. */
const releaseOperations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/deploy/activate',
    operationId: 'activate',
    tag,
    summary: 'Makes everything that is staged live in production, all at once or not at all',
    access: 'token',
    body: jsonContent(
      closedObjectOf({ note, force: { type: 'boolean', default: false }, base: text }, ['note', 'force', 'base']),
    ),
    isBodyOptional: true,
    replies: [{ status: 200, description: 'Live.', content: jsonContent(schemaReference('Activated')) }],
    problems: [
      'version_mismatch',
      'validation_failed',
      'unknown_field',
      'role_required',
      'origin_refused',
      'conflict',
      'dangling_reference',
      'plan_limit_exceeded',
    ],
  },
  {
    method: 'POST',
    path: '/deploy/rollback',
    operationId: 'rollback',
    tag,
    summary: 'Makes an earlier release live again, without a version the one before; a later one by its version',
    access: 'token',
    body: jsonContent(closedObjectOf({ version: { type: 'integer', minimum: 1 }, note }, ['version', 'note'])),
    isBodyOptional: true,
    replies: [{ status: 200, description: 'Live.', content: jsonContent(schemaReference('RolledBack')) }],
    problems: [
      'validation_failed',
      'unknown_field',
      'role_required',
      'origin_refused',
      'not_found',
      'conflict',
      'no_previous_version',
    ],
  },
  {
    method: 'GET',
    path: '/deploy/history',
    operationId: 'listReleases',
    tag,
    summary: 'The activations and rollbacks of production, the latest first',
    access: 'token',
    parameters: [managementPageSize, nexttoken],
    replies: [
      {
        status: 200,
        description: 'A page.',
        content: jsonContent(objectOf({ items: arrayOf(schemaReference('Release')), nexttoken: orNull(text) })),
      },
    ],
    problems: ['invalid_cursor', 'conflict'],
  },
  {
    method: 'GET',
    path: '/deploy/history/:version',
    operationId: 'readRelease',
    tag,
    summary: 'One activation or rollback',
    access: 'token',
    replies: [{ status: 200, description: 'The release.', content: jsonContent(schemaReference('Release')) }],
    problems: ['not_found', 'conflict'],
  },
  {
    method: 'GET',
    path: '/deploy/retired',
    operationId: 'listRetired',
    tag,
    summary: 'The entities that production had and serves no more, whose records are kept',
    access: 'token',
    replies: [{ status: 200, description: 'All of them.', content: itemsOf('RetiredEntity') }],
    problems: ['conflict'],
  },
  {
    method: 'DELETE',
    path: '/deploy/retired/:name',
    operationId: 'removeRetired',
    tag,
    summary: 'Removes the records of a retired entity for good, in the background',
    access: 'token',
    replies: [{ status: 204, description: 'They are being removed.' }],
    problems: ['role_required', 'origin_refused', 'not_found', 'conflict'],
  },
];

export const deployOperations: readonly Operation[] = [...stagingOperations, ...releaseOperations];
