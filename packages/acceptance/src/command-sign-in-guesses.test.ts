/** A program that has the verifier of a command guesses its code as fast as the platform answers. */
import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { call } from './call.ts';
import { manage, signUp } from './org.ts';
import { platformOf } from './platform-for-tests.ts';

const newSecret = (): string => randomBytes(32).toString('base64url');

test('N07: of 10,000 guesses from an address ten are looked at, and the right code is still good', async (context) => {
  const platform = await platformOf(context, { env: { FREEHOLD_TRUSTED_PROXIES: '127.0.0.1' } });
  const org = await signUp(platform);
  const verifier = newSecret();
  const body = { challenge: hash('sha256', verifier, 'base64url'), allow: true };
  const decided = await manage<{ code: string }>(org, 'POST', '/auth/command-sign-ins', { body });
  const enter = (code: string, ip: string) =>
    call('POST', `${org.management}/auth/command-sign-in`, {
      headers: { 'x-forwarded-for': ip },
      body: { code, verifier },
    });
  const tally: Record<number, number> = {};
  for (let sent = 0; sent < 10_000; sent += 50) {
    const guesses = Array.from({ length: 50 }, () => enter(newSecret(), '192.0.2.5'));
    for (const { status } of await Promise.all(guesses)) tally[status] = (tally[status] ?? 0) + 1;
  }
  assert.deepEqual(tally, { 404: 10, 429: 9_990 });
  assert.equal((await enter(decided.body.code, '192.0.2.6')).status, 200);
});
