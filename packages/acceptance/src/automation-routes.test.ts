/** K05: no side route of automation is weaker than the main one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appApi } from '@freehold/contract/app';
import { managementApi } from '@freehold/contract/management';
import type { Route } from '@freehold/contract/route';
import { assertProblem, assertRefusal } from './assert-problem.ts';
import { type CallOptions, call } from './call.ts';
import { foundedOrg, joinOrg, memberWith, signIn } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

/** Who may call what belongs to automation, by the name of the operation. A route without a line here is refused. */
const access: Readonly<Record<string, string>> = {
  runLogicBlock: 'run',
  runLogicBlockAt: 'run',
  readOwnRun: 'self',
  listRuns: 'developer',
  readRun: 'developer',
  cancelRun: 'developer',
  retryRun: 'developer',
  receiveHook: 'public',
  listHooks: 'developer',
  readHook: 'developer',
  setHook: 'org_admin',
  listLogicBlocks: 'developer',
  testLogicBlock: 'developer',
  beginRun: 'developer',
  listSchedules: 'developer',
  pauseSchedule: 'developer',
  resumeSchedule: 'developer',
  listEvents: 'developer',
  listDeliveries: 'developer',
  readDelivery: 'developer',
  redeliver: 'developer',
  redeliverMany: 'developer',
  testEvent: 'developer',
  pauseEvent: 'developer',
  resumeEvent: 'developer',
  listEventStates: 'developer',
  showEventSecret: 'org_admin',
  makeEventSecret: 'org_admin',
  listSecrets: 'org_admin',
  setSecret: 'org_admin',
  removeSecret: 'org_admin',
};

const ofAutomation = /^(?:\/app\/:org)?\/(?:events|runs|logicblocks|schedules|secrets|hooks)(?:\/|$)/;
const routes = Object.entries<Route>({ ...appApi, ...managementApi }).filter(([, { path }]) => ofAutomation.test(path));

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
const other = await foundedOrg(gateways);
const developer = await joinOrg(org, 'developer');

function send({ method, path }: Route, options: CallOptions) {
  const filled = path.replace(':org', org.code).replaceAll(/:\w+/g, 'none');
  const gateway = path.startsWith('/app/') ? org.app : org.management;
  return call(method, gateway + filled, method === 'GET' || method === 'DELETE' ? options : { body: {}, ...options });
}

test('K05: every route of automation stands in the table of those who may call it', () => {
  assert.deepEqual(Object.fromEntries(routes.map(([name, route]) => [name, route.access])), access);
});

for (const [name, route] of routes.filter((one) => one[1].access !== 'public')) {
  test(`K05: ${name} is closed without a token, and to a token of the other gateway`, async () => {
    assertProblem(await send(route, {}), 'token_missing');
    assertRefusal(await send(route, { token: 'x.y.z' }), [401]);
    const foreign = route.path.startsWith('/app/') ? org.builder.token : founder.token;
    assertRefusal(await send(route, { token: foreign }), [401]);
  });
  if (route.access === 'org_admin')
    test(`K05: ${name} is closed to a developer`, async () => {
      assertProblem(await send(route, { token: developer.token }), 'role_required');
    });
  if (route.path.startsWith('/app/'))
    test(`K05: ${name} is closed to another app, and to a user without a policy that allows it`, async () => {
      assertRefusal(await send(route, { token: other.founder.token }), [401]);
      const none = await memberWith(founder, []);
      assertRefusal(await send(route, { token: none.token }), route.access === 'self' ? [404] : [403]);
      const stranger = await signIn(org);
      assertRefusal(await send(route, { token: stranger.token }), route.access === 'self' ? [404] : [403]);
    });
}
