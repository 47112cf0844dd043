import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRemembered } from '../../gateway/answer-once.ts';
import { servedRoutes } from '../served-routes.ts';

const posts = [...servedRoutes.app, ...servedRoutes.management].filter(({ method }) => method === 'POST');

const keptByTheRecordRuntime = ['/app/:org/create/:entity'];
const refusedWithKeys = ['/app/:org/import/:entity'];

test('every POST route counts once under a key, or it says why it does not', () => {
  const others = posts.filter((route) => !isRemembered(route));
  const undeclared = others.filter(({ route }) => route?.repeats === undefined).map(({ path }) => path);
  assert.deepEqual(undeclared.toSorted(), [...keptByTheRecordRuntime, ...refusedWithKeys]);
  for (const { path, route } of others)
    if (typeof route?.repeats === 'object') assert.match(route.repeats.notRemembered, / /, path);
  // No caller is known there whose key it would be.
  const open = posts.filter((route) => isRemembered(route) && route.access === 'public');
  assert.deepEqual(open, []);
});

test('what the gateway remembers is what makes, moves or mails something', () => {
  assert.deepEqual(
    posts
      .filter(isRemembered)
      .map(({ path }) => path)
      .toSorted(),
    [
      '/app/:org/logicblocks/:name',
      '/app/:org/logicblocks/:name/:path',
      '/app/:org/user/acceptinvitation',
      '/app/:org/user/invitations',
      '/app/:org/user/invitations/:id/resend',
      '/app/:org/user/join',
      '/app/:org/user/leave',
      '/app/:org/user/switch-tenant',
      '/app/:org/user/verification',
      '/app/:org/user/workspace',
      '/config/:kind',
      '/config/:kind/:name/restore',
      '/deploy/activate',
      '/deploy/keys',
      '/deploy/publish',
      '/deploy/rollback',
      '/events/:name/pause',
      '/events/:name/resume',
      '/events/:name/secret',
      '/events/deliveries/:id/redeliver',
      '/events/deliveries/redeliver',
      '/logicblocks/:name/run',
      '/org/alerts/webhook/test',
      '/org/app-users',
      '/org/app-users/:id/disable',
      '/org/app-users/:id/enable',
      '/org/app-users/:id/erase',
      '/org/app-users/:id/export',
      '/org/app-users/:id/merge',
      '/org/app-users/:id/revoke-tokens',
      '/org/environments/:env/rotate-client-id',
      '/org/service-keys',
      '/org/suspended-accounts/:id/merge',
      '/org/users',
      '/org/users/:id/reset-second-factors',
      '/org/workspace-template/applications',
      '/org/workspace-template/applications/:id/cancel',
      '/org/workspace-template/applications/:id/start',
      '/org/workspaces',
      '/org/workspaces/:tenant_code/invitations',
      '/org/workspaces/:tenant_code/invitations/:id/resend',
      '/org/workspaces/:tenant_code/resume',
      '/org/workspaces/:tenant_code/suspend',
      '/platform/accounts/reset-factors',
      '/platform/backups',
      '/platform/backups/:name/test',
      '/platform/keys/rotate',
      '/runs/:id/cancel',
      '/runs/:id/retry',
      '/schedules/:name/pause',
      '/schedules/:name/resume',
      '/user/provision-prod',
    ],
  );
});
