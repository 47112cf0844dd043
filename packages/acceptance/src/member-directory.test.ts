import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { act, allow, create, foundedOrg, manage, memberWith, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
const ann = await memberWith(founder, [allow('get*')]);
const bob = await memberWith(founder, []);
const policy = await create(founder, 'aclpolicy', { name: 'by-group', statements: [allow('list*')] });
const group = await create(founder, 'group', { name: 'makers', acl_policies: [policy.id] });
await create(founder, 'usergroup', { user_id: bob.id, group_id: group.id });
assert.equal((await act(founder, 'PUT', `/update/user/${bob.id}`, { body: { fn: 'Bob', ln: 'Ännen' } })).status, 200);

interface Member {
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
  readonly status: string;
  readonly policies: readonly { readonly id: string; readonly name: string }[];
  readonly groups: readonly { readonly id: string; readonly name: string }[];
}

const workspace = `tenant_code=${founder.tenantCode}`;

function ask(query: string) {
  return manage<{ readonly items: readonly Member[]; readonly nexttoken: string | null }>(
    org,
    'GET',
    `/acl/members?${query}`,
  );
}

/** The ids of all members that pages taken to the end have. */
async function found(query: string): Promise<readonly string[]> {
  const ids: string[] = [];
  let next = '';
  do {
    const { body, status, text } = await ask(`${workspace}&${query}${next}`);
    assert.equal(status, 200, text);
    ids.push(...body.items.map((item) => item.user_id));
    next = body.nexttoken === null ? '' : `&nexttoken=${body.nexttoken}`;
  } while (next !== '');
  return ids.sort();
}

test('members are listed with the groups and policies that they are linked to', async () => {
  const { items } = (await ask(workspace)).body;
  const shown = items.find(({ user_id }) => user_id === bob.id);
  assert.deepEqual([shown?.email, shown?.name, shown?.status], [bob.email, 'Bob Ännen', 'active']);
  assert.deepEqual([shown?.policies, shown?.groups], [[], [{ id: group.id, name: 'makers' }]]);
  assert.equal(items.find(({ user_id }) => user_id === ann.id)?.policies.length, 1);
  const alone = await manage<Member>(org, 'GET', `/acl/members/${bob.id}?${workspace}`);
  assert.deepEqual(alone.body, shown);
});

test('pages taken to the end hold each member once, and a search the members whose email or name has it', async () => {
  const all = [founder.id, ann.id, bob.id].sort();
  for (const pagesize of [1, 2, 3, 50]) assert.deepEqual(await found(`pagesize=${pagesize}`), all);
  for (const pagesize of [1, 50]) {
    const search = async (text: string) => found(`pagesize=${pagesize}&q=${encodeURIComponent(text)}`);
    assert.deepEqual(await search('bob Ä'), [bob.id]);
    assert.deepEqual(await search(ann.email.toUpperCase()), [ann.id]);
    assert.deepEqual(await search('@'), all);
    assert.deepEqual(await search('nothing-like-it'), []);
  }
});

test('members are shown to the builders of their own org only', async () => {
  const other = await signUp(gateways);
  for (const path of [`/acl/members?${workspace}`, `/acl/members/${bob.id}?${workspace}`])
    assertProblem(await manage(other, 'GET', path), 'not_found');
});

test('members of nothing that is there, and parameters that are wrong, are refused', async () => {
  for (const query of ['', 'tenant_code=', `${workspace}&pagesize=51`, `${workspace}&env=dev`, `${workspace}&search=x`])
    assertProblem(await ask(query), 'invalid_request');
  assertProblem(await ask(`${workspace}&q=${'a'.repeat(129)}`), 'invalid_request');
  for (const query of ['tenant_code=nowhere', `${workspace}&env=prod`]) assertProblem(await ask(query), 'not_found');
  const { nexttoken } = (await ask(`${workspace}&pagesize=1`)).body;
  for (const query of ['nexttoken=abc', `nexttoken=${nexttoken}&q=a`])
    assertProblem(await ask(`${workspace}&${query}`), 'invalid_cursor');
  for (const id of ['none', '00000000-0000-0000-0000-000000000000'])
    assertProblem(await manage(org, 'GET', `/acl/members/${id}?${workspace}`), 'not_found');
  assertProblem(await manage(org, 'GET', `/acl/members/${bob.id}`), 'invalid_request');
});
