/** Accounts whose password is suspended: how that comes, and how it ends. */
import assert from 'node:assert/strict';
import { type Fixture, newEmail, type Person, random } from '../fixture.ts';
import type { Flow, Flows } from './flow.ts';
import { clientAtProvider, providerForFlows } from './provider.ts';

/** An admin with a password and an unverified address, and the token by which a provider proves it. */
async function unprovedAdmin({
  org,
  act,
  founder,
}: Fixture): Promise<{ readonly person: Person; readonly proof: string }> {
  const provider = await providerForFlows();
  const value = [{ issuer: provider.issuer, audiences: [clientAtProvider] }];
  assert.equal((await org.manage('PUT', '/org/settings', { group: 'auth', name: 'issuers', value })).status, 200);
  const person = await org.signIn();
  const [admin] = (await act('GET', '/list/aclpolicy?name=adminacl')).body.items;
  const link = { user_id: person.id, acl_policy_id: admin?.id };
  assert.equal((await act('POST', '/create/useraclpolicy', link)).status, 201);
  assert.notEqual(person.id, founder.id);
  return { person, proof: provider.token(person.email) };
}

async function suspended(fixture: Fixture, by?: Awaited<ReturnType<typeof unprovedAdmin>>) {
  const admin = by ?? (await unprovedAdmin(fixture));
  const { body } = await fixture.org.exchange(admin.proof);
  assert.equal(body.tenant_code, 'main');
  return { ...admin, otherId: body.user_id, token: body.token };
}

async function entries({ act }: Fixture, email: string): Promise<readonly (readonly [string, string])[]> {
  return (await act('GET', `/list/user?email=${email}`)).body.items.map(({ id, status }) => [id, status] as const);
}

/** That both accounts are one, with what the older one holds. */
function isMerged(fixture: Fixture, { person, proof }: { readonly person: Person; readonly proof: string }) {
  return async () => {
    const { body } = await fixture.org.exchange(proof);
    assert.deepEqual([body.user_id, body.tenant_code], [person.id, 'main']);
    assert.deepEqual(await entries(fixture, person.email), [[person.id, 'active']]);
    assert.equal((await fixture.org.as(body.token)('POST', '/create/userrole', { name: random() })).status, 201);
    assert.equal((await fixture.org.logIn(person.email)).status, 401);
  };
}

const suspension: Flow = {
  route: 'GET /app/:org/token',
  prepare: async (fixture) => {
    const { person, proof } = await unprovedAdmin(fixture);
    const check = async () => {
      const shown = await entries(fixture, person.email);
      assert.deepEqual(shown.map(([, status]) => status).sort(), ['active', 'password_suspended']);
      assert.equal(shown.find(([id]) => id === person.id)?.[1], 'password_suspended');
      assert.equal((await fixture.org.logIn(person.email)).status, 401);
      assert.equal((await fixture.org.as(person.token)('GET', '/user/me')).status, 401);
    };
    const send = () => fixture.org.exchange(proof);
    return { send, check };
  },
};

const unverified: Flow = {
  route: 'GET /app/:org/token',
  prepare: async ({ org }) => {
    const provider = await providerForFlows();
    const value = [{ issuer: provider.issuer, audiences: [clientAtProvider] }];
    assert.equal((await org.manage('PUT', '/org/settings', { group: 'auth', name: 'issuers', value })).status, 200);
    const email = newEmail();
    const check = async () => {
      const { items } = (await org.manage('GET', `/org/app-users?q=${email}`)).body;
      assert.deepEqual(
        items.map((account) => account.email),
        [email],
      );
    };
    return { send: () => org.exchange(provider.token(email, false)), check };
  },
};

const sendJoinLink: Flow = {
  route: 'POST /app/:org/user/join',
  prepare: async (fixture) => {
    const setPages = (value: readonly string[]) =>
      fixture.org.manage('PUT', '/org/settings', { group: 'auth', name: 'allowed_domains', value });
    // Without a page for its link the sign-up brings no mail, which would count.
    assert.equal((await setPages([])).status, 200);
    const admin = await unprovedAdmin(fixture);
    assert.equal((await setPages(['https://app.example.com'])).status, 200);
    const { person, token } = await suspended(fixture, admin);
    const first = await fixture.mailedCode(person.email, 'verify-email');
    const check = async () => assert.notEqual(await fixture.mailedCode(person.email, 'verify-email'), first);
    return { send: () => fixture.org.as(token)('POST', '/user/join'), check };
  },
};

const proveByMail: Flow = {
  route: 'POST /app/:org/verify-email',
  prepare: async (fixture) => {
    const account = await suspended(fixture);
    const code = await fixture.mailedCode(account.person.email, 'verify-email');
    const send = () => fixture.org.call('POST', '/verify-email', { code });
    return { send, already: 404, check: isMerged(fixture, account) };
  },
};

const merge: Flow = {
  route: 'POST /org/suspended-accounts/:id/merge',
  prepare: async (fixture) => {
    const account = await suspended(fixture);
    const send = () => fixture.org.manage('POST', `/org/suspended-accounts/${account.person.id}/merge`);
    return { send, already: 404, check: isMerged(fixture, account) };
  },
};

const remove: Flow = {
  route: 'DELETE /org/suspended-accounts/:id',
  prepare: async (fixture) => {
    const { person, proof, otherId } = await suspended(fixture);
    const check = async () => {
      assert.deepEqual(await entries(fixture, person.email), [[otherId, 'active']]);
      const { body } = await fixture.org.exchange(proof);
      assert.deepEqual([body.user_id, body.tenant_code], [otherId, 'main']);
      assert.deepEqual((await fixture.act('GET', `/list/useraclpolicy?user_id=${person.id}`)).body.items, []);
      assert.deepEqual(await entries(fixture, person.email), [[otherId, 'active']]);
    };
    let isChecked = false;
    const once = async () => {
      if (!isChecked) await check();
      isChecked = true;
    };
    const send = () => fixture.org.manage('DELETE', `/org/suspended-accounts/${person.id}`);
    return { send, already: 404, check: once };
  },
};

const reason = 'reported by other users';

const disable: Flow = {
  route: 'POST /org/app-users/:id/disable',
  prepare: async ({ org }) => {
    const person = await org.signIn();
    const check = async () => {
      assert.equal((await org.as(person.token)('GET', '/user/me')).body.code, 'account_disabled');
      assert.equal((await org.logIn(person.email)).status, 403);
      const { items } = (await org.manage('GET', '/org/app-users?state=disabled&pagesize=200')).body;
      assert.ok(items.some(({ id }: { readonly id: string }) => id === person.id));
    };
    const send = () => org.manage('POST', `/org/app-users/${person.id}/disable`, { env: 'test', reason });
    return { send, already: 409, check };
  },
};

const enable: Flow = {
  route: 'POST /org/app-users/:id/enable',
  prepare: async ({ org }) => {
    const person = await org.signIn();
    const body = { env: 'test', reason };
    assert.equal((await org.manage('POST', `/org/app-users/${person.id}/disable`, body)).status, 204);
    const check = async () => {
      assert.equal((await org.manage('GET', `/org/app-users/${person.id}`)).body.disabled, null);
      assert.equal((await org.logIn(person.email)).status, 200);
      assert.equal((await org.as(person.token)('GET', '/user/me')).status, 401);
    };
    return { send: () => org.manage('POST', `/org/app-users/${person.id}/enable`, body), already: 409, check };
  },
};

const create: Flow = {
  route: 'POST /org/app-users',
  prepare: async ({ org }) => {
    const code = `w${random()}`;
    assert.equal((await org.manage('POST', '/org/workspaces', { env: 'test', name: 'W', code })).status, 201);
    const email = newEmail();
    let password: string | undefined;
    const send = async () => {
      const reply = await org.manage('POST', '/org/app-users', { env: 'test', tenant_code: code, email });
      password ??= reply.body.password ?? undefined;
      return reply;
    };
    const check = async () => {
      const [item, ...others] = (await org.manage('GET', `/org/app-users?q=${email}`)).body.items;
      assert.deepEqual(others, []);
      const { memberships } = (await org.manage('GET', `/org/app-users/${item?.id}`)).body;
      assert.deepEqual(
        memberships.map(({ tenant_code, role }) => [tenant_code, role]),
        [[code, 'admin']],
      );
      if (password !== undefined) assert.equal((await org.logIn(email, password)).status, 200);
    };
    return { send, already: 409, check };
  },
};

const signOutEverywhere: Flow = {
  route: 'POST /org/app-users/:id/revoke-tokens',
  prepare: async ({ org }) => {
    const person = await org.signIn();
    const check = async () => assert.equal((await org.as(person.token)('GET', '/user/me')).status, 401);
    return { send: () => org.manage('POST', `/org/app-users/${person.id}/revoke-tokens`, { env: 'test' }), check };
  },
};

export const accountFlows: Flows = {
  'an account made by a builder': create,
  'an account disabled': disable,
  'a disabled account enabled': enable,
  'the tokens of an account revoked': signOutEverywhere,
  'a password suspended by a provider': suspension,
  'an account of a provider that has not verified the address': unverified,
  'another mail to join two accounts': sendJoinLink,
  'two accounts made one by the mailed link': proveByMail,
  'two accounts made one by an org admin': merge,
  'the removal of an account with a suspended password': remove,
};
