import assert from 'node:assert/strict';
import { createPrivateKey, sign, type webcrypto } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { compose } from '../composition/compose.ts';
import { readConfig } from '../config.ts';
import { drain, listen } from '../gateway/listener.ts';
import { patient as limits } from '../gateway/testing/patient.ts';
import { fastPasswordCost } from '../people/testing/fast-passwords.ts';
import { openStore } from '../store/testing/open-store.ts';
import { isQuick } from '../store/testing/quick.ts';

const minute = 60 * 1000;
const hour = 60 * minute;

/** Times for which a key is published before it signs, tokens live, and a key verifies after it signed. */
const published = 10 * minute;
const tokenLife = 48 * hour;
const grace = tokenLife + 10 * minute;

const operatorKey = 'g7Vt2kQx9LmZp4RwYb6NsHc3JdFe8TuA';
const person = { email: 'ann@example.com', password: 'correct horse battery' };

interface Reply {
  readonly status: number;
  readonly body: {
    readonly token: string;
    readonly kid: string;
    readonly code: string;
    readonly keys: readonly { readonly kid: string }[];
    readonly org: { readonly environments: { readonly test: { readonly client_id: string } } };
  };
}

interface Fixture {
  readonly pass: (milliseconds: number) => void;
  readonly now: () => number;
  /** The private half of the key that the platform began with. */
  readonly firstKey: webcrypto.JsonWebKey;
  rotate(): Promise<Reply>;
  publishedIds(): Promise<readonly string[]>;
  /** A token by the password. */
  signIn(): Promise<string>;
  /** A fresh token in exchange for a valid one. */
  refresh(token: string): Promise<string>;
  me(token: string): Promise<Reply>;
  list(token: string): Promise<Reply>;
}

/** A platform that listens, on a clock that the test moves, and an app with one user. */
async function setUpFixture(context: TestContext): Promise<Fixture> {
  const dataDir = mkdtempSync(join(tmpdir(), 'freehold-rotation-'));
  context.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const read = readConfig({ FREEHOLD_DATA_DIR: dataDir, FREEHOLD_DEMO: 'off', FREEHOLD_OPERATOR_KEY: operatorKey });
  assert.ok('config' in read);
  let now = Date.parse('2026-01-01T00:00:00Z');
  const clock = { now: () => now };
  const platform = await compose({
    config: read.config,
    clock,
    passwordCost: fastPasswordCost,
    onFault: (error) => assert.fail(String(error)),
    onFatal: (error) => assert.fail(String(error)),
    openSpace: () => openStore({ kind: 'memory', clock }),
  });
  const errors = platform.errors(() => 'http://127.0.0.1');
  const app = await listen({ host: '127.0.0.1', port: 0, gateway: platform.app, errors, limits });
  const management = await listen({ host: '127.0.0.1', port: 0, gateway: platform.management, errors, limits });
  context.after(async () => {
    await drain([app, management], 0);
    await platform.close();
  });
  const { body } = await call(
    `${management.url}/auth/signup`,
    {},
    { ...person, name: 'Ann', org_name: 'A', org_code: 'acme' },
  );
  const client_id = body.org.environments.test.client_id;
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const url = `${app.url}/app/acme`;
  const refresh = async (oauthtoken: string): Promise<string> => {
    const exchange = await call(`${url}/token`, { client_id, oauthtoken });
    assert.equal(exchange.status, 200);
    return exchange.body.token;
  };
  return {
    pass: (milliseconds) => {
      now += milliseconds;
    },
    now: () => now,
    firstKey: JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')).signing_keys[0].private_jwk,
    rotate: () => call(`${management.url}/platform/keys/rotate`, bearer(operatorKey), ''),
    publishedIds: async () => (await call(`${app.url}/.well-known/jwks.json`)).body.keys.map(({ kid }) => kid),
    signIn: async () => refresh((await call(`${url}/login`, { client_id }, person)).body.token),
    refresh,
    me: (token) => call(`${url}/user/me`, bearer(token)),
    list: (token) => call(`${url}/list/aclpolicy`, bearer(token)),
  };
}

/** With a body it is a POST. */
async function call(url: string, headers: Readonly<Record<string, string>> = {}, body?: unknown): Promise<Reply> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headers, ...(typeof body === 'object' ? { 'content-type': 'application/json' } : {}) },
    ...(typeof body === 'object' ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

function partOf(token: string, index: number): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString());
}

function endOf(token: string): number {
  return Number(partOf(token, 1).exp) * 1000;
}

/** The same token with other claims and header, signed by a holder of the key. */
function signedAnew(
  token: string,
  key: webcrypto.JsonWebKey,
  { exp, kid }: { readonly exp: number; readonly kid?: string },
): string {
  const header = { ...partOf(token, 0), ...(kid === undefined ? {} : { kid }) };
  const parts = [header, { ...partOf(token, 1), exp: Math.floor(exp / 1000) }].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const signed = parts.join('.');
  const privateKey = createPrivateKey({ key, format: 'jwk' });
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

test('J01 while a hundred keys follow each other under load, no token is refused before its time', async (context) => {
  const { pass, now, rotate, publishedIds, signIn, refresh, me, list } = await setUpFixture(context);
  const turns = isQuick ? 25 : 100;
  const untilNext = 8 * hour;
  let tokens = [await signIn()];
  let calls = 0;
  const callBeside = async (ask: typeof me): Promise<void> => {
    for (let made = 0; made < 6; made++) {
      // The clock may be moved while a call is under way.
      const good = tokens.filter((token) => endOf(token) > now() + published + untilNext);
      const token = good[calls++ % good.length];
      assert.ok(token !== undefined);
      assert.equal((await ask(token)).status, 200);
    }
  };
  const signers = new Set<unknown>();
  for (let turn = 0; turn < turns; turn++) {
    const beside = Promise.all([me, list].map(callBeside));
    const rotation = await rotate();
    assert.equal(rotation.status, 201);
    pass(published);
    // A sign-in is good for 30 days of such tokens.
    const fresh = turn % 50 === 49 ? await signIn() : await refresh(tokens.at(-1) ?? '');
    assert.equal(partOf(fresh, 0).kid, rotation.body.kid);
    signers.add(rotation.body.kid);
    tokens.push(fresh);
    for (const token of [...tokens.slice(0, 2), fresh]) assert.equal((await me(token)).status, 200);
    assert.ok((await publishedIds()).length <= 8);
    pass(untilNext);
    await beside;
    const ended = tokens.filter((token) => endOf(token) <= now());
    tokens = tokens.filter((token) => !ended.includes(token));
    for (const token of ended) assert.equal((await me(token)).status, 401);
  }
  assert.equal(signers.size, turns);
});

test('J01 a retired key verifies to the end of its grace and not longer, and an unknown key never', async (context) => {
  const { pass, now, firstKey, rotate, publishedIds, signIn, me } = await setUpFixture(context);
  const token = await signIn();
  const kid = String(partOf(token, 0).kid);
  await rotate();
  pass(published);
  const late = () => signedAnew(token, firstKey, { exp: now() + hour });
  pass(grace - 1);
  assert.ok((await publishedIds()).includes(kid));
  assert.equal((await me(late())).status, 200);
  const known = late();
  assert.equal((await me(known)).status, 200);
  pass(1);
  assert.ok(!(await publishedIds()).includes(kid));
  assert.deepEqual(await refusalOf(me(late())), [401, 'token_invalid']);
  await rotate();
  assert.deepEqual(await refusalOf(me(known)), [401, 'token_invalid'], 'a known one, as soon as keys are tidied up');
  const [signing = ''] = await publishedIds();
  for (const named of ['a'.repeat(43), signing, kid.toLowerCase()])
    assert.deepEqual(await refusalOf(me(signedAnew(token, firstKey, { exp: now() + hour, kid: named }))), [
      401,
      'token_invalid',
    ]);
  assert.equal((await me(await signIn())).status, 200);
});

async function refusalOf(reply: Promise<Reply>): Promise<readonly [status: number, code: string]> {
  const { status, body } = await reply;
  return [status, body.code];
}
