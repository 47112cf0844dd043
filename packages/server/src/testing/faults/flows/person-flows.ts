/** How an app's users come in, and what they do about themselves. */
import assert from 'node:assert/strict';
import { newEmail, password, random } from '../fixture.ts';
import type { Flow, Flows } from './flow.ts';

const newPassword = 'another horse battery';

const logIn: Flow = {
  route: 'POST /app/:org/login',
  prepare: async ({ org, act }) => {
    const email = newEmail();
    const check = async () => {
      assert.equal((await org.exchange((await org.logIn(email)).body.token)).status, 200);
      assert.equal((await act('GET', `/list/user?email=${email}`)).body.items.length, 1);
    };
    return { send: () => org.logIn(email), check };
  },
};

/** The first one founds the workspace of the org. */
const firstToken: Flow = {
  route: 'GET /app/:org/token',
  prepare: async ({ newOrg }) => {
    const org = await newOrg();
    const email = newEmail();
    const check = async () => {
      const inside = org.as((await org.signIn(email)).token);
      assert.equal((await inside('GET', '/list/aclpolicy')).body.items.length, 2);
      assert.equal((await inside('GET', '/list/user')).body.items.length, 1);
    };
    // A log-in token is good once, so to repeat is to begin with another.
    const send = async () => {
      const login = await org.logIn(email);
      return login.status === 200 ? org.exchange(login.body.token) : login;
    };
    return { send, check };
  },
};

const profile: Flow = {
  route: 'PUT /app/:org/user/me',
  prepare: async ({ act, founder }) => {
    const fn = random();
    const check = async () => {
      assert.equal((await act('GET', '/user/me')).body.fn, fn);
      assert.equal((await act('GET', `/item/user/${founder.id}`)).body.fn, fn);
    };
    return { send: () => act('PUT', '/user/me', { fn }), check };
  },
};

const changePassword: Flow = {
  route: 'POST /app/:org/user/password',
  prepare: async ({ org }) => {
    const { email, token } = await org.signIn();
    const body = { current_password: password, new_password: newPassword };
    const check = async () => {
      assert.equal((await org.logIn(email, newPassword)).status, 200);
      assert.equal((await org.as(token)('GET', '/user/me')).status, 401);
    };
    return { send: () => org.as(token)('POST', '/user/password', body), already: 401, check };
  },
};

function logOut(body: object): Flow {
  return {
    route: 'POST /app/:org/user/logout',
    prepare: async ({ org }) => {
      const { token } = await org.signIn();
      const check = async () => assert.equal((await org.as(token)('GET', '/user/me')).status, 401);
      return { send: () => org.as(token)('POST', '/user/logout', body), already: 401, check };
    },
  };
}

const forgetPassword: Flow = {
  route: 'POST /app/:org/password/forgot',
  prepare: async ({ org, mailedCode }) => {
    const { email } = await org.signIn();
    const check = async () => assert.notEqual(await mailedCode(email, 'reset-password'), undefined);
    return { send: () => org.call('POST', '/password/forgot', { email }), check };
  },
};

const resetPassword: Flow = {
  route: 'POST /app/:org/password/reset',
  prepare: async ({ org, mailedCode }) => {
    const { email, token } = await org.signIn();
    assert.equal((await org.as(token)('GET', '/user/me')).status, 200);
    await org.call('POST', '/password/forgot', { email });
    const body = { code: await mailedCode(email, 'reset-password'), new_password: newPassword };
    const check = async () => {
      assert.equal((await org.logIn(email, newPassword)).status, 200);
      assert.equal((await org.as(token)('GET', '/user/me')).status, 401);
    };
    return { send: () => org.call('POST', '/password/reset', body), already: 404, check };
  },
};

const sendVerification: Flow = {
  route: 'POST /app/:org/user/verification',
  prepare: async ({ org, mailedCode }) => {
    const { email, token } = await org.signIn();
    const welcome = await mailedCode(email, 'verify-email');
    const check = async () => assert.notEqual(await mailedCode(email, 'verify-email'), welcome);
    return { send: () => org.as(token)('POST', '/user/verification'), check };
  },
};

const verifyEmail: Flow = {
  route: 'POST /app/:org/verify-email',
  prepare: async ({ org, mailedCode }) => {
    const { email, token } = await org.signIn();
    const code = await mailedCode(email, 'verify-email');
    const check = async () => assert.equal((await org.as(token)('GET', '/user/me')).body.email_verified, true);
    return { send: () => org.call('POST', '/verify-email', { code }), already: 404, check };
  },
};

export const personFlows: Flows = {
  'a sign-up by password': logIn,
  'a first sign-in': firstToken,
  'a change of a profile': profile,
  'another password': changePassword,
  'a log-out': logOut({}),
  'a log-out everywhere': logOut({ everywhere: true }),
  'a mail to a person who forgot the password': forgetPassword,
  'a password set by mail': resetPassword,
  'another mail to verify an address': sendVerification,
  'the verification of an address': verifyEmail,
};
