import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describedFlows, writingRoutes } from './flows/described-flows.ts';
import { described, everyFlow } from './flows/every-flow.ts';

test('every writing route of both gateways is called in a flow whose store calls fail in turn', () => {
  assert.deepEqual(described.mistakes, []);
  const called = new Set(everyFlow.map(({ route }) => route));
  assert.deepEqual([...called].sort(), writingRoutes.toSorted());
});

test('a route of which no flow is written or can be made says so', () => {
  const { flows, mistakes } = describedFlows(new Set());
  assert.ok(flows['PUT /secrets/:name'] !== undefined);
  const describe = (route: string): unknown => mistakes.find((one) => one.startsWith(`${route}: `));
  assert.match(String(describe('POST /auth/logout')), /no route reads what it writes; write a flow/);
  assert.match(String(describe('DELETE /deploy/staged')), /no route puts there what it removes; write a flow/);
});
