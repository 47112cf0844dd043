/** What an org can settle: which settings there are, what they may be, and who may see and change them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, assertRefusal, pointers } from './assert-problem.ts';
import { type CallOptions, call, type Reply } from './call.ts';
import { foundedOrg, manage, newEmail, password, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const org = await signUp(gateways);
const neighbour = await signUp(gateways);

interface Setting {
  readonly group: string;
  readonly name: string;
  readonly value: unknown;
  readonly prod_value?: unknown;
  readonly version: number;
}

function put(body: unknown, query = '', options: CallOptions = {}): Promise<Reply<Setting>> {
  return manage<Setting>(org, 'PUT', `/org/settings${query}`, { body, ...options });
}

interface Listed extends Setting {
  readonly default: unknown;
  readonly description: string;
}

async function listed(of = org, query = ''): Promise<readonly Listed[]> {
  const reply = await manage<{ readonly items: readonly Listed[] }>(of, 'GET', `/org/settings${query}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
}

async function settingsOf(of = org, query = ''): Promise<readonly Setting[]> {
  return (await listed(of, query)).map(({ default: _, description, ...setting }) => setting);
}

async function setting(key: string, of = org, query = ''): Promise<Setting> {
  const found = (await settingsOf(of, query)).find(({ group, name }) => `${group}.${name}` === key);
  assert.ok(found !== undefined, key);
  return found;
}

function bodyOf(key: string, rest: object): object {
  const [group, name] = key.split('.');
  return { group, name, ...rest };
}

const defaults: Readonly<Record<string, unknown>> = {
  'tenancy.tenancy_type': 'single',
  'tenancy.founder_email': null,
  'tenancy.default_member_access': 'vieweracl',
  'tenancy.workspace_templates': { policies: [], groups: [] },
  'auth.allowed_domains': ['http://localhost'],
  'auth.app_url': null,
  'auth.issuers': [],
  'auth.password_login': { enabled: true, allow_signup: true, min_length: 10 },
  'acl.cache_seconds': 60,
  'acl.escalation_check': true,
  'acl.record_decisions': true,
  'automation.http_hosts': [],
  'mail.verify_email': null,
  'mail.merge_accounts': null,
  'mail.reset_password': null,
  'mail.reset_suspended_password': null,
  'mail.invitation': null,
};

test('an org that has settled nothing has the defaults, in version 0', async () => {
  const shown = Object.entries(defaults).map(([key, value]) => bodyOf(key, { value, version: 0 }));
  assert.deepEqual(new Set(await settingsOf()), new Set(shown));
});

test('a setting is listed with its default in the environment, and with what it decides, also when it is set', async () => {
  const of = await signUp(gateways);
  const body = bodyOf('acl.cache_seconds', { value: 5 });
  assert.equal((await manage(of, 'PUT', '/org/settings', { body })).status, 200);
  for (const [query, domains] of [
    ['', ['http://localhost']],
    ['?env=prod', []],
  ] as const)
    for (const setting of await listed(of, query)) {
      const key = `${setting.group}.${setting.name}`;
      assert.deepEqual(setting.default, key === 'auth.allowed_domains' ? domains : defaults[key], key);
      assert.match(setting.description, /^.{20,}\.$/s);
    }
});

test('in production the defaults hold too, but pages of localhost are let in nowhere', async () => {
  const shown = { ...defaults, 'auth.allowed_domains': [] };
  for (const [key, value] of Object.entries(shown))
    assert.deepEqual(await setting(key, org, '?env=prod'), bodyOf(key, { value, version: 0 }));
});

test('the settings of one group can be asked for', async () => {
  for (const group of ['tenancy', 'auth', 'acl']) {
    const shown = (await settingsOf(org, `?group=${group}`)).map(({ name }) => `${group}.${name}`);
    assert.deepEqual(
      shown.toSorted(),
      Object.keys(defaults)
        .filter((key) => key.startsWith(`${group}.`))
        .sort(),
    );
  }
  assert.deepEqual(await settingsOf(org, '?group=nothing'), []);
});

const policy = { name: 'shoppers', statements: [{ Effect: 'Allow', Action: ['get*'], Resource: ['*'] }] };
const issuer = { issuer: 'https://id.example', audiences: ['client'] };

/** Values that are taken, with what they come to where that is not the same. */
const taken: readonly (readonly [string, unknown, unknown?])[] = [
  ['tenancy.tenancy_type', 'multi'],
  ['tenancy.tenancy_type', 'single'],
  ['tenancy.founder_email', 'Ann@example.com'],
  ['tenancy.founder_email', null],
  ['tenancy.default_member_access', 'shoppers'],
  ['tenancy.workspace_templates', { policies: [policy] }, { policies: [policy], groups: [] }],
  ['tenancy.workspace_templates', {}, { policies: [], groups: [] }],
  ['auth.allowed_domains', []],
  ['auth.allowed_domains', ['app.example.com', 'localhost:3000'], ['https://app.example.com', 'http://localhost:3000']],
  ['auth.app_url', 'https://App.example.com', 'https://app.example.com/'],
  ['auth.app_url', 'http://localhost:5173/account/'],
  ['auth.app_url', null],
  ['auth.issuers', [{ ...issuer, jwks_uri: 'https://id.example/keys', name: 'Id', email_domains: ['a.example'] }]],
  ['auth.issuers', []],
  ['auth.password_login', { enabled: false }, { enabled: false, allow_signup: true, min_length: 10 }],
  ['auth.password_login', {}, { enabled: true, allow_signup: true, min_length: 10 }],
  ['acl.cache_seconds', 0],
  ['acl.cache_seconds', 300],
  ['acl.escalation_check', false],
  ['automation.http_hosts', ['api.example.com', '*.example.com', '127.0.0.1']],
  ['automation.http_hosts', ['a.example', 'a.example'], ['a.example']],
];

for (const [key, value, comesTo = value] of taken)
  test(`\`${key}\` takes ${JSON.stringify(value)}, for production too, in a version of its own`, async () => {
    const before = await setting(key);
    const { status, body, text } = await put(bodyOf(key, { value, prod_value: value }));
    assert.equal(status, 200, text);
    assert.deepEqual(body, bodyOf(key, { value: comesTo, prod_value: comesTo, version: body.version }));
    assert.ok(body.version > before.version);
    assert.deepEqual(await setting(key), body);
  });

/** Values that are refused, with where the mistake stands. */
const refused: readonly (readonly [string, unknown, string])[] = [
  ['tenancy.tenancy_type', 'double', ''],
  ['tenancy.tenancy_type', null, ''],
  ['tenancy.founder_email', 'ann', ''],
  ['tenancy.founder_email', '', ''],
  ['tenancy.founder_email', ['ann@example.com'], ''],
  ['tenancy.default_member_access', '', ''],
  ['tenancy.default_member_access', 'a'.repeat(129), ''],
  ['tenancy.default_member_access', null, ''],
  ['tenancy.workspace_templates', [], ''],
  ['tenancy.workspace_templates', { policies: [{ ...policy, name: '' }] }, '/policies/0/name'],
  ['tenancy.workspace_templates', { roles: [] }, '/roles'],
  ['auth.allowed_domains', 'app.example.com', ''],
  ['auth.allowed_domains', ['app.example.com', '*'], '/1'],
  ['auth.allowed_domains', ['https://app.example.com/path'], '/0'],
  ['auth.app_url', 'app.example.com', ''],
  ['auth.app_url', 'javascript:alert(1)', ''],
  ['auth.app_url', 'https://user:secret@app.example.com', ''],
  ['auth.app_url', 'https://app.example.com/?next=1', ''],
  ['auth.app_url', 'https://app.example.com/#start', ''],
  ['auth.app_url', 'https://app.example.com/a\r\nb', ''],
  ['auth.app_url', 'https://', ''],
  ['auth.app_url', ['https://app.example.com'], ''],
  ['auth.issuers', {}, ''],
  ['auth.issuers', [{ ...issuer, issuer: 'id.example' }], '/0/issuer'],
  ['auth.issuers', [issuer, { ...issuer, issuer: 'https://b.example', audiences: [] }], '/1/audiences'],
  ['auth.issuers', [{ ...issuer, secret: 'x' }], '/0/secret'],
  ['auth.password_login', true, ''],
  ['auth.password_login', { enabled: 'yes' }, '/enabled'],
  ['auth.password_login', { allow_signup: 1 }, '/allow_signup'],
  ['auth.password_login', { min_length: 7 }, '/min_length'],
  ['auth.password_login', { min_length: 10.5 }, '/min_length'],
  ['auth.password_login', { min_length: '12' }, '/min_length'],
  ['auth.password_login', { max_length: 64 }, '/max_length'],
  ['acl.cache_seconds', -1, ''],
  ['acl.cache_seconds', 301, ''],
  ['acl.cache_seconds', 1.5, ''],
  ['acl.cache_seconds', '60', ''],
  ['acl.escalation_check', 'false', ''],
  ['acl.escalation_check', null, ''],
];

for (const [key, value, pointer] of refused)
  test(`\`${key}\` refuses ${JSON.stringify(value).slice(0, 60)}, also for production, and stays as it is`, async () => {
    const before = await setting(key);
    assert.deepEqual(pointers(assertRefusal(await put(bodyOf(key, { value })), [400])), [`/value${pointer}`]);
    const forProduction = await put(bodyOf(key, { value: before.value, prod_value: value }));
    assert.deepEqual(pointers(assertRefusal(forProduction, [400])), [`/prod_value${pointer}`]);
    assert.deepEqual(await setting(key), before);
  });

/** Bodies that name no setting, or more than one has. */
const strange: readonly (readonly [unknown, readonly string[]])[] = [
  [{}, ['/group']],
  [{ group: 'auth' }, ['/name']],
  [{ group: 'auth', name: 'nothing', value: 1 }, ['/name']],
  [{ group: 'nothing', name: 'issuers', value: [] }, ['/group']],
  [{ group: 'auth', name: 'cache_seconds', value: 60 }, ['/name']],
  [{ group: 'auth.issuers', name: '', value: [] }, ['/group']],
  [{ group: '__proto__', name: 'constructor', value: [] }, ['/group']],
  [{ group: ['auth'], name: 'issuers', value: [] }, ['/group']],
  [{ group: { toString: 1 }, name: 'issuers', value: [] }, ['/group']],
  [{ group: 'auth', name: { toString: 1 }, value: [] }, ['/name']],
  [{ group: 'auth', name: 'issuers' }, ['/value']],
  [{ group: 'auth', name: 'issuers', prod_value: [] }, ['/value']],
  [{ group: 'auth', name: 'issuers', value: [], version: 1 }, ['/version']],
  [{ group: 'auth', name: 'issuers', value: 1, prod_value: 2, other: 3 }, ['/other', '/prod_value', '/value']],
  [[], ['']],
  ['auth.issuers', ['']],
  [null, ['']],
];

for (const [body, wrong] of strange)
  test(`A31: the body ${JSON.stringify(body)} settles nothing`, async () => {
    const before = await settingsOf();
    const reply = await put(JSON.stringify(body));
    assert.deepEqual(pointers(assertRefusal(reply, [400])), wrong);
    assert.deepEqual(await settingsOf(), before);
  });

test('a setting is settled as a whole: what was said for production goes with what was said before', async () => {
  const key = 'acl.cache_seconds';
  assert.equal((await put(bodyOf(key, { value: 10, prod_value: 20 }))).status, 200);
  const { version, ...rest } = (await put(bodyOf(key, { value: 30 }))).body;
  assert.deepEqual([rest, await setting(key)], [bodyOf(key, { value: 30 }), { ...rest, version }]);
});

test('of settings that are settled at once none is lost, and each has a version of its own', async () => {
  const values = [1, 2, 3, 4].flatMap((value) => [
    bodyOf('acl.cache_seconds', { value }),
    bodyOf('tenancy.founder_email', { value: `a${value}@b.example` }),
  ]);
  const replies = await Promise.all(values.map((body) => put(body)));
  const versions = replies.map(({ status, body }) => (status === 200 ? body.version : status));
  assert.equal(new Set(versions).size, values.length);
  for (const key of ['acl.cache_seconds', 'tenancy.founder_email']) {
    const [group, name] = key.split('.');
    const last = replies.map(({ body }) => body).filter((one) => one.group === group && one.name === name);
    assert.deepEqual(await setting(key), last.toSorted((left, right) => left.version - right.version).at(-1));
  }
});

test('production is settled by deploying: a change of it is refused, and a change of test does not show there', async () => {
  const body = bodyOf('acl.cache_seconds', { value: 5, prod_value: 6 });
  assertProblem(await put(body, '?env=prod'), 'prod_read_only');
  assert.equal((await put(body)).status, 200);
  assert.equal((await setting('acl.cache_seconds', org, '?env=prod')).version, 0);
});

test('what one org settles is no other org’s', async () => {
  assert.equal((await put(bodyOf('acl.escalation_check', { value: false }))).status, 200);
  for (const [key, value] of Object.entries(defaults))
    assert.deepEqual(await setting(key, neighbour), bodyOf(key, { value, version: 0 }));
});

test('settings are for builders, with a management token', async () => {
  const url = `${gateways.management}/org/settings`;
  const body = bodyOf('acl.cache_seconds', { value: 0 });
  const { founder } = await foundedOrg(gateways);
  for (const [method, options] of [
    ['GET', {}],
    ['PUT', { body }],
  ] as const) {
    assertProblem(await call(method, url, options), 'token_missing');
    assertProblem(await call(method, url, { ...options, token: 'junk' }), 'token_invalid');
    assertProblem(await call(method, url, { ...options, token: founder.token }), 'token_invalid');
    assertProblem(
      await call(method, `${gateways.app}/org/settings`, { ...options, token: org.builder.token }),
      'not_found',
    );
  }
});

test('B24: a developer sees what is settled and who was refused, and settles nothing', async () => {
  const invitation = { email: newEmail('developer'), role: 'developer' };
  const invited = await manage<{ readonly code: string }>(org, 'POST', '/org/users', { body: invitation });
  const account = { code: invited.body.code, password, name: 'Dan Developer' };
  const url = `${gateways.management}/auth/accept-invitation`;
  const { token } = (await call<{ readonly token: string }>('POST', url, { body: account })).body;
  const before = await settingsOf();
  for (const path of ['/org/settings', '/org/settings?env=prod', '/org/refused-origins'])
    assert.equal((await manage(org, 'GET', path, { token })).status, 200, path);
  for (const key of Object.keys(defaults))
    assertProblem(await put(bodyOf(key, { value: defaults[key] }), '', { token }), 'role_required');
  assertProblem(await put('{"junk":', '', { token }), 'role_required');
  assert.deepEqual(await settingsOf(), before);
});

test('parameters that there are not are refused', async () => {
  for (const query of ['?groups=auth', '?env=staging', '?group=auth&group=acl'])
    assertProblem(await manage(org, 'GET', `/org/settings${query}`), 'invalid_request');
  const body = bodyOf('acl.cache_seconds', { value: 60 });
  for (const query of ['?group=acl', '?force=true']) assertProblem(await put(body, query), 'invalid_request');
});
