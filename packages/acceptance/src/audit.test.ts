/** Who did what to an org: recorded in the commit of the action, and shown to its admins only. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, assertRefusal } from './assert-problem.ts';
import { call, type Reply } from './call.ts';
import { defineEntity, definition, manage, newEmail, type Org, password, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();

interface Entry {
  readonly at: string;
  readonly actor: { readonly kind: string; readonly id: string };
  readonly request_id: string;
  readonly action: string;
  readonly target?: { readonly kind: string; readonly id: string };
  readonly env?: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

interface Page {
  readonly items: readonly Entry[];
  readonly nexttoken: string | null;
}

function audit(org: Org, query = ''): Promise<Reply<Page>> {
  return manage<Page>(org, 'GET', `/audit${query}`);
}

async function entries(org: Org, query = ''): Promise<readonly Entry[]> {
  const reply = await audit(org, query);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
}

/** A member of the org that its builder has invited. */
async function join(org: Org, role: string) {
  const email = newEmail('invited');
  const invited = await manage<{ id: string; code: string }>(org, 'POST', '/org/users', { body: { email, role } });
  const { id, code } = invited.body;
  const reply = await call<{ token: string; user: { id: string } }>(
    'POST',
    `${org.management}/auth/accept-invitation`,
    { body: { code, password, name: 'Ina Invited' } },
  );
  assert.equal(reply.status, 200, reply.text);
  return { email, invitationId: id, code, userId: reply.body.user.id, token: reply.body.token };
}

test('the log of an org has the actions of its builders, the latest first, with actor and request', async () => {
  const org = await signUp(gateways);
  const invited = await join(org, 'developer');
  const changed = await manage(org, 'PUT', `/org/users/${invited.userId}`, { body: { role: 'org_admin' } });
  await manage(org, 'DELETE', `/org/users/${invited.userId}`);
  await manage(org, 'POST', '/org/environments/test/rotate-client-id');
  const value = { enabled: true, allow_signup: true, min_length: 12 };
  await manage(org, 'PUT', '/org/settings', { body: { group: 'auth', name: 'password_login', value } });
  await defineEntity(org, definition('note', [{ name: 'title' }]));
  await manage(org, 'PUT', '/api/list-note', { body: { Views: { short: { fields: [{ name: 'title' }] } } } });
  await manage(org, 'PUT', '/api/create-note', { body: { UpdateParams: [{ name: 'title' }, { name: 'text' }] } });
  await manage(org, 'DELETE', '/api/entity?entityname=note');
  const auditEntries = await entries(org);
  assert.deepEqual(
    auditEntries.map(({ action, target }) => [action, target?.id]),
    [
      ['entity.removed', 'note'],
      ['entity.changed', 'note'],
      ['entity.changed', 'note'],
      ['entity.defined', 'note'],
      ['setting.changed', 'auth.password_login'],
      ['client_id.rotated', undefined],
      ['org_user.removed', invited.userId],
      ['org_user.role_changed', invited.userId],
      ['org_user.joined', invited.userId],
      ['org_user.invited', invited.invitationId],
      ['org.created', org.code],
    ],
  );
  const builder = auditEntries.at(-1)?.actor.id;
  assert.ok(
    auditEntries.every(({ action, actor }) => actor.id === (action === 'org_user.joined' ? invited.userId : builder)),
  );
  const roleChange = auditEntries.find(({ action }) => action === 'org_user.role_changed');
  assert.equal(roleChange?.request_id, changed.headers.get('x-request-id'));
});

test('the log holds no email, password, code, token or value', async () => {
  const org = await signUp(gateways);
  const invited = await join(org, 'developer');
  await manage(org, 'PUT', '/org/settings', {
    body: { group: 'auth', name: 'allowed_domains', value: ['https://telltale.example'] },
  });
  const { text } = await audit(org);
  for (const secret of [org.builder.email, invited.email, password, invited.code, invited.token, 'telltale'])
    assert.ok(!text.includes(secret), secret);
});

test('what was refused about members and definitions is not in the log', async () => {
  const org = await signUp(gateways);
  const before = await entries(org);
  assertProblem(
    await manage(org, 'POST', '/org/users', { body: { email: 'x', role: 'developer' } }),
    'validation_failed',
  );
  assertProblem(await manage(org, 'DELETE', `/org/users/${before[0]?.actor.id}`), 'last_admin');
  assertProblem(await manage(org, 'DELETE', '/api/entity?entityname=none'), 'not_found');
  assert.deepEqual(await entries(org), before);
});

test('a refusal of what would change production, or who signs in to it, is in the log, with actor, action and reason', async () => {
  const org = await signUp(gateways);
  const invited = await join(org, 'developer');
  const asAdmin = (method: string, path: string, body?: object) =>
    manage(org, method, path, body === undefined ? {} : { body });
  assertProblem(await asAdmin('POST', '/deploy/publish', { all: true }), 'conflict');
  assertProblem(await manage(org, 'POST', '/user/provision-prod', { token: invited.token }), 'role_required');
  assert.equal((await asAdmin('POST', '/user/provision-prod')).status, 200);
  const activation = await asAdmin('POST', '/deploy/activate');
  const { detail } = assertProblem(activation, 'conflict');
  assertProblem(await manage(org, 'POST', '/deploy/activate', { token: invited.token }), 'role_required');
  assertProblem(await asAdmin('POST', '/deploy/rollback'), 'no_previous_version');
  assertProblem(await asAdmin('POST', '/deploy/publish', { all: true, telltale: 'value' }), 'unknown_field');
  assertProblem(await asAdmin('POST', '/org/environments/none/rotate-client-id'), 'not_found');
  assertProblem(await asAdmin('DELETE', '/org/suspended-accounts/telltale'), 'not_found');
  assertProblem(await asAdmin('DELETE', '/org/service-keys/telltale'), 'not_found');
  const me = (await manage<{ user: { id: string } }>(org, 'GET', '/auth/me')).body.user.id;
  const auditEntries = (await entries(org)).filter(({ action }) => action.endsWith('_refused')).reverse();
  assert.deepEqual(
    auditEntries.map(({ action, actor, detail: { code } = {} }) => [action, actor.id, code]),
    [
      ['deploy.publication_refused', me, 'conflict'],
      ['environment.provision_refused', invited.userId, 'role_required'],
      ['deploy.activation_refused', me, 'conflict'],
      ['deploy.activation_refused', invited.userId, 'role_required'],
      ['deploy.rollback_refused', me, 'no_previous_version'],
      ['deploy.publication_refused', me, 'unknown_field'],
      ['client_id.rotation_refused', me, 'not_found'],
      ['app_user.removal_refused', me, 'not_found'],
    ],
  );
  assert.deepEqual(
    [auditEntries[2]?.detail?.reason, auditEntries[2]?.request_id],
    [detail, activation.headers.get('x-request-id')],
  );
  assert.equal(auditEntries[5]?.detail?.reason, undefined);
  for (const entry of auditEntries)
    assert.deepEqual(
      Object.keys(entry)
        .filter((member) => member !== 'target')
        .toSorted(),
      ['action', 'actor', 'at', 'detail', 'request_id'],
    );
  assert.ok(!JSON.stringify(auditEntries).includes('127.0.0.1'));
});

test('pages taken to the end hold every entry once; filters choose', async () => {
  const org = await signUp(gateways);
  const names = ['one', 'two', 'three', 'four', 'five'];
  for (const name of names) await defineEntity(org, definition(name, [{ name: 'title' }]));
  await manage(org, 'POST', '/org/environments/test/rotate-client-id');
  const all = await entries(org);
  const found: Entry[] = [];
  let token: string | null = '';
  while (token !== null) {
    const query: string = token === '' ? '' : `&nexttoken=${token}`;
    const page: Reply<Page> = await audit(org, `?pagesize=2${query}`);
    assert.equal(page.status, 200, page.text);
    assert.ok(page.body.items.length <= 2);
    found.push(...page.body.items);
    token = page.body.nexttoken;
  }
  assert.deepEqual(found, all);
  assert.equal(all.length, names.length + 2);
  const actions = async (query: string) => (await entries(org, query)).map(({ action }) => action);
  assert.equal((await actions('?env=test')).length, names.length + 1);
  assert.deepEqual(await actions('?env=prod'), []);
  assert.deepEqual(await actions('?action=client_id'), ['client_id.rotated']);
  assert.deepEqual(await actions('?actor=absent'), []);
});

test('an org sees its own log alone, also with another one’s cursor', async () => {
  const [org, other] = [await signUp(gateways), await signUp(gateways)];
  for (const one of [org, other]) await defineEntity(one, definition('note', [{ name: 'title' }]));
  const { nexttoken } = (await audit(org, '?pagesize=1')).body;
  assert.ok(nexttoken !== null);
  assertProblem(await audit(other, `?pagesize=1&nexttoken=${nexttoken}`), 'invalid_cursor');
  assertProblem(await audit(org, `?pagesize=1&action=entity&nexttoken=${nexttoken}`), 'invalid_cursor');
  assertProblem(await audit(org, '?nexttoken=nonsense'), 'invalid_cursor');
  const { token } = await join(other, 'org_admin');
  const foreign = await manage(other, 'GET', `/audit?nexttoken=${nexttoken}`, { token });
  assertProblem(foreign, 'invalid_cursor');
  for (const query of [`?tenant_code=main&target=${org.code}`, `?actor=${(await entries(org))[0]?.actor.id}`])
    assert.deepEqual(await entries(other, query), [], 'another one’s ids choose nothing');
  const actors = new Set((await entries(other)).map(({ actor }) => actor.id));
  assert.ok((await entries(org)).every(({ actor }) => !actors.has(actor.id)));
});

test('the log is for admins, and takes what it knows', async () => {
  const org = await signUp(gateways);
  const { token } = await join(org, 'developer');
  assertProblem(await manage(org, 'GET', '/audit', { token }), 'role_required');
  assertProblem(await manage(org, 'GET', '/audit', { token: 'fm_nonsense' }), 'token_invalid');
  assertProblem(await call('GET', `${org.management}/audit`), 'token_missing');
  const pages = ['?pagesize=0', '?pagesize=201', '?pagesize=x', '?pagesize=1e2', '?pagesize=', '?pagesize=-1'];
  const places = ['?env=stage', '?env=', '?env=test&env=prod', '?org=other', '?tenant_code=Main', '?tenant_code=a%2Fb'];
  const times = [
    'yesterday',
    '2026-13-01',
    '2026-02-30T00:00:00',
    '2026-01-01T25:00:00Z',
    '',
    '0',
    '2026-01-01T00:00:00',
  ];
  const requested = [...pages, ...places, ...times.flatMap((time) => [`?from=${time}`, `?to=${time}`])];
  for (const query of requested) assertProblem(await audit(org, query), 'invalid_request');
  for (const token of ['', 'x', 'a'.repeat(4000), '%00', '%F0%9F%98%80', '..%2F..', '%7B%22platform%22%3A%22%22%7D'])
    assertRefusal(await audit(org, `?nexttoken=${token}`), [400]);
  const nothing = [
    '?actor=',
    '?target=%2A',
    '?action=%25',
    '?action=.',
    '?request_id=none',
    '?tenant_code=nowhere&env=prod',
  ];
  for (const query of [...nothing, '?from=2999-01-01', '?to=1970-01-01', '?from=2026-02-02&to=2026-02-01'])
    assert.deepEqual(await entries(org, query), [], query);
  assertProblem(await manage(org, 'DELETE', '/audit'), 'method_not_allowed');
});
