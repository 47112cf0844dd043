/** Management of builders' own second factors. */
import assert from 'node:assert/strict';
import { authenticatorCode } from '../../authenticator.ts';
import { operatorKey } from '../faulty-platform.ts';
import { call, type Fixture, newEmail, type OrgCalls, password, type Reply } from '../fixture.ts';
import type { Flow, Flows } from './flow.ts';
import { SoftwarePasskey } from './software-passkey.ts';

interface Answer {
  readonly status: number;
  readonly body: {
    readonly secret: string;
    readonly token: string;
    readonly challenge: string;
    readonly rpId: string;
    readonly rp: { readonly id: string };
    readonly user: { readonly id: string };
    readonly recovery_codes: readonly string[];
    readonly totp: object | null;
    readonly passkeys: readonly { readonly id: string; readonly name: string }[];
    readonly second_factor: { readonly token: string };
  };
}

/** Passkeys are made at `localhost`, under which the platform listens too. */
async function ask({ platform }: Fixture, method: string, path: string, sent: { token?: string; body?: unknown } = {}) {
  const url = `${platform.management.replace('127.0.0.1', 'localhost')}${path}`;
  const headers = sent.token === undefined ? {} : { authorization: `Bearer ${sent.token}` };
  return (await call(method, url, headers, sent.body)) as unknown as Answer & Reply;
}

function newPasskey({ platform }: Fixture): SoftwarePasskey {
  return new SoftwarePasskey(new URL(platform.management.replace('127.0.0.1', 'localhost')).origin);
}

/** The code of the moment, by the clock of the platform, or of a later step. */
function codeOf({ platform }: Fixture, base32: string, later = 0): string {
  return authenticatorCode(base32, platform.now() + later * 30_000);
}

interface Holder {
  readonly org: OrgCalls;
  readonly token: string;
  readonly codes: string[];
  readonly passkey: SoftwarePasskey;
}

/** A builder with a passkey. */
async function holder(fixture: Fixture): Promise<Holder> {
  const org = await fixture.newOrg();
  const passkey = newPasskey(fixture);
  const added = await addTo(fixture, org.token, passkey);
  assert.equal(added.status, 201);
  return { org, token: org.token, codes: [...added.body.recovery_codes], passkey };
}

async function addTo(fixture: Fixture, token: string, passkey: SoftwarePasskey): Promise<Answer> {
  const { body } = await ask(fixture, 'POST', '/auth/passkeys/options', { token, body: { password } });
  return ask(fixture, 'POST', '/auth/passkeys', { token, body: { name: 'key', passkey: passkey.create(body) } });
}

async function factors(fixture: Fixture, token: string): Promise<Answer['body']> {
  const { status, body } = await ask(fixture, 'GET', '/auth/second-factors', { token });
  assert.equal(status, 200);
  return body;
}

async function stepOf({ org }: Pick<Holder, 'org'>): Promise<string> {
  const { status, body } = await org.anonymousCall('/auth/login', { email: org.email, password });
  assert.equal(status, 202);
  return (body as unknown as Answer['body']).second_factor.token;
}

async function isAlive(fixture: Fixture, token: string): Promise<boolean> {
  return (await ask(fixture, 'GET', '/auth/me', { token })).status === 200;
}

/** Keeps what a successful reply says: a reply that was lost says nothing. */
function keeping(send: () => Promise<Answer & Reply>) {
  let kept: Answer['body'] | undefined;
  return {
    send: async () => {
      const reply = await send();
      if (reply.status < 300) kept = reply.body;
      return reply;
    },
    kept: () => kept,
  };
}

const complete: Flow = {
  route: 'POST /auth/second-factor',
  prepare: async (fixture) => {
    const known = await holder(fixture);
    const body = { token: await stepOf(known), recovery_code: known.codes.pop() };
    const { send, kept } = keeping(() => ask(fixture, 'POST', '/auth/second-factor', { body }));
    const check = async () => {
      const token = kept()?.token;
      if (token !== undefined) assert.ok(await isAlive(fixture, token));
      assert.equal((await ask(fixture, 'POST', '/auth/second-factor', { body })).status, 401);
    };
    return { send, already: 401, check };
  },
};

const enter: Flow = {
  route: 'POST /auth/passkey-sign-in',
  prepare: async (fixture) => {
    const { passkey } = await holder(fixture);
    const { body } = await ask(fixture, 'GET', '/auth/passkey-challenge');
    const used = { passkey: passkey.get(body) };
    const { send, kept } = keeping(() => ask(fixture, 'POST', '/auth/passkey-sign-in', { body: used }));
    const check = async () => {
      const token = kept()?.token;
      if (token !== undefined) assert.ok(await isAlive(fixture, token));
    };
    return { send, already: 401, check };
  },
};

const beginApp: Flow = {
  route: 'POST /auth/second-factors/totp',
  prepare: async (fixture) => {
    const { token } = await fixture.newOrg();
    const body = { password };
    const { send, kept } = keeping(() => ask(fixture, 'POST', '/auth/second-factors/totp', { token, body }));
    const check = async () => {
      if ((await factors(fixture, token)).totp !== null) return;
      const code = codeOf(fixture, kept()?.secret ?? '');
      assert.equal(
        (await ask(fixture, 'POST', '/auth/second-factors/totp/confirm', { token, body: { code } })).status,
        200,
      );
    };
    return { send, check };
  },
};

const confirmApp: Flow = {
  route: 'POST /auth/second-factors/totp/confirm',
  prepare: async (fixture) => {
    const org = await fixture.newOrg();
    const { token } = org;
    const started = await ask(fixture, 'POST', '/auth/second-factors/totp', { token, body: { password } });
    const body = { code: codeOf(fixture, started.body.secret) };
    const send = () => ask(fixture, 'POST', '/auth/second-factors/totp/confirm', { token, body });
    let isChecked = false;
    const check = async () => {
      assert.notEqual((await factors(fixture, token)).totp, null);
      if (isChecked) return;
      const wrong = { token: await stepOf({ org }), code: '00000x' };
      assert.equal((await ask(fixture, 'POST', '/auth/second-factor', { body: wrong })).status, 401);
      const right = { ...wrong, code: codeOf(fixture, started.body.secret, 1) };
      assert.equal((await ask(fixture, 'POST', '/auth/second-factor', { body: right })).status, 200);
      isChecked = true;
    };
    return { send, already: 404, check };
  },
};

const beginPasskey: Flow = {
  route: 'POST /auth/passkeys/options',
  prepare: async (fixture) => {
    const { token, codes } = await holder(fixture);
    const body = { recovery_code: codes.pop() };
    const { send, kept } = keeping(() => ask(fixture, 'POST', '/auth/passkeys/options', { token, body }));
    let isChecked = false;
    const check = async () => {
      const options = kept();
      if (options === undefined || isChecked) return;
      const passkey = newPasskey(fixture).create(options);
      const added = await ask(fixture, 'POST', '/auth/passkeys', { token, body: { name: 'other', passkey } });
      assert.equal(added.status, 201);
      isChecked = true;
    };
    return { send, already: 401, check };
  },
};

const addPasskey: Flow = {
  route: 'POST /auth/passkeys',
  prepare: async (fixture) => {
    const { token } = await fixture.newOrg();
    const passkey = newPasskey(fixture);
    const { body } = await ask(fixture, 'POST', '/auth/passkeys/options', { token, body: { password } });
    const sent = { name: 'key', passkey: passkey.create(body) };
    const send = () => ask(fixture, 'POST', '/auth/passkeys', { token, body: sent });
    const check = async () => {
      const { passkeys } = await factors(fixture, token);
      assert.deepEqual(
        passkeys.map(({ id }) => id),
        [passkey.id],
      );
    };
    return { send, already: 409, check };
  },
};

const renamePasskey: Flow = {
  route: 'PUT /auth/passkeys/:id',
  prepare: async (fixture) => {
    const { token, passkey } = await holder(fixture);
    const send = () => ask(fixture, 'PUT', `/auth/passkeys/${passkey.id}`, { token, body: { name: 'renamed' } });
    const check = async () => assert.equal((await factors(fixture, token)).passkeys[0]?.name, 'renamed');
    return { send, check };
  },
};

const remove: Flow = {
  route: 'POST /auth/second-factors/:id/remove',
  prepare: async (fixture) => {
    const { token, passkey, codes } = await holder(fixture);
    const body = { recovery_code: codes.pop() };
    const send = () => ask(fixture, 'POST', `/auth/second-factors/${passkey.id}/remove`, { token, body });
    const check = async () => assert.deepEqual((await factors(fixture, token)).passkeys, []);
    // With the last factor the recovery codes are gone: the password is asked for.
    return { send, already: 400, check };
  },
};

const renewCodes: Flow = {
  route: 'POST /auth/recovery-codes',
  prepare: async (fixture) => {
    const known = await holder(fixture);
    const { token } = known;
    const body = { recovery_code: known.codes.pop() };
    const { send, kept } = keeping(() => ask(fixture, 'POST', '/auth/recovery-codes', { token, body }));
    let isChecked = false;
    const check = async () => {
      const made = kept()?.recovery_codes;
      if (made === undefined || isChecked) return;
      const sent = { token: await stepOf(known), recovery_code: made[0] };
      assert.equal((await ask(fixture, 'POST', '/auth/second-factor', { body: sent })).status, 200);
      isChecked = true;
    };
    return { send, already: 401, check };
  },
};

const requireFactor: Flow = {
  route: 'PUT /org/security',
  prepare: async (fixture) => {
    const { token } = await holder(fixture);
    const send = () => ask(fixture, 'PUT', '/org/security', { token, body: { second_factor: 'required' } });
    const check = async () => {
      const { body } = await ask(fixture, 'GET', '/org', { token });
      assert.deepEqual((body as unknown as { security: object }).security, { second_factor: 'required' });
    };
    return { send, check };
  },
};

const reset: Flow = {
  route: 'POST /org/users/:id/reset-second-factors',
  prepare: async (fixture) => {
    const { org } = fixture;
    const email = newEmail();
    const { code } = (await org.manage('POST', '/org/users', { email, role: 'developer' })).body;
    const { body } = await org.anonymousCall('/auth/accept-invitation', { code, password, name: 'Ben' });
    assert.equal((await addTo(fixture, body.token, newPasskey(fixture))).status, 201);
    const check = async () => {
      assert.ok(!(await isAlive(fixture, body.token)));
      assert.equal((await org.anonymousCall('/auth/login', { email, password })).status, 200);
    };
    const send = () => org.manage('POST', `/org/users/${body.user.id}/reset-second-factors`);
    return { send, already: 409, check };
  },
};

const resetOfAccount: Flow = {
  route: 'POST /platform/accounts/reset-factors',
  prepare: async (fixture) => {
    const { org, token } = await holder(fixture);
    const { email } = org;
    const body = { email, reason: 'all factors are lost' };
    const headers = { authorization: `Bearer ${operatorKey}` };
    const url = `${fixture.platform.management}/platform/accounts/reset-factors`;
    const check = async () => {
      assert.ok(!(await isAlive(fixture, token)));
      assert.equal((await org.anonymousCall('/auth/login', { email, password })).status, 200);
    };
    return { send: () => call('POST', url, headers, body), already: 409, check };
  },
};

export const factorFlows: Flows = {
  'a sign-in with a second factor': complete,
  'a sign-in by a passkey': enter,
  'a secret of an authenticator app': beginApp,
  'the confirmation of an authenticator app': confirmApp,
  'a challenge for a new passkey': beginPasskey,
  'a new passkey': addPasskey,
  'another name of a passkey': renamePasskey,
  'the removal of a factor': remove,
  'new recovery codes': renewCodes,
  'a second factor that an org requires': requireFactor,
  'the reset of the factors of a member': reset,
  'the reset of the factors of an account by the operator': resetOfAccount,
};
