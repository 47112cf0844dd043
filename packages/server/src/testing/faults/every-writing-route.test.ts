import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allRoutes, type RouteDeps } from '../../composition/routes/all-routes.ts';
import { configKinds } from '../config-kinds.ts';
import { everyFlow } from './flows/every-flow.ts';

/** They take a body and change nothing. */
const reads = [
  'POST /acl/lint',
  'POST /acl/replay',
  'POST /acl/simulate',
  'POST /app/:org/access/v1/evaluation',
  'POST /app/:org/access/v1/evaluations',
  'POST /events/:name/test',
  'POST /logicblocks/test',
  'POST /org/mails/:mail/preview',
  'POST /org/mails/:mail/test',
  'POST /org/providers/discover',
  'POST /org/providers/test',
];

/** They write files beside the stores, and to the stores the entries of the audit log alone. `backups.test.ts` of the acceptance tests ends platforms in the middle. */
const writeFiles = ['DELETE /platform/backups/:name', 'POST /platform/backups', 'POST /platform/backups/:name/test'];

/** A new person joins a workspace by it. */
const writesByGet = ['GET /app/:org/token'];

test('every writing route of both gateways is called in a flow whose store calls fail in turn', () => {
  // No handler is called, so the tables need nothing to stand on.
  const tables = [
    ...allRoutes({ configKinds } as RouteDeps).app,
    ...allRoutes({ configKinds } as RouteDeps).management,
  ];
  const writing = tables
    .map(({ method, path }) => `${method} ${path}`)
    .filter(
      (route) =>
        (!route.startsWith('GET ') && ![...reads, ...writeFiles].includes(route)) || writesByGet.includes(route),
    );
  const called = new Set(everyFlow.map(({ route }) => route));
  assert.deepEqual([...called].sort(), writing.sort());
});
