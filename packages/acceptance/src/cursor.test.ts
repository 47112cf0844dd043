import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import {
  type AppUser,
  act,
  allow,
  create,
  defineEntity,
  definition,
  foundedOrg,
  list,
  memberWith,
  type Org,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const acme = await foundedOrg(gateways);
const beta = await foundedOrg(gateways);
const fields = [{ name: 'region', colType: 'string', index: true }];
for (const { org, founder } of [acme, beta]) await fill(org, founder);

async function fill(org: Org, founder: AppUser): Promise<void> {
  for (const entity of ['order', 'invoice']) {
    await defineEntity(org, definition(entity, fields));
    for (let index = 0; index < 4; index++) await create(founder, entity, { region: 'north' });
  }
}

const query = '?region=north&pagesize=2';
const cursor = (await list(acme.founder, 'order', query)).nexttoken ?? '';

function resume(user: AppUser, path: string, token: string) {
  return act(user, 'GET', `${path}&nexttoken=${encodeURIComponent(token)}`);
}

test('a cursor continues its own list', async () => {
  assert.notEqual(cursor, '');
  assert.equal((await resume(acme.founder, `/list/order${query}`, cursor)).status, 200);
});

test('C10: a cursor with any one character changed is refused', async () => {
  const positions = Array.from({ length: cursor.length }, (_, position) => position);
  const replies = await Promise.all(
    positions.map((position) => {
      const swapped = cursor.charAt(position) === 'A' ? 'B' : 'A';
      const changed = cursor.slice(0, position) + swapped + cursor.slice(position + 1);
      return resume(acme.founder, `/list/order${query}`, changed);
    }),
  );
  for (const reply of replies) assertProblem(reply, 'invalid_cursor');
});

for (const [what, token] of [
  ['an empty text', ''],
  ['a word', 'abc'],
  ['readable JSON', Buffer.from('{"pk":"x","sk":"y"}').toString('base64url')],
  ['its first half', cursor.slice(0, cursor.length / 2)],
  ['itself and more', `${cursor}AAAA`],
  ['itself twice', `${cursor}${cursor}`],
  ['a very long text', 'A'.repeat(5000)],
] as const) {
  test(`C10: ${what} is no cursor`, async () => {
    assertProblem(await resume(acme.founder, `/list/order${query}`, token), 'invalid_cursor');
  });
}

for (const [what, path] of [
  ['another entity', `/list/invoice${query}`],
  ['another filter', '/list/order?region=south&pagesize=2'],
  ['another operator', '/list/order?region=north&region_op=ne&pagesize=2'],
  ['no filter', '/list/order?pagesize=2'],
  ['another sort', `/list/order${query}&sortby=region`],
  ['another direction', `/list/order${query}&sortdir=asc`],
] as const) {
  test(`C10: a cursor is no good for ${what}`, async () => {
    assertProblem(await resume(acme.founder, path, cursor), 'invalid_cursor');
  });
}

test('C10: a cursor is no good for another user of the workspace', async () => {
  const member = await memberWith(acme.founder, [allow('list*')]);
  assert.equal((await act(member, 'GET', `/list/order${query}`)).status, 200);
  assertProblem(await resume(member, `/list/order${query}`, cursor), 'invalid_cursor');
});

test('C10: a cursor is no good in another org', async () => {
  assertProblem(await resume(beta.founder, `/list/order${query}`, cursor), 'invalid_cursor');
});

test('a cursor tells nothing of what is stored', async () => {
  const decoded = Buffer.from(cursor, 'base64url').toString('latin1');
  for (const word of ['north', 'order', acme.org.code, 'data#']) assert.ok(!decoded.includes(word), word);
});
