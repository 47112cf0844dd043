import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, assertRefusal, pointers } from './assert-problem.ts';
import { call } from './call.ts';
import { manage, newEmail, newOrgCode, type Org, password, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();

interface Session {
  readonly token: string;
  readonly expires_at: string;
  readonly user: { readonly email: string };
  readonly org: { readonly code: string; readonly name: string };
  readonly orgs: readonly { readonly code: string; readonly name: string; readonly role: string }[];
}

function signUpBody(change: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { email: newEmail('b'), password, name: 'Bea', org_name: 'Acme', org_code: newOrgCode(), ...change };
}

function postSignUp(body: unknown) {
  return call('POST', `${gateways.management}/auth/signup`, { body });
}

function logIn(body: unknown) {
  return call<Session>('POST', `${gateways.management}/auth/login`, { body });
}

test('a sign-up makes the caller the first org admin, and the test environment exists at once', async () => {
  const body = signUpBody();
  const reply = await call<Session & { org: { environments: { test: { client_id: string } } } }>(
    'POST',
    `${gateways.management}/auth/signup`,
    { body },
  );
  assert.equal(reply.status, 201, reply.text);
  assert.equal(reply.body.org.code, body.org_code);
  assert.equal(reply.body.org.name, 'Acme');
  assert.equal(reply.body.user.email, body.email);
  assert.match(reply.body.org.environments.test.client_id, /^test_/);
  assert.ok(Date.parse(reply.body.expires_at) > Date.now());
  const session = await logIn({ email: body.email, password });
  assert.deepEqual(
    session.body.orgs.map(({ code, role }) => ({ code, role })),
    [{ code: body.org_code, role: 'org_admin' }],
  );
});

test('a sign-up without an org code gets one that keeps the rule for codes', async () => {
  const { org_code: _, ...body } = signUpBody();
  const reply = await postSignUp(body);
  assert.equal(reply.status, 201, reply.text);
  assert.match((reply.body.org as { code: string }).code, /^[a-z][a-z0-9]{1,31}$/);
});

test('an org code is given once', async () => {
  const body = signUpBody();
  assert.equal((await postSignUp(body)).status, 201);
  assertProblem(await postSignUp(signUpBody({ org_code: body.org_code })), 'conflict');
});

test('of parallel sign-ups with one org code exactly one wins', async () => {
  const org_code = newOrgCode();
  const replies = await Promise.all(Array.from({ length: 8 }, () => postSignUp(signUpBody({ org_code }))));
  assert.deepEqual(replies.map((reply) => reply.status).sort(), [201, 409, 409, 409, 409, 409, 409, 409]);
});

for (const org_code of ['a', 'Acme', '1acme', 'a-b', 'a#b', 'a b', 'acmé', 'a'.repeat(33), '', 7, null]) {
  test(`C01: the org code ${JSON.stringify(org_code)} is refused`, async () => {
    const problem = assertRefusal(await postSignUp(signUpBody({ org_code })), [400]);
    assert.deepEqual(pointers(problem), ['/org_code']);
  });
}

test('a sign-up with several mistakes names them all', async () => {
  const problem = assertRefusal(
    await postSignUp(signUpBody({ email: 'absent', password: 'short', org_code: 'A' })),
    [400],
  );
  assert.deepEqual(pointers(problem), ['/email', '/org_code', '/password']);
});

test('a sign-up with an unknown member is refused and makes nothing', async () => {
  const body = signUpBody({ role: 'org_admin' });
  const problem = assertProblem(await postSignUp(body), 'unknown_field');
  assert.deepEqual(pointers(problem), ['/role']);
  assertProblem(await logIn({ email: body.email, password }), 'credentials_invalid');
});

for (const email of ['', 'a', 'a@', '@b.example', 'a b@c.example', `${'a'.repeat(250)}@b.example`, 'a@b@c.example']) {
  test(`the e-mail address ${JSON.stringify(email.slice(0, 20))} is refused`, async () => {
    assert.deepEqual(pointers(assertRefusal(await postSignUp(signUpBody({ email })), [400])), ['/email']);
  });
}

for (const value of [{ $ne: null }, ['x'], 7, true, null]) {
  test(`A31: ${JSON.stringify(value)} in the place of a text is refused by sign-up and login`, async () => {
    for (const member of ['email', 'password', 'name', 'org_name']) {
      assert.deepEqual(pointers(assertRefusal(await postSignUp(signUpBody({ [member]: value })), [400])), [
        `/${member}`,
      ]);
    }
    for (const member of ['email', 'password']) {
      assertRefusal(await logIn({ email: newEmail('b'), password, [member]: value }), [400]);
    }
  });
}

test('a login gives a token for the org, an expiry and the orgs of the user', async () => {
  const org = await signUp(gateways);
  const reply = await logIn({ email: org.builder.email, password });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.body.org.code, org.code);
  assert.equal(reply.body.user.email, org.builder.email);
  assert.ok(Date.parse(reply.body.expires_at) > Date.now());
  assert.equal((await manage(org, 'GET', '/org', { token: reply.body.token })).status, 200);
});

test('a wrong password and an unknown e-mail address get the same answer', async () => {
  const org = await signUp(gateways);
  const wrong = assertProblem(
    await logIn({ email: org.builder.email, password: `${password}!` }),
    'credentials_invalid',
  );
  const unknown = assertProblem(await logIn({ email: newEmail('absent'), password }), 'credentials_invalid');
  assert.deepEqual({ ...wrong, request_id: '' }, { ...unknown, request_id: '' });
});

test('`GET /auth/me` tells who is calling', async () => {
  const org = await signUp(gateways);
  const reply = await manage<Session>(org, 'GET', '/auth/me');
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.body.user.email, org.builder.email);
  assert.equal(reply.body.org.code, org.code);
});

test('`GET /org` tells the code, the name and the environments', async () => {
  const org = await signUp(gateways);
  const reply = await manage<{ code: string; environments: { test: { client_id: string }; prod: null } }>(
    org,
    'GET',
    '/org',
  );
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.body.code, org.code);
  assert.equal(reply.body.environments.test.client_id, org.clientId);
  assert.equal(reply.body.environments.prod, null);
});

test('a logout ends its own token and no other', async () => {
  const org = await signUp(gateways);
  const second = (await logIn({ email: org.builder.email, password })).body.token;
  const out = await manage(org, 'POST', '/auth/logout');
  assert.ok(out.status === 200 || out.status === 204, out.text);
  assertProblem(await manage(org, 'GET', '/auth/me'), 'token_invalid');
  assert.equal((await manage(org, 'GET', '/auth/me', { token: second })).status, 200);
});

test('A37: a management token is taken as `Bearer` and under no other scheme', async () => {
  const org = await signUp(gateways);
  for (const scheme of ['Basic', 'Foo', 'Token', 'Bearer Bearer', 'BearerX']) {
    assertRefusal(await withAuthorization(org, `${scheme} ${org.builder.token}`), [401]);
  }
  assert.equal((await withAuthorization(org, `Bearer ${org.builder.token}`)).status, 200);
});

function withAuthorization(org: Org, authorization: string) {
  return call('GET', `${org.management}/auth/me`, { headers: { authorization } });
}
