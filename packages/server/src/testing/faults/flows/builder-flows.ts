/** The operations of builders on their accounts, and with the people of an org. */
import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { type Fixture, newEmail, type OrgCalls, password, random, signUp } from '../fixture.ts';
import type { Flow, Flows } from './flow.ts';

const newPassword = 'another horse battery';

const register: Flow = {
  route: 'POST /auth/signup',
  prepare: async ({ platform, org }) => {
    const code = `o${random()}`;
    const check = async () => assert.equal(await loginStatus(org, `${code}@example.com`), 200);
    return { send: () => signUp(platform, code), already: 409, check };
  },
};

const logIn: Flow = {
  route: 'POST /auth/login',
  prepare: async ({ org }) => {
    let token = '';
    const send = async () => {
      const reply = await org.anonymousCall('/auth/login', { email: org.email, password });
      if (reply.status === 200) ({ token } = reply.body);
      return reply;
    };
    return { send, check: async () => assert.ok(await isAlive(org, token)) };
  },
};

const makeLink: Flow = {
  route: 'POST /auth/sign-in-links',
  prepare: async ({ org }) => {
    let code = '';
    const send = async () => {
      const reply = await org.manage('POST', '/auth/sign-in-links');
      if (reply.status === 201) ({ code } = reply.body);
      return reply;
    };
    const check = async () => {
      if (code === '') return;
      assert.equal((await org.anonymousCall('/auth/sign-in-by-link', { code })).status, 200);
      code = '';
    };
    return { send, check };
  },
};

const enterByLink: Flow = {
  route: 'POST /auth/sign-in-by-link',
  prepare: async ({ org }) => {
    const { code } = (await org.manage('POST', '/auth/sign-in-links')).body;
    let token = '';
    const send = async () => {
      const reply = await org.anonymousCall('/auth/sign-in-by-link', { code });
      if (reply.status === 200) ({ token } = reply.body);
      return reply;
    };
    // If the reply was lost, its session has no holder.
    const check = async () => {
      if (token !== '') assert.ok(await isAlive(org, token));
      assert.equal((await org.anonymousCall('/auth/sign-in-by-link', { code })).status, 404);
    };
    return { send, already: 404, check };
  },
};

function newVerifier(): { readonly verifier: string; readonly challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: hash('sha256', verifier, 'base64url') };
}

const allowCommand: Flow = {
  route: 'POST /auth/command-sign-ins',
  prepare: async ({ org }) => {
    const { verifier, challenge } = newVerifier();
    let code = '';
    const send = async () => {
      const reply = await org.manage('POST', '/auth/command-sign-ins', { challenge, allow: true });
      if (reply.status === 201) ({ code } = reply.body);
      return reply;
    };
    // If the reply was lost, so is the code, and the challenge is decided.
    const check = async () => {
      if (code === '') return;
      assert.equal((await org.anonymousCall('/auth/command-sign-in', { code, verifier })).status, 200);
      code = '';
    };
    return { send, already: 409, check };
  },
};

const enterByCommand: Flow = {
  route: 'POST /auth/command-sign-in',
  prepare: async ({ org }) => {
    const { verifier, challenge } = newVerifier();
    const { code } = (await org.manage('POST', '/auth/command-sign-ins', { challenge, allow: true })).body;
    let token = '';
    const send = async () => {
      const reply = await org.anonymousCall('/auth/command-sign-in', { code, verifier });
      if (reply.status === 200) ({ token } = reply.body);
      return reply;
    };
    const check = async () => {
      if (token !== '') assert.ok(await isAlive(org, token));
      assert.equal((await org.anonymousCall('/auth/command-sign-in', { code, verifier })).status, 404);
    };
    return { send, already: 404, check };
  },
};

const switchOrg: Flow = {
  route: 'POST /auth/switch-org',
  prepare: async ({ org }) => {
    let token = '';
    const send = async () => {
      const reply = await org.manage('POST', '/auth/switch-org', { org: org.code });
      if (reply.status === 200) ({ token } = reply.body);
      return reply;
    };
    return { send, check: async () => assert.ok(await isAlive(org, token)) };
  },
};

const logOut: Flow = {
  route: 'POST /auth/logout',
  prepare: async ({ org }) => {
    const token = await newSession(org);
    const check = async () => assert.ok(!(await isAlive(org, token)));
    return { send: () => org.manage('POST', '/auth/logout', undefined, bearer(token)), already: 401, check };
  },
};

const endSession: Flow = {
  route: 'DELETE /auth/sessions/:id',
  prepare: async ({ org }) => {
    const token = await newSession(org);
    const { items } = (await org.manage('GET', '/auth/sessions', undefined, bearer(token))).body;
    const id = items.find(({ current }) => current)?.id;
    const check = async () => assert.ok(!(await isAlive(org, token)));
    return { send: () => org.manage('DELETE', `/auth/sessions/${id}`), already: 404, check };
  },
};

const endOtherSessions: Flow = {
  route: 'DELETE /auth/sessions',
  prepare: async ({ newOrg }) => {
    const org = await newOrg();
    const other = await newSession(org);
    const check = async () => {
      assert.ok(!(await isAlive(org, other)));
      assert.ok(await isAlive(org, org.token));
    };
    return { send: () => org.manage('DELETE', '/auth/sessions'), check };
  },
};

const verifyChains: Flow = {
  route: 'POST /audit/chains/verify',
  prepare: async ({ newOrg }) => {
    const org = await newOrg();
    const check = async () => {
      const { items } = (await org.manage('GET', '/audit/chains')).body as unknown as {
        readonly items: readonly Chain[];
      };
      assert.deepEqual(
        items.map(({ verified, broken }) => [verified > 0, broken]),
        [true, false, false].map((isWritten) => [isWritten, null]),
      );
    };
    return { send: () => org.manage('POST', '/audit/chains/verify', {}), check };
  },
};

interface Chain {
  readonly verified: number;
  readonly broken: unknown;
}

const changePassword: Flow = {
  route: 'POST /auth/password',
  prepare: async ({ newOrg }) => {
    const org = await newOrg();
    const other = await newSession(org);
    const body = { current_password: password, new_password: newPassword };
    const check = async () => {
      assert.equal(await loginStatus(org, org.email, newPassword), 200);
      assert.ok(!(await isAlive(org, other)));
      assert.ok(await isAlive(org, org.token));
    };
    // The password that was current is no more.
    return { send: () => org.manage('POST', '/auth/password', body), already: 401, check };
  },
};

const forgetPassword: Flow = {
  route: 'POST /auth/forgot-password',
  prepare: async ({ newOrg, mailedCode }) => {
    const org = await newOrg();
    const check = async () => assert.notEqual(await mailedCode(org.email, 'code'), undefined);
    return { send: () => org.anonymousCall('/auth/forgot-password', { email: org.email }), check };
  },
};

const resetPassword: Flow = {
  route: 'POST /auth/reset-password',
  prepare: async ({ newOrg, mailedCode }) => {
    const org = await newOrg();
    await org.anonymousCall('/auth/forgot-password', { email: org.email });
    const body = { code: await mailedCode(org.email, 'code'), new_password: newPassword };
    const check = async () => {
      assert.equal(await loginStatus(org, org.email, newPassword), 200);
      assert.ok(!(await isAlive(org, org.token)));
    };
    return { send: () => org.anonymousCall('/auth/reset-password', body), already: 404, check };
  },
};

const accept: Flow = {
  route: 'POST /auth/accept-invitation',
  prepare: async ({ org }) => {
    const email = newEmail();
    const { code } = (await org.manage('POST', '/org/users', { email, role: 'developer' })).body;
    const check = async () => {
      const found = (await usersOf(org)).filter((user) => user.email === email);
      assert.deepEqual(
        found.map(({ status }) => status),
        ['active'],
      );
      assert.equal(await loginStatus(org, email), 200);
    };
    const send = () => org.anonymousCall('/auth/accept-invitation', { code, password, name: 'Ben' });
    return { send, already: 404, check };
  },
};

const changeRole: Flow = {
  route: 'PUT /org/users/:id',
  prepare: async (fixture) => {
    const { org } = fixture;
    const id = await colleagueOf(fixture);
    const [before] = (await usersOf(org)).filter((user) => user.id === id);
    const role = before?.role === 'developer' ? 'org_admin' : 'developer';
    const check = async () => assert.equal((await usersOf(org)).find((user) => user.id === id)?.role, role);
    return { send: () => org.manage('PUT', `/org/users/${id}`, { role }), check };
  },
};

const remove: Flow = {
  route: 'DELETE /org/users/:id',
  prepare: async ({ org }) => {
    const { id, token } = await join(org);
    const check = async () => {
      assert.ok((await usersOf(org)).every((user) => user.id !== id));
      assert.ok(!(await isAlive(org, token)));
    };
    return { send: () => org.manage('DELETE', `/org/users/${id}`), already: 404, check };
  },
};

const rotateClientId: Flow = {
  route: 'POST /org/environments/:env/rotate-client-id',
  prepare: async ({ org }) => {
    const before = await clientIdOf(org);
    const check = async () => {
      const now = await clientIdOf(org);
      assert.notEqual(now, before);
      assert.equal((await org.call('GET', '/providers', undefined, { client_id: now })).status, 200);
    };
    return { send: () => org.manage('POST', '/org/environments/test/rotate-client-id'), check };
  },
};

const colleagues = new WeakMap<Fixture, Promise<string>>();

/** One for all attempts. */
function colleagueOf(fixture: Fixture): Promise<string> {
  const colleague = colleagues.get(fixture) ?? join(fixture.org).then(({ id }) => id);
  colleagues.set(fixture, colleague);
  return colleague;
}

async function join(org: OrgCalls): Promise<{ readonly id: string; readonly token: string }> {
  const { code } = (await org.manage('POST', '/org/users', { email: newEmail(), role: 'developer' })).body;
  const { body } = await org.anonymousCall('/auth/accept-invitation', { code, password, name: 'Ben' });
  return { id: body.user.id, token: body.token };
}

async function usersOf(org: OrgCalls) {
  return (await org.manage('GET', '/org/users')).body.items;
}

async function clientIdOf(org: OrgCalls): Promise<string> {
  const { body } = (await org.manage('GET', '/org')) as unknown as { readonly body: OrgBody };
  return body.environments.test.client_id;
}

interface OrgBody {
  readonly environments: { readonly test: { readonly client_id: string } };
}

function bearer(token: string) {
  return { authorization: `Bearer ${token}` };
}

async function newSession(org: OrgCalls): Promise<string> {
  return (await org.manage('POST', '/auth/switch-org', { org: org.code })).body.token;
}

async function isAlive(org: OrgCalls, token: string): Promise<boolean> {
  return (await org.manage('GET', '/auth/me', undefined, bearer(token))).status === 200;
}

async function loginStatus(org: OrgCalls, email: string, secret = password): Promise<number> {
  return (await org.anonymousCall('/auth/login', { email, password: secret })).status;
}

export const builderFlows: Flows = {
  'a sign-up': register,
  'a log-in of a builder': logIn,
  'a sign-in link': makeLink,
  'a sign-in by a link': enterByLink,
  'what a builder decides about a command': allowCommand,
  'a sign-in of a command': enterByCommand,
  'a switch to another org': switchOrg,
  'a log-out of a builder': logOut,
  'the end of a session': endSession,
  'the end of all other sessions': endOtherSessions,
  'a verification of the audit log': verifyChains,
  'another password of a builder': changePassword,
  'a mail to a builder who forgot the password': forgetPassword,
  'a password that a builder sets by mail': resetPassword,
  'coming into an org': accept,
  'another role': changeRole,
  'the removal of a builder from an org': remove,
  'another client id': rotateClientId,
};
