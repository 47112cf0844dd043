import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AppGatewayDeps, appRoutes } from './app-gateway.ts';
import { type ManagementGatewayParts, managementRoutes } from './management-gateway.ts';
import { isRemembered, notRemembered, rememberedByHandler } from './remembered-posts.ts';

const posts = [...appRoutes({} as AppGatewayDeps), ...managementRoutes({} as ManagementGatewayParts)].filter(
  ({ method }) => method === 'POST',
);

test('every POST route counts once under a key, or it says why it does not', () => {
  const named = [...rememberedByHandler, ...Object.keys(notRemembered)];
  assert.deepEqual(new Set(named).size, named.length);
  const paths = posts.map(({ path }) => path);
  assert.deepEqual(
    named.filter((path) => !paths.includes(path)),
    [],
    'named, and no route',
  );
  for (const [path, reason] of Object.entries(notRemembered)) assert.match(reason, / /, path);
  // Nobody is known there whose key it would be.
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
      '/app/:org/user/acceptinvitation',
      '/app/:org/user/invitations',
      '/app/:org/user/invitations/:id/resend',
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
      '/org/alerts/webhook/test',
      '/org/environments/:env/rotate-client-id',
      '/org/service-keys',
      '/org/suspended-accounts/:id/merge',
      '/org/users',
      '/platform/keys/rotate',
      '/user/provision-prod',
    ],
  );
});
