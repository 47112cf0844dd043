/** What the audit log tells of workspaces: one row for each change of who is in them and what they may do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, assertRefusal } from './assert-problem.ts';
import { call, type Reply } from './call.ts';
import {
  type AppUser,
  act,
  allow,
  create,
  defineEntity,
  definition,
  foundedOrg,
  list,
  manage,
  newEmail,
  type Org,
  password,
  signIn,
} from './org.ts';
import { platformForTests, platformOf } from './platform-for-tests.ts';
import { founderOf, makeWorkspace, multiOrg, refreshed } from './workspaces.ts';

const gateways = await platformForTests();

interface Entry {
  readonly at: string;
  readonly actor: { readonly kind: string; readonly id: string };
  readonly request_id: string;
  readonly action: string;
  readonly target: { readonly kind: string; readonly id: string };
  readonly env: string;
  readonly tenant_code: string;
  readonly detail?: { readonly user_id?: string; readonly acl_policy_id?: string };
}

interface Page {
  readonly items: readonly Entry[];
  readonly nexttoken: string | null;
}

async function auditEntries(org: Org, query: string): Promise<readonly Entry[]> {
  const reply = await manage<Page>(org, 'GET', `/audit${query}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
}

/** What a call adds to the log of the workspace: its action and target. */
async function auditEntriesOf(
  user: AppUser,
  work: () => Promise<Reply<unknown>>,
): Promise<readonly (readonly string[])[]> {
  const query = `?tenant_code=${user.tenantCode}&pagesize=200`;
  const before = await auditEntries(user.org, query);
  const reply = await work();
  const added = (await auditEntries(user.org, query)).slice(0, -before.length);
  for (const entry of added) {
    assert.equal(entry.request_id, reply.headers.get('x-request-id'));
    assert.deepEqual([entry.env, entry.tenant_code], ['test', user.tenantCode]);
  }
  return added.map(({ action, target, actor }) => [action, target.id, `${actor.kind} ${actor.id}`]);
}

function idOf(reply: Reply<unknown>): string {
  assert.ok(reply.status < 300, reply.text);
  return (reply.body as { readonly id: string }).id;
}

test('J07: each change of access control in a workspace leaves exactly one row, with who did it and by which request', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const member = await signIn(org);
  const by = `app_user ${founder.id}`;
  const add = async (kind: string, entity: string, body: unknown): Promise<string> => {
    let id = '';
    const rows = await auditEntriesOf(founder, async () => {
      const reply = await act(founder, 'POST', `/create/${entity}`, { body });
      id = idOf(reply);
      return reply;
    });
    assert.deepEqual(rows, [[`${kind}.created`, id, by]]);
    return id;
  };
  const policy = await add('policy', 'aclpolicy', { name: 'p', statements: [allow('listnote')] });
  const group = await add('group', 'group', { name: 'g', acl_policies: [policy] });
  const link = await add('policy_link', 'useraclpolicy', { user_id: member.id, acl_policy_id: policy });
  const place = await add('group_link', 'usergroup', { user_id: member.id, group_id: group });
  const steps: readonly (readonly [string, string, unknown, string, string])[] = [
    ['PUT', `/update/aclpolicy/${policy}`, { statements: [allow('getnote')] }, 'policy.changed', policy],
    ['PUT', `/update/group/${group}`, { acl_policies: [] }, 'group.changed', group],
    ['DELETE', `/delete/usergroup/${place}`, undefined, 'group_link.removed', place],
    ['DELETE', `/delete/useraclpolicy/${link}`, undefined, 'policy_link.removed', link],
    ['DELETE', `/delete/group/${group}`, undefined, 'group.removed', group],
    ['DELETE', `/delete/aclpolicy/${policy}`, undefined, 'policy.removed', policy],
    ['PUT', `/update/user/${member.id}`, { role: 'clerk' }, 'member.role_changed', member.id],
    ['PUT', `/update/user/${member.id}`, { status: 'suspended' }, 'member.suspended', member.id],
    ['PUT', `/update/user/${member.id}`, { status: 'active' }, 'member.reactivated', member.id],
    ['DELETE', `/delete/user/${member.id}`, undefined, 'member.removed', member.id],
  ];
  for (const [method, path, body, action, target] of steps) {
    const rows = await auditEntriesOf(founder, async () => {
      const reply = await act(founder, method, path, body === undefined ? {} : { body });
      assert.ok(reply.status < 300, `${path}: ${reply.text}`);
      return reply;
    });
    assert.deepEqual(rows, [[action, target, by]]);
  }
});

test('J07: what is refused, ordinary records, and what a person is called leave no row', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, definition('note', [{ name: 'title' }]));
  const works: readonly (() => Promise<Reply<unknown>>)[] = [
    () => act(founder, 'POST', '/create/note', { body: { title: 'x' } }),
    () => act(founder, 'PUT', `/update/user/${founder.id}`, { body: { fn: 'Other' } }),
    () => act(founder, 'POST', '/create/aclpolicy', { body: { name: 'p', statements: 'none' } }),
    () => act(founder, 'DELETE', `/delete/user/${founder.id}`),
    () => act(founder, 'DELETE', `/delete/group/${founder.id}`),
  ];
  for (const work of works) assert.deepEqual(await auditEntriesOf(founder, work), []);
});

test('J07: workspaces, invitations and who joins and leaves stand in the log, and no email, name or code', async () => {
  const org = await multiOrg(gateways);
  const founder = await founderOf(org, 'Telltale Works');
  const guest = await signIn(org, newEmail('guest'));
  const post = (path: string, body: unknown) => act<{ id: string; code: string }>(founder, 'POST', path, { body });
  const invited = (await post('/user/invitations', { email: guest.email, role: 'telltale-role' })).body;
  const again = (await post(`/user/invitations/${invited.id}/resend`, undefined)).body;
  const joined = await act(guest, 'POST', '/user/acceptinvitation', { body: { code: again.code } });
  assert.equal(joined.status, 200, joined.text);
  const other = (await post('/user/invitations', { email: newEmail('other') })).body;
  await act(founder, 'DELETE', `/user/invitations/${other.id}`);
  await act(founder, 'PUT', '/user/workspace', { body: { name: 'Telltale Two' } });
  await create(founder, 'aclpolicy', { name: 'telltale-policy', statements: [allow('gettelltale')] });
  const member = await refreshed(guest);
  await act(member, 'POST', '/user/leave', { body: { tenant_code: member.tenantCode } });
  const removed = await act(founder, 'DELETE', '/user/workspace', { body: { code: founder.tenantCode } });
  assert.equal(removed.status, 204, removed.text);
  const query = `?tenant_code=${founder.tenantCode}&pagesize=200`;
  const entries = await auditEntries(org, query);
  assert.deepEqual(entries.map(({ action, actor }) => [action, actor.id === founder.id]).sort(), [
    ['group.created', true],
    ['group_link.created', true],
    ['invitation.accepted', false],
    ['invitation.created', true],
    ['invitation.created', true],
    ['invitation.removed', true],
    ['invitation.resent', true],
    ['member.joined', false],
    ['member.joined', true],
    ['member.removed', false],
    ['policy.created', true],
    ['policy.created', true],
    ['policy.created', true],
    ['policy_link.created', false],
    ['policy_link.created', true],
    ['workspace.changed', true],
    ['workspace.created', true],
    ['workspace.removed', true],
  ]);
  assert.ok(entries.every(({ request_id }) => request_id !== ''));
  const { text } = await manage(org, 'GET', `/audit${query}`);
  for (const secret of ['telltale', 'Telltale', founder.email, guest.email, again.code, password, guest.token])
    assert.ok(!text.replaceAll(founder.tenantCode ?? '', '').includes(secret), secret);
});

/** The entries of the workspace of which one says that its target, or whom it gives a policy, is this person or server. */
async function comingOf(founder: AppUser, id: string): Promise<readonly Entry[]> {
  const entries = await auditEntries(founder.org, `?tenant_code=${founder.tenantCode}&pagesize=200`);
  return entries.filter(({ target, detail }) => target.id === id || detail?.user_id === id).reverse();
}

test('J07: a new member, however admitted, has an audit entry for each policy', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const policies = (await list(founder, 'aclpolicy')).items;
  const [admin, viewer] = ['adminacl', 'vieweracl'].map((name) => policies.find((policy) => policy.name === name)?.id);
  const member = await signIn(org);
  const body = { env: 'test', tenant_code: founder.tenantCode, name: 'server', policies: ['adminacl', 'vieweracl'] };
  const key = await manage<{ id: string }>(org, 'POST', '/org/service-keys', { body });
  const [made] = await auditEntries(org, `?action=service_key.created&target=${key.body.id}`);
  assert.deepEqual(await auditEntries(org, '?action=service_key.created&target=server'), [made]);
  for (const [id, by, ...granted] of [
    [founder.id, `app_user ${founder.id}`, admin],
    [member.id, `app_user ${member.id}`, viewer],
    [key.body.id, `org_user ${made?.actor.id}`, admin, viewer],
  ] as const) {
    const entries = (await comingOf(founder, id)).filter(({ action }) => /^(member|policy_link)\./.test(action));
    assert.deepEqual(
      entries.map(({ action, actor, detail }) => [action, `${actor.kind} ${actor.id}`, detail?.acl_policy_id]),
      [['member.joined', by, undefined], ...granted.map((policy) => ['policy_link.created', by, policy])],
    );
    assert.equal(new Set(entries.map(({ request_id }) => request_id)).size, 1);
  }
  assert.equal(made?.request_id, key.headers.get('x-request-id'));
});

test('J07: an invitation that grants a policy names it whenever something becomes of it', async () => {
  const org = await multiOrg(gateways);
  const [founder, guest] = [await founderOf(org), await signIn(org, newEmail('guest'))];
  const acl_policy_id = (await list(founder, 'aclpolicy', '?name=adminacl')).items[0]?.id ?? '';
  const post = (path: string, body?: unknown) => act<{ id: string; code: string }>(founder, 'POST', path, { body });
  const { id } = (await post('/user/invitations', { email: guest.email, acl_policy_id })).body;
  const { code } = (await post(`/user/invitations/${id}/resend`)).body;
  const joined = await act(guest, 'POST', '/user/acceptinvitation', { body: { code } });
  assert.equal(joined.status, 200, joined.text);
  const other = (await post('/user/invitations', { email: newEmail('other'), acl_policy_id })).body;
  await act(founder, 'DELETE', `/user/invitations/${other.id}`);
  const entries = await auditEntries(org, `?tenant_code=${founder.tenantCode}&action=invitation.`);
  assert.deepEqual(
    entries.map(({ action, detail }) => [action, detail]).reverse(),
    ['created', 'resent', 'accepted', 'created', 'removed'].map((done) => [`invitation.${done}`, { acl_policy_id }]),
  );
  const [, link] = await comingOf(founder, guest.id);
  assert.deepEqual(
    [link?.action, link?.actor.id, link?.detail],
    ['policy_link.created', guest.id, { user_id: guest.id, acl_policy_id }],
  );
  assert.equal(link?.request_id, joined.headers.get('x-request-id'));
});

test('J07: another policy for new members is named, and a change of the name alone names none', async () => {
  const founder = await founderOf(await multiOrg(gateways));
  const id = (await list(founder, 'aclpolicy', '?name=adminacl')).items[0]?.id;
  for (const body of [{ name: 'One' }, { default_member_access: 'adminacl' }, { default_member_access: 'adminacl' }])
    assert.equal((await act(founder, 'PUT', '/user/workspace', { body })).status, 200);
  const entries = await auditEntries(founder.org, `?tenant_code=${founder.tenantCode}&action=workspace.changed`);
  assert.deepEqual(
    entries.map(({ detail }) => detail),
    [undefined, { acl_policy_id: id }, undefined],
  );
});

test('the log of a workspace is read page by page, by what was done to what, when and by which request', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const member = await signIn(org);
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c']) ids.push((await create(founder, 'group', { name, acl_policies: [] })).id);
  const code = `tenant_code=${founder.tenantCode}`;
  const all = await auditEntries(org, `?${code}`);
  const found: Entry[] = [];
  for (let token: string | null = ''; token !== null; ) {
    const page: Reply<Page> = await manage<Page>(
      org,
      'GET',
      `/audit?${code}&pagesize=2${token && `&nexttoken=${token}`}`,
    );
    assert.equal(page.status, 200, page.text);
    found.push(...page.body.items);
    token = page.body.nexttoken;
  }
  assert.deepEqual(found, all);
  // The org tells of the workspace in a commit of its own, in the very milliseconds in which it is founded.
  const actions = all.map(({ action }) => action);
  const [made, ...others] = [...actions.keys()].filter((index) => actions[index] === 'workspace.created');
  assert.ok(made !== undefined && made >= 5 && others.length === 0, actions.join(', '));
  assert.deepEqual(actions.toSpliced(made, 1), [
    ...['group.created', 'group.created', 'group.created', 'policy_link.created', 'member.joined'],
    ...['group_link.created', 'policy_link.created', 'member.joined', 'group.created'],
    ...['policy.created', 'policy.created'],
  ]);
  const [, second] = all;
  assert.deepEqual(await auditEntries(org, `?${code}&target=${ids[1]}`), [second]);
  assert.deepEqual(await auditEntries(org, `?${code}&request_id=${second?.request_id}`), [second]);
  assert.deepEqual(await auditEntries(org, `?${code}&actor=${member.id}&env=test&action=member.`), [all[4]]);
  assert.deepEqual(await auditEntries(org, `?${code}&from=${all[0]?.at}&to=${all[0]?.at}`), []);
  assert.equal((await auditEntries(org, `?${code}&from=2000-01-01`)).length, all.length);
  assert.deepEqual(await auditEntries(org, `?${code}&to=2000-01-01T00:00:00Z`), []);
  const cursor = (await manage<Page>(org, 'GET', `/audit?${code}&pagesize=1`)).body.nexttoken;
  assertProblem(await manage(org, 'GET', `/audit?tenant_code=other&pagesize=1&nexttoken=${cursor}`), 'invalid_cursor');
  for (const query of [
    'tenant_code=A',
    'tenant_code=',
    'tenant_code=a%23b',
    'from=now',
    'to=2026-13-01',
    `tenant_code=${'a'.repeat(64)}`,
  ])
    assertProblem(await manage(org, 'GET', `/audit?${query}`), 'invalid_request');
});

test('no org reads another org’s workspace by its code', async () => {
  const [one, other] = [await multiOrg(gateways), await multiOrg(gateways)];
  const founder = await founderOf(one, 'Secret Place');
  const code = founder.tenantCode ?? '';
  assert.notDeepEqual(await auditEntries(one, `?tenant_code=${code}`), []);
  assert.deepEqual(await auditEntries(other, `?tenant_code=${code}`), []);
  const guest = await signIn(other);
  await makeWorkspace(guest, { name: 'Other', code });
  const seen = await auditEntries(other, `?tenant_code=${code}`);
  assert.ok(seen.length > 0 && seen.every(({ actor }) => actor.id === guest.id));
});

const operatorKey = 'g7Vt2kQx9LmZp4RwYb6NsHc3JdFe8TuA';

test('only the operator reads the audit log of the platform as a whole', async (t) => {
  const platform = await platformOf(t, { env: { FREEHOLD_OPERATOR_KEY: operatorKey } });
  const { org } = await foundedOrg(platform);
  const path = `${platform.management}/platform/audit`;
  const rotated = await call<{ kid: string }>('POST', `${platform.management}/platform/keys/rotate`, {
    token: operatorKey,
  });
  const page = await call<Page>('GET', `${path}?pagesize=1`, { token: operatorKey });
  assert.equal(page.status, 200, page.text);
  assert.deepEqual(
    page.body.items.map(({ action, target, actor, request_id }) => [action, target.id, actor.kind, request_id]),
    [['signing_key.made', rotated.body.kid, 'operator', rotated.headers.get('x-request-id')]],
  );
  assertProblem(await call('GET', `${path}?org=x`, { token: operatorKey }), 'invalid_request');
  assertProblem(await call('GET', `${path}?nexttoken=nonsense`, { token: operatorKey }), 'invalid_cursor');
  assertProblem(await call('GET', path), 'token_missing');
  assertProblem(await manage(org, 'GET', '/platform/audit'), 'token_invalid');
  assertRefusal(await call('GET', `${gateways.management}/platform/audit`, { token: operatorKey }), [404]);
});
