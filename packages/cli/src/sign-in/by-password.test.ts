import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type TestContext, test } from 'node:test';
import type { Context } from '../frame/context.ts';
import { signInByPassword } from './by-password.ts';

interface Sent {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const session = { token: 'fm_x', expires_at: '', user: { email: 'bea@example.com' }, org: { code: 'acme' }, orgs: [] };

/** A platform that takes this proof, where the account has a second factor. */
async function platform(test: TestContext, { methods, takes }: { methods?: readonly string[]; takes?: string } = {}) {
  const sent: Sent[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    sent.push({ path: request.url ?? '', body });
    const step = { second_factor: { methods, token: 'step', expires_at: '' } };
    const isRight = request.url === '/auth/login' || [body.code, body.recovery_code].includes(takes);
    const answer = request.url === '/auth/login' && methods !== undefined ? step : session;
    const problem = { code: 'credentials_invalid', status: 401, detail: 'wrong', title: '', type: '', request_id: 'r' };
    const type = isRight ? 'application/json' : 'application/problem+json';
    response.writeHead(isRight ? 200 : 401, { 'content-type': type }).end(JSON.stringify(isRight ? answer : problem));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.after(() => void server.close());
  const address = server.address();
  return { sent, url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` };
}

/** A person who types this after the email. */
function typing(...answers: readonly string[]): Context {
  const left = ['bea@example.com', ...answers];
  const ask = { text: async () => left.shift() ?? '', password: async () => 'secret' };
  return { ask, out: { note: () => undefined } } as unknown as Context;
}

const place = (url: string) => ({ url, org: undefined, appUrl: undefined });

test('a password alone signs in where the account has no second factor', async (test) => {
  const { url, sent } = await platform(test);
  const profile = await signInByPassword(typing(), place(url));
  assert.deepEqual([profile.token, profile.org, sent.length], ['fm_x', 'acme', 1]);
});

test('a code is asked for where there is one, and again after a wrong one', async (test) => {
  const { url, sent } = await platform(test, { methods: ['totp', 'recovery_code'], takes: '222222' });
  assert.equal((await signInByPassword(typing('111111', ' 222222 '), place(url))).token, 'fm_x');
  assert.deepEqual(
    sent.slice(1).map(({ body }) => body),
    [
      { token: 'step', code: '111111' },
      { token: 'step', code: '222222' },
    ],
  );
});

test('what is no code of an app is sent as a recovery code; three wrong ones end the command', async (test) => {
  const { url, sent } = await platform(test, { methods: ['passkey', 'recovery_code'], takes: 'abcde-fghjk' });
  assert.equal((await signInByPassword(typing('abcde-fghjk'), place(url))).token, 'fm_x');
  assert.deepEqual(sent.at(-1)?.body, { token: 'step', recovery_code: 'abcde-fghjk' });
  await assert.rejects(signInByPassword(typing('1', '2', '3', 'abcde-fghjk'), place(url)), {
    code: 'credentials_invalid',
  });
});

test('an account with nothing but a passkey is sent to the browser', async (test) => {
  const { url } = await platform(test, { methods: ['passkey'] });
  await assert.rejects(signInByPassword(typing(), place(url)), /passkey, which a terminal cannot use/);
});
