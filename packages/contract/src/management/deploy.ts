import { Type } from '@sinclair/typebox';
import { environment, nexttoken, pagesize } from '../parameters.ts';
import { reply, route } from '../route.ts';
import { closed, itemsOf, lineTitle, oneOf, pageOf, text, time } from '../schema.ts';
import { Email } from './accounts.ts';
import {
  Activated,
  ConfigDifference,
  ConfigImport,
  CreatedDeployKey,
  DeployCheck,
  DeployKey,
  deployKeyScopes,
  ProvisionedProd,
  Published,
  PublishRequest,
  Release,
  RetiredEntity,
  RolledBack,
  StagedItem,
} from './deploy-schemas.ts';

const releaseVersion = (options: { readonly description?: string } = {}) =>
  Type.Integer({ minimum: 1, maximum: 999_999_999_999, ...options });

const comparedRecords = 'what the records of production have against changed definitions';

export const deployApi = {
  provisionProd: route({
    method: 'POST',
    path: '/user/provision-prod',
    access: 'org_admin',
    tag: 'deploy',
    summary: 'Provisions the org’s production environment',
    description:
      'Once; names its first admin. The user of the app who signs in with this address, verified, becomes the first admin of the default workspace. Until then ' +
      'all others join it with `default_member_access`, and the address can be changed by the same call. An active setting ' +
      '`tenancy.founder_email` wins. Left out, `founder_email` is the address of the caller where production is new, and stays as it is else.',
    body: closed({ founder_email: Type.Optional(Email) }),
    isBodyOptional: true,
    replies: { 200: reply('Production exists.', ProvisionedProd) },
    problems: ['conflict'],
    refusedAs: 'environment.provision_refused',
  }),
  readDiff: route({
    method: 'GET',
    path: '/deploy/diff',
    access: 'watch',
    tag: 'deploy',
    summary: 'The config items that differ between test and production',
    compressed: 'reply',
    replies: { 200: reply('All of them.', itemsOf(ConfigDifference)) },
    problems: ['conflict'],
  }),
  publish: route({
    method: 'POST',
    path: '/deploy/publish',
    access: 'publish',
    tag: 'deploy',
    summary: 'Stages items of test for production',
    description:
      'The items are frozen as they are. Items that these refer to and that production lacks are staged with them, each with the reason.',
    body: PublishRequest,
    replies: { 201: reply('Staged.', Published) },
    problems: ['conflict'],
    refusedAs: 'deploy.publication_refused',
    production: { leftOut: comparedRecords },
  }),
  readStaged: route({
    method: 'GET',
    path: '/deploy/staged',
    access: 'watch',
    tag: 'deploy',
    summary: 'The staged items, and the checks before their activation',
    compressed: 'reply',
    replies: {
      200: reply(
        'The items and the checks.',
        Type.Object({ base: text, items: Type.Array(StagedItem), checks: Type.Array(DeployCheck) }),
      ),
    },
    problems: ['conflict'],
    production: { leftOut: comparedRecords },
  }),
  withdrawAll: route({
    method: 'DELETE',
    path: '/deploy/staged',
    access: 'publish',
    tag: 'deploy',
    summary: 'Unstages all items',
    replies: { 204: reply('Nothing is staged.') },
    problems: ['conflict'],
    refusedAs: 'deploy.withdrawal_refused',
  }),
  withdraw: route({
    method: 'DELETE',
    path: '/deploy/staged/:kind/:name',
    access: 'publish',
    tag: 'deploy',
    summary: 'Unstages one item',
    replies: { 204: reply('The item is no longer staged.') },
    problems: ['not_found', 'conflict'],
    refusedAs: 'deploy.withdrawal_refused',
  }),
  activate: route({
    method: 'POST',
    path: '/deploy/activate',
    access: 'activate',
    tag: 'deploy',
    summary: 'Makes all staged items live in production',
    description: 'All at once or not at all.',
    body: closed({
      note: Type.Optional(Type.String({ maxLength: 1000 })),
      force: Type.Optional(Type.Boolean({ description: 'Left out, `false`.' })),
      base: Type.Optional(text),
      apply_templates: Type.Optional(
        Type.Boolean({
          description:
            'Applies `tenancy.workspace_templates` to the workspaces of production too, in the background, and confirms what members may do by it. It takes an org admin; a deploy key may not.',
        }),
      ),
    }),
    isBodyOptional: true,
    replies: { 200: reply('Live.', Activated) },
    problems: ['role_required', 'version_mismatch', 'conflict', 'dangling_reference', 'plan_limit_exceeded'],
    refusedAs: 'deploy.activation_refused',
  }),
  rollback: route({
    method: 'POST',
    path: '/deploy/rollback',
    access: 'activate',
    tag: 'deploy',
    summary: 'Makes another release live again',
    description: 'The previous one, or the one with the given version.',
    body: closed({
      version: Type.Optional(releaseVersion()),
      live: Type.Optional(
        releaseVersion({
          description: 'The live release that the change was compared with; 412 if it is another one.',
        }),
      ),
      note: Type.Optional(Type.String({ maxLength: 1000 })),
    }),
    isBodyOptional: true,
    replies: { 200: reply('Live.', RolledBack) },
    problems: ['not_found', 'version_mismatch', 'conflict', 'no_previous_version'],
    refusedAs: 'deploy.rollback_refused',
  }),
  listReleases: route({
    method: 'GET',
    path: '/deploy/history',
    access: 'watch',
    tag: 'deploy',
    summary: 'The activations and rollbacks of production',
    description: 'The latest first.',
    query: closed({
      pagesize,
      nexttoken,
    }),
    compressed: 'reply',
    replies: { 200: reply('A page.', pageOf(Release)) },
    problems: ['invalid_cursor', 'conflict'],
  }),
  readRelease: route({
    method: 'GET',
    path: '/deploy/history/:version',
    access: 'watch',
    tag: 'deploy',
    summary: 'An activation or rollback of production',
    description: 'With `compare` also what a rollback to it would change.',
    query: closed({
      compare: Type.Optional(
        Type.Literal('live', { description: '`compared` leads from what is live in production to this release.' }),
      ),
    }),
    compressed: 'reply',
    replies: { 200: reply('The release.', Release) },
    problems: ['not_found', 'conflict'],
  }),
  listRetired: route({
    method: 'GET',
    path: '/deploy/retired',
    access: 'watch',
    tag: 'deploy',
    summary: 'The retired entities of production',
    description: 'Those that production no longer serves and whose records are kept.',
    replies: { 200: reply('All of them.', itemsOf(RetiredEntity)) },
    problems: ['conflict'],
  }),
  removeRetired: route({
    method: 'DELETE',
    path: '/deploy/retired/:name',
    access: 'org_admin',
    tag: 'deploy',
    summary: 'Removes the records of a retired entity for good',
    description: 'In the background.',
    replies: { 204: reply('The removal has begun.') },
    problems: ['not_found', 'conflict'],
    refusedAs: 'deploy.removal_refused',
  }),
  exportConfig: route({
    method: 'GET',
    path: '/deploy/export',
    access: 'watch',
    tag: 'deploy',
    summary: 'The configuration of an environment as an archive',
    description: 'A folder of files in a tar archive, the same bytes for the same items.',
    query: closed({ env: environment }),
    replies: {
      200: {
        description:
          'The archive. It holds `config/freehold.json`, which names the format, and `config/{kind}/{name}.json` for each item, with the content of the item.',
        content: { 'application/x-tar': Type.Unknown() },
        headers: ['Content-Disposition'],
      },
    },
    problems: ['conflict'],
  }),
  importConfig: route({
    method: 'POST',
    path: '/deploy/import',
    access: 'publish',
    tag: 'deploy',
    summary: 'Shows or makes the changes of an archive in test',
    description:
      'Shows what the archive would change, and with the `base` of that response makes the change. The archive holds `config/freehold.json` and `config/{kind}/{name}.json` for each item, as an export does; the same folder packed by another `tar` is taken too.',
    query: closed({
      env: environment,
      base: Type.Optional(
        Type.String({
          description: 'The `base` of the comparison to apply. Without it nothing is written.',
        }),
      ),
      remove: Type.Boolean({ default: false, description: 'Removes items of test that are not in the archive.' }),
      force: Type.Boolean({
        default: false,
        description: 'Accepts definitions even if records of test would fail their checks.',
      }),
    }),
    takesStreamOf: ['application/x-tar'],
    replies: { 200: reply('The changes.', ConfigImport) },
    problems: [
      'validation_failed',
      'body_too_large',
      'prod_read_only',
      'role_required',
      'version_mismatch',
      'conflict',
      'dangling_reference',
      'plan_limit_exceeded',
    ],
    refusedAs: 'deploy.import_refused',
    repeats: { notRemembered: 'takes a stream; its `base` names the state that it changes, so it applies once' },
  }),
  listDeployKeys: route({
    method: 'GET',
    path: '/deploy/keys',
    access: 'org_admin',
    tag: 'deploy',
    summary: 'The keys of the org’s pipelines, the oldest first',
    replies: { 200: reply('All of them.', itemsOf(DeployKey)) },
  }),
  createDeployKey: route({
    method: 'POST',
    path: '/deploy/keys',
    access: 'org_admin',
    tag: 'deploy',
    summary: 'Creates a deploy key for a pipeline',
    description: 'It may publish, publish with some settings, or activate and roll back, and nothing else.',
    body: closed({ name: lineTitle, scope: oneOf(deployKeyScopes), expires_at: Type.Optional(time) }),
    replies: { 201: reply('Made.', CreatedDeployKey) },
    problems: ['conflict'],
  }),
  removeDeployKey: route({
    method: 'DELETE',
    path: '/deploy/keys/:id',
    access: 'org_admin',
    tag: 'deploy',
    summary: 'Ends a key',
    replies: { 204: reply('Ended.') },
    problems: ['not_found'],
  }),
};
