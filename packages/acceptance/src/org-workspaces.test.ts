/** The workspaces of an org as its builders see them: their names and sizes, and nothing of another org. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { call } from './call.ts';
import { act, create, defineEntity, definition, foundedOrg, joinOrg, manage, type Org, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { founderOf, multiOrg } from './workspaces.ts';

const gateways = await platformForTests();

interface Workspace {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly state: string;
  readonly created_at: string;
  readonly members: number;
  readonly records: number;
  readonly default_member_access?: string | null;
  readonly by_entity?: Readonly<Record<string, number>>;
}

interface Page {
  readonly items: readonly Workspace[];
  readonly nexttoken: string | null;
}

async function page(org: Org, query = ''): Promise<Page> {
  const reply = await manage<Page>(org, 'GET', `/org/workspaces${query}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

test('builders see the workspaces of their org with members and records, a page at a time', async () => {
  const org = await multiOrg(gateways);
  for (const name of ['note', 'task']) await defineEntity(org, definition(name, [{ name: 'title' }]));
  assert.deepEqual(await page(org), { items: [], nexttoken: null });
  const founders = [];
  for (const name of ['Alpha', 'Alphabet', 'Beta']) founders.push(await founderOf(org, name));
  const [alpha] = founders;
  assert.ok(alpha !== undefined);
  for (const entity of ['note', 'note', 'task']) await create(alpha, entity, { title: 'x' });
  await act(alpha, 'PUT', '/user/workspace', { body: { name: 'Renamed' } });

  const seen: Workspace[] = [];
  let query = '?pagesize=1';
  for (;;) {
    const { items, nexttoken } = await page(org, query);
    seen.push(...items);
    if (nexttoken === null) break;
    query = `?pagesize=1&nexttoken=${nexttoken}`;
  }
  assert.deepEqual(
    seen.map(({ code, name, state, members, records }) => [code, name, state, members, records]),
    [
      ['alpha', 'Renamed', 'ready', 1, 3],
      ['alphabet', 'Alphabet', 'ready', 1, 0],
      ['beta', 'Beta', 'ready', 1, 0],
    ],
  );
  assert.equal(seen[0]?.id, alpha.tenantId);
  const codes = (await page(org, '?prefix=alpha')).items.map(({ code }) => code);
  assert.deepEqual(codes, ['alpha', 'alphabet']);
  assert.deepEqual((await page(org, '?prefix=zeta')).items, []);
  assert.deepEqual((await page(org, '?env=prod')).items, []);

  const developer = await joinOrg(org, 'developer');
  const one = await manage<Workspace>(org, 'GET', '/org/workspaces/alpha', { token: developer.token });
  assert.deepEqual([one.body.by_entity, one.body.default_member_access], [{ note: 2, task: 1 }, 'vieweracl']);
  assert.equal(one.body.records, 3);
  assertProblem(await manage(org, 'GET', '/org/workspaces/alpha?env=prod'), 'not_found');
});

test('a service key counts as a member, and a removed workspace is gone from the list', async () => {
  const org = await multiOrg(gateways);
  const founder = await founderOf(org, 'Main');
  const key = { env: 'test', tenant_code: founder.tenantCode, name: 'server' };
  assert.equal((await manage(org, 'POST', '/org/service-keys', { body: key })).status, 201);
  assert.equal((await page(org)).items[0]?.members, 2);
  assert.equal((await act(founder, 'DELETE', '/user/workspace', { body: { code: founder.tenantCode } })).status, 204);
  assert.deepEqual((await page(org)).items, []);
  assertProblem(await manage(org, 'GET', `/org/workspaces/${founder.tenantCode}`), 'not_found');
});

test('the workspaces of an org are told to its builders alone', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const neighbour = await signUp(gateways);
  assert.deepEqual((await page(neighbour)).items, []);
  assertProblem(await manage(neighbour, 'GET', '/org/workspaces/main'), 'not_found');
  const key = await manage<{ key: string }>(org, 'POST', '/deploy/keys', {
    body: { name: 'pipeline', scope: 'publish' },
  });
  for (const path of ['/org/workspaces', '/org/workspaces/main']) {
    assertProblem(await call('GET', `${org.management}${path}`), 'token_missing');
    for (const token of [founder.token, key.body.key, 'nonsense', `${org.builder.token}x`])
      assertProblem(await manage(org, 'GET', path, { token }), 'token_invalid');
  }
});

test('nonsense is named, and a cursor is good for its own list alone', async () => {
  const org = await multiOrg(gateways);
  for (const name of ['One', 'Two']) await founderOf(org, name);
  for (const code of ['nowhere', 'ONE', 'one.two', '__proto__', 'x'.repeat(400)])
    assertProblem(await manage(org, 'GET', `/org/workspaces/${code}`), 'not_found');
  for (const code of ['one%20', '%2E%2E', 'one;data', 'one%23two', 'x'.repeat(3000)])
    assertProblem(await manage(org, 'GET', `/org/workspaces/${code}`), 'invalid_request');
  for (const query of ['pagesize=0', 'pagesize=51', 'pagesize=x', 'env=stage', 'q=one', `prefix=${'a'.repeat(64)}`])
    assertProblem(await manage(org, 'GET', `/org/workspaces?${query}`), 'invalid_request');
  const { nexttoken } = await page(org, '?pagesize=1');
  assert.ok(nexttoken !== null);
  const neighbour = await signUp(gateways);
  const foreign = await manage(neighbour, 'GET', `/org/workspaces?nexttoken=${nexttoken}`);
  assert.deepEqual(pointers(assertProblem(foreign, 'invalid_cursor')), ['/nexttoken']);
  for (const query of [`env=prod&nexttoken=${nexttoken}`, `prefix=o&nexttoken=${nexttoken}`, 'nexttoken=x'])
    assertProblem(await manage(org, 'GET', `/org/workspaces?${query}`), 'invalid_cursor');
});
