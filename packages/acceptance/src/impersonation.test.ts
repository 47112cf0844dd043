/** The way a builder gets to see an app as its users do, and how little else he gets by it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AppClaims, decodePart, encodePart } from './app-token.ts';
import { assertProblem, pointers } from './assert-problem.ts';
import { type CallOptions, call, type Reply } from './call.ts';
import {
  type AppUser,
  act,
  allow,
  create,
  defineEntity,
  definition,
  exchangeToken,
  foundedOrg,
  joinOrg,
  list,
  manage,
  memberWith,
  newEmail,
  type Org,
  password,
  signIn,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { founderOf, multiOrg, putSetting } from './workspaces.ts';

const gateways = await platformForTests();
const missing = '01890000-0000-7000-8000-000000000000';

interface Impersonation {
  readonly token: string;
  readonly expires_at: string;
  readonly user_id: string;
  readonly tenant_id: string;
  readonly tenant_code: string;
}

interface ActingClaims extends AppClaims {
  readonly act?: { readonly sub: string };
}

async function orgWithNotes(): Promise<{ readonly org: Org; readonly founder: AppUser }> {
  const founded = await foundedOrg(gateways);
  await defineEntity(founded.org, definition('note', [{ name: 'title' }]));
  return founded;
}

function ask(org: Org, body: object = {}, options: CallOptions = {}): Promise<Reply<Impersonation>> {
  const request = { env: 'test', tenant_code: 'main', ...body };
  return manage<Impersonation>(org, 'POST', '/org/impersonate', { body: request, ...options });
}

/** The caller that the builder of the org is with his token. */
async function acting(user: AppUser, body: object = {}, options: CallOptions = {}): Promise<AppUser> {
  const reply = await ask(user.org, { tenant_code: user.tenantCode, ...body }, options);
  assert.equal(reply.status, 200, reply.text);
  return { ...user, id: reply.body.user_id, token: reply.body.token };
}

/** Another builder of the org. */
function claimsOf({ token }: Pick<AppUser, 'token'>): ActingClaims {
  return decodePart<ActingClaims>(token.split('.')[1] ?? '');
}

async function builderId(org: Org): Promise<string> {
  return (await manage<{ user: { id: string } }>(org, 'GET', '/auth/me')).body.user.id;
}

const selfWrites: readonly (readonly [string, string, object])[] = [
  ['PUT', '/user/me', { fn: 'Mallory' }],
  ['POST', '/user/password', { current_password: password, new_password: 'another long password' }],
  ['POST', '/user/logout', { everywhere: true }],
  ['POST', '/user/workspace', { name: 'Taken' }],
  ['POST', '/user/switch-tenant', { tenant_code: 'main' }],
  ['POST', '/user/leave', { tenant_code: 'main' }],
  ['POST', '/user/acceptinvitation', { code: 'x' }],
];

test('a builder acts for a member with what that member may do, for a quarter of an hour', async () => {
  const { org, founder } = await orgWithNotes();
  const member = await memberWith(founder, [allow(['getnote', 'listnote', 'createnote'])]);
  const builder = await acting(member, { user_id: member.id });
  const claims = claimsOf(builder);
  assert.deepEqual(claims.act, { sub: await builderId(org) });
  assert.deepEqual([claims.sub, claims.email, claims.tenant_code], [member.id, member.email, 'main']);
  assert.equal(claims.exp - claims.iat, 15 * 60);
  assert.equal(claimsOf(member).act, undefined);
  const record = await create(builder, 'note', { title: 'by a builder' });
  assert.deepEqual([record.created_by, record.updated_by], [member.id, member.id]);
  assert.equal((await list(builder, 'note')).items.length, 1);
  const denial = assertProblem(await act(builder, 'DELETE', `/delete/note/${record.id}`), 'access_denied');
  const decision = await manage(org, 'GET', `/acl/decisions/${String(denial.decision_id)}`);
  assert.deepEqual([decision.body.user_id, decision.body.act], [member.id, claims.act?.sub]);
  assert.equal((await act(builder, 'GET', '/user/me')).body.id, member.id);
  assert.equal((await act(builder, 'GET', '/user/tenants')).status, 200);
});

test('a builder in his own name may do everything in test, and leaves no record of himself', async () => {
  const { org, founder } = await orgWithNotes();
  const members = (await list(founder, 'user')).items.length;
  const developer = await joinOrg(org, 'developer');
  const builder = await acting(founder, {}, { token: developer.token });
  assert.equal(builder.id, developer.id);
  const record = await create(builder, 'note', { title: 'mine' });
  assert.equal(record.created_by, developer.id);
  const statements = [allow('*')];
  const policy = await create(builder, 'aclpolicy', { name: 'made-by-a-builder', statements });
  const link = { user_id: founder.id, acl_policy_id: policy.id };
  assert.equal((await act(builder, 'POST', '/create/useraclpolicy', { body: link })).status, 201);
  const permissions = await act<{ entities: Record<string, Record<string, boolean>> }>(
    builder,
    'GET',
    '/user/permissions',
  );
  assert.equal(permissions.body.entities.note?.delete, true);
  const me = (await act<Record<string, unknown>>(builder, 'GET', '/user/me')).body;
  assert.deepEqual([me.id, me.tenant_code], [developer.id, 'main']);
  assert.equal((await act(builder, 'PUT', '/user/workspace', { body: { name: 'Renamed' } })).status, 200);
  assert.equal((await list(founder, 'user')).items.length, members);
  assertProblem(await act(founder, 'GET', `/item/user/${developer.id}`), 'not_found');
  const invitation = { body: { email: newEmail('invited') } };
  assertProblem(await act(builder, 'POST', '/user/invitations', invitation), 'access_denied');
  for (const path of ['/user/tenants', '/user/invitations/mine'])
    assertProblem(await act(builder, 'GET', path), 'access_denied');
});

test('an impersonating builder changes nothing of the user’s account, and gets no token of the user’s own', async () => {
  const { org, founder } = await orgWithNotes();
  for (const builder of [await acting(founder, { user_id: founder.id }), await acting(founder)]) {
    for (const [method, path, body] of selfWrites)
      assertProblem(await act(builder, method, path, { body }), 'access_denied');
    assertProblem(await exchangeToken(org, builder.token), 'access_denied');
    assertProblem(await manage(org, 'GET', '/org', { token: builder.token }), 'token_invalid');
  }
  assert.equal((await act(founder, 'GET', '/user/me')).body.fn, '');
  await signIn(org, founder.email);
});

test('no caller can claim to act for another', async () => {
  const { org, founder } = await orgWithNotes();
  const member = await memberWith(founder, [allow('listnote')]);
  const [head = '', payload = '', signature = ''] = member.token.split('.');
  const claims = decodePart<Record<string, unknown>>(payload);
  const forgeries = [{ sub: founder.id }, { act: { sub: member.id } }, { act: { sub: await builderId(org) } }];
  for (const change of forgeries) {
    const token = `${head}.${encodePart({ ...claims, ...change })}.${signature}`;
    assertProblem(await act({ ...member, token }, 'GET', '/list/note'), 'token_invalid');
  }
  const builder = await acting(member, { user_id: member.id });
  const [own = '', acted = '', signed = ''] = builder.token.split('.');
  const { act: _act, ...person } = decodePart<Record<string, unknown>>(acted);
  const token = `${own}.${encodePart(person)}.${signed}`;
  assertProblem(await act({ ...member, token }, 'GET', '/list/note'), 'token_invalid');
});

test('the token ends with the builder’s place in the org', async () => {
  const { org, founder } = await orgWithNotes();
  await putSetting(org, 'acl', 'cache_seconds', 0);
  const developer = await joinOrg(org, 'developer');
  const builders = [
    await acting(founder, { user_id: founder.id }, { token: developer.token }),
    await acting(founder, {}, { token: developer.token }),
  ];
  for (const builder of builders) assert.equal((await act(builder, 'GET', '/list/note')).status, 200);
  assert.equal((await manage(org, 'DELETE', `/org/users/${developer.id}`)).status, 204);
  for (const builder of builders) assertProblem(await act(builder, 'GET', '/list/note'), 'token_invalid');
  assert.equal((await act(founder, 'GET', '/list/note')).status, 200);
});

test('the token ends with the session that it was issued in, and no other token does', async () => {
  const { org, founder } = await orgWithNotes();
  const { builder } = org;
  const logIn = async () => {
    const { email } = builder;
    const reply = await call<{ token: string }>('POST', `${org.management}/auth/login`, { body: { email, password } });
    return reply.body.token;
  };
  const ends: readonly ((token: string) => Promise<Reply<unknown>>)[] = [
    (token) => manage(org, 'POST', '/auth/logout', { token }),
    async (token) => {
      const sessions = await manage<{ items: { id: string; current: boolean }[] }>(org, 'GET', '/auth/sessions', {
        token,
      });
      const own = sessions.body.items.find(({ current }) => current);
      return manage(org, 'DELETE', `/auth/sessions/${own?.id}`);
    },
    // Last, since it ends every session but the one that it is asked in.
    () => manage(org, 'POST', '/auth/password', { body: { current_password: password, new_password: `${password}!` } }),
  ];
  const other = await acting(founder);
  for (const end of ends) {
    const token = await logIn();
    const tokens = [await acting(founder, {}, { token }), await acting(founder, { user_id: founder.id }, { token })];
    for (const one of tokens) assert.equal((await act(one, 'GET', '/list/note')).status, 200);
    assert.equal((await end(token)).status, 204);
    for (const one of tokens) assertProblem(await act(one, 'GET', '/list/note'), 'token_invalid');
    assert.equal((await act(other, 'GET', '/list/note')).status, 200);
  }
});

test('the right to impersonate in test outlives a change of role, and the end of the membership ends it at once', async () => {
  const { org, founder } = await orgWithNotes();
  const developer = await joinOrg(org, 'org_admin');
  const builder = await acting(founder, {}, { token: developer.token });
  assert.equal((await manage(org, 'PUT', `/org/users/${developer.id}`, { body: { role: 'developer' } })).status, 200);
  assert.equal((await act(builder, 'GET', '/list/note')).status, 200);
  assert.equal((await manage(org, 'DELETE', `/org/users/${developer.id}`)).status, 204);
  assertProblem(await act(builder, 'GET', '/list/note'), 'token_invalid');
});

test('no token but that of a session issues one: neither a key, nor a user’s, nor an impersonating builder’s', async () => {
  const { org, founder } = await orgWithNotes();
  const deployKey = await manage<{ key: string }>(org, 'POST', '/deploy/keys', {
    body: { name: 'ci', scope: 'activate' },
  });
  const serviceKey = await manage<{ key: string }>(org, 'POST', '/org/service-keys', {
    body: { env: 'test', tenant_code: 'main', name: 'server', policies: ['adminacl'] },
  });
  const tokens = [deployKey.body.key, serviceKey.body.key, founder.token, (await acting(founder)).token, 'nonsense'];
  for (const token of tokens) {
    assertProblem(await ask(org, {}, { token }), 'token_invalid');
    assertProblem(await ask(org, { user_id: founder.id }, { token }), 'token_invalid');
  }
  const log = await manage<{ items: unknown[] }>(org, 'GET', '/audit?action=impersonation.started');
  assert.equal(log.body.items.length, 1);
});

test('the token ends with the tokens of the person, and with the membership', async () => {
  const { founder } = await orgWithNotes();
  const [one, two] = [await memberWith(founder, [allow('*')]), await memberWith(founder, [allow('*')])];
  const [asOne, asTwo] = [await acting(one, { user_id: one.id }), await acting(two, { user_id: two.id })];
  for (const builder of [asOne, asTwo]) assert.equal((await act(builder, 'GET', '/list/note')).status, 200);
  assert.equal((await act(one, 'POST', '/user/logout', { body: { everywhere: true } })).status, 204);
  assertProblem(await act(asOne, 'GET', '/list/note'), 'token_invalid');
  await act(founder, 'PUT', `/update/user/${two.id}`, { body: { status: 'suspended' } });
  assertProblem(await act(asTwo, 'GET', '/list/note'), 'token_invalid');
  assertProblem(await ask(two.org, { user_id: two.id }), 'conflict');
  assert.equal((await act(founder, 'DELETE', `/delete/user/${two.id}`)).status, 204);
  assertProblem(await ask(two.org, { user_id: two.id }), 'not_found');
});

test('a builder gets into the workspaces of his own org, as who is in them', async () => {
  const org = await multiOrg(gateways);
  const [one, two] = [await founderOf(org, 'One'), await founderOf(org, 'Two')];
  const other = await orgWithNotes();
  const key = await manage<{ id: string }>(org, 'POST', '/org/service-keys', {
    body: { env: 'test', tenant_code: one.tenantCode, name: 'server', policies: ['adminacl'] },
  });
  for (const user_id of [two.id, other.founder.id, key.body.id, missing])
    assertProblem(await ask(org, { tenant_code: one.tenantCode, user_id }), 'not_found');
  for (const user_id of ['nonsense', 'x'.repeat(3000)]) {
    const refused = await ask(org, { tenant_code: one.tenantCode, user_id });
    assert.deepEqual(pointers(assertProblem(refused, 'validation_failed')), ['/user_id']);
  }
  for (const tenant_code of ['nowhere', '', '../main', `${one.tenantCode}#`, 'x'.repeat(3000)])
    assertProblem(await ask(org, { tenant_code }), 'not_found');
  assertProblem(await ask(other.org, { tenant_code: one.tenantCode, user_id: one.id }), 'not_found');
  const builder = await acting(one);
  assertProblem(await act({ ...builder, org: other.org }, 'GET', '/list/user'), 'token_invalid');
  assert.equal((await list(builder, 'user')).items.length, 2);
});

test('wrong input is named; impersonation in production is for admins', async () => {
  const { org, founder } = await orgWithNotes();
  const developer = await joinOrg(org, 'developer');
  assert.deepEqual(pointers(assertProblem(await ask(org, { env: 'stage' }), 'validation_failed')), ['/env']);
  assert.deepEqual(pointers(assertProblem(await ask(org, { env: 'prod' }), 'validation_failed')), ['/user_id']);
  assertProblem(await ask(org, { user_id: 5 }), 'validation_failed');
  assertProblem(await ask(org, { role: 'admin' }), 'unknown_field');
  assertProblem(await ask(org, { env: 'prod', user_id: founder.id }), 'not_found');
  const inProd = { env: 'prod', user_id: founder.id };
  assertProblem(await ask(org, inProd, { token: developer.token }), 'role_required');
  assertProblem(await ask(org, {}, { token: founder.token }), 'token_invalid');
  assertProblem(await call('POST', `${org.management}/org/impersonate`, { body: { env: 'test' } }), 'token_missing');
});

test('every token that was issued is in the log of the org, and no refused one', async () => {
  const { org, founder } = await orgWithNotes();
  const reply = await ask(org, { user_id: founder.id });
  await ask(org);
  await ask(org, { user_id: missing });
  await ask(org, { tenant_code: 'nowhere' });
  const log = await manage<{ items: { actor: object; target: object; env: string; tenant_code: string }[] }>(
    org,
    'GET',
    '/audit?action=impersonation.started',
  );
  const actor = { kind: 'org_user', id: await builderId(org) };
  assert.deepEqual(
    log.body.items.map((entry) => [entry.actor, entry.target, entry.env, entry.tenant_code]),
    [
      [actor, { kind: 'workspace', id: founder.tenantId }, 'test', 'main'],
      [actor, { kind: 'app_user', id: founder.id }, 'test', 'main'],
    ],
  );
  assert.ok(!log.text.includes(reply.body.token) && !log.text.includes(founder.email));
});

test('the log keeps the reason that a builder states, in one line of at most 500 characters', async () => {
  const { org, founder } = await orgWithNotes();
  const reason = 'Ticket 4711: the list stays empty.';
  assert.equal((await ask(org, { user_id: founder.id, reason: ` ${reason} ` })).status, 200);
  for (const wrong of ['', '  ', 'two\nlines', 'a'.repeat(501), 7])
    assert.deepEqual(
      pointers(assertProblem(await ask(org, { user_id: founder.id, reason: wrong }), 'validation_failed')),
      ['/reason'],
    );
  const log = await manage<{ items: { detail?: object }[] }>(org, 'GET', '/audit?action=impersonation.started');
  assert.deepEqual(
    log.body.items.map(({ detail }) => detail),
    [{ reason }],
  );
});
