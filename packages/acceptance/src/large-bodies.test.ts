/** What bodies of a megabyte are answered: briefly. That little work is done for them is shown beside their reader. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { apart } from './batches.ts';
import { call } from './call.ts';
import { act, appUrl, defineEntity, definition, foundedOrg, list } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(
  org,
  definition('note', [{ name: 'text' }, { name: 'list', colType: 'array', items: { colType: 'integer' } }]),
);

const headers = { client_id: org.clientId };

function unknownMembers(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
}

const open = [
  ...['/login', '/password/forgot', '/password/reset', '/verify-email'].map((path) => appUrl(org, path)),
  ...['signup', 'login', 'accept-invitation', 'forgot-password', 'reset-password'].map(
    (path) => `${gateways.management}/auth/${path}`,
  ),
];

for (const address of open)
  test(`${new URL(address).pathname.replace(org.code, ':org')} answers a body of very many members with one mistake`, async () => {
    for (const body of [unknownMembers(70_000), { email: Array(300_000).fill(0) }]) {
      const problem = assertProblem(await call('POST', address, { body, headers }), 'invalid_request');
      assert.deepEqual(
        problem.errors?.map(({ code }) => code),
        ['too_many'],
      );
    }
    const reply = await call('POST', address, { body: { ['k'.repeat(1_000_000)]: 1 }, headers });
    assert.equal(reply.status, 400);
    assert.ok(reply.text.length < 2000, `${reply.text.length} characters`);
  });

test('a record with very many mistakes is answered with the first hundred, and that there are more', async () => {
  const wrongList = { list: Array(200_000).fill('x') };
  for (const body of [unknownMembers(40_000), wrongList]) {
    const reply = await act(founder, 'POST', '/create/note', { body });
    const problem = assertProblem(reply, body === wrongList ? 'validation_failed' : 'unknown_field');
    assert.equal(problem.errors?.length, 100);
    assert.match(problem.detail, /; and (more than )?95 more$/);
    assert.ok(reply.text.length < 40_000, `${reply.text.length} characters`);
  }
  assertProblem(await act(founder, 'POST', '/create/note', { body: unknownMembers(50_001) }), 'invalid_request');
  assert.deepEqual((await list(founder, 'note')).items, []);
});

test('a batch with very many mistakes is answered with the first hundred of each operation', async () => {
  const operations = Array.from({ length: 100 }, () => ({
    action: 'create',
    entity: 'note',
    data: unknownMembers(400),
  }));
  const results = await apart(founder, operations);
  assert.deepEqual([...new Set(results.map(({ error }) => error?.errors?.length))], [100]);
});

test('the refusal of a body that is too long arrives each time, also while the body is still being sent', async () => {
  const headers = { 'content-type': 'application/json' };
  const body = ' '.repeat(4 * 1024 * 1024);
  for (let sent = 0; sent < 30; sent++) {
    const reply = await fetch(`${gateways.management}/auth/login`, { method: 'POST', headers, body });
    assert.deepEqual([reply.status, reply.headers.get('connection')], [413, 'close']);
  }
});
