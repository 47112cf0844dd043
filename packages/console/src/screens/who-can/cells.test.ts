import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callOfCell, csvOf, stateOf, tableOf, verbs } from './cells.ts';
import type { MatrixRow } from './queries.ts';

test('what depends on a condition, a record or a field is not simply allowed', () => {
  assert.equal(stateOf({ decision: 'allowed' }), 'allowed');
  assert.equal(stateOf({ decision: 'allowed', conditional: true }), 'conditional');
  assert.equal(stateOf({ decision: 'allowed', Fields: ['title'] }), 'conditional');
  assert.equal(stateOf({ decision: 'undecided', conditional: true }), 'conditional');
  assert.equal(stateOf({ decision: 'implicit_deny', conditional: true }), 'conditional');
  assert.equal(stateOf({ decision: 'implicit_deny' }), 'none');
  assert.equal(stateOf({ decision: 'explicit_deny', conditional: true }), 'denied');
});

test('the app has the call of each cell', () => {
  assert.deepEqual(callOfCell('order', 'count'), { action: 'countorder', resource: '/count/order' });
  assert.match(callOfCell('order', 'update').resource, /^\/update\/order\/0{8}-/);
  assert.deepEqual(callOfCell('close', 'run'), { action: 'runclose', resource: '/logicblocks/close' });
});

test('the table has a line for each verb on each entity and for each logic block, and no value is a formula or breaks its line', () => {
  const cells = Object.fromEntries(verbs.map((verb) => [verb, { decision: 'implicit_deny' }]));
  const order = { ...cells, get: { decision: 'allowed', policy: '=cmd|"x"', Sid: 'Read', group: 'a,b\nc' } };
  const row = { user_id: '', email: '@ann', role: '', status: 'active', entities: { order, user: cells } };
  const logicblocks = { close: { decision: 'allowed', policy: 'Runner', Sid: 'Run' } };
  const csv = csvOf(tableOf([{ ...row, logicblocks } as unknown as MatrixRow]));
  assert.equal(csv.split('\r\n').length, 1 + 2 * verbs.length + 1 + 1);
  assert.ok(csv.includes(`'@ann,active,order,get,Allowed,"'=cmd|""x""",Read,"a,b\nc",,\r\n`), csv);
  assert.ok(csv.includes("'@ann,active,,run,Allowed,Runner,Run,,,close\r\n"), csv);
});
