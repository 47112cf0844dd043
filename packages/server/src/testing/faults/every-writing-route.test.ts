import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AppGatewayParts, appRoutes } from '../../gateway/app-gateway.ts';
import { type ManagementGatewayParts, managementRoutes } from '../../gateway/management-gateway.ts';
import { accountFlows } from './account-flows.ts';
import { alertFlows } from './alert-flows.ts';
import { builderFlows } from './builder-flows.ts';
import { configFlows } from './config-flows.ts';
import { deployFlows } from './deploy-flows.ts';
import { itemFlows } from './item-flows.ts';
import { keyFlows } from './key-flows.ts';
import { personFlows } from './person-flows.ts';
import { recordFlows } from './record-flows.ts';
import { workspaceFlows } from './workspace-flows.ts';

/** They take a body and change nothing. */
const reads = [
  'POST /acl/lint',
  'POST /acl/simulate',
  'POST /app/:org/access/v1/evaluation',
  'POST /app/:org/access/v1/evaluations',
];

/** Whoever is new comes into a workspace by it. */
const writesByGet = ['GET /app/:org/token'];

test('every writing route of both gateways is called in a flow whose store calls fail in turn', () => {
  // No handler is called, so the tables need nothing to stand on.
  const tables = [...appRoutes({} as AppGatewayParts), ...managementRoutes({} as ManagementGatewayParts)];
  const writing = tables
    .map(({ method, path }) => `${method} ${path}`)
    .filter((route) => (!route.startsWith('GET ') && !reads.includes(route)) || writesByGet.includes(route));
  const flows = [
    accountFlows,
    alertFlows,
    builderFlows,
    configFlows,
    deployFlows,
    itemFlows,
    keyFlows,
    personFlows,
    recordFlows,
    workspaceFlows,
  ].flatMap(Object.values);
  const called = new Set(flows.map(({ route }) => route));
  assert.deepEqual([...called].sort(), writing.sort());
});
