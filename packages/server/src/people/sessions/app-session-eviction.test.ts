/** More tokens than a process remembers: forgetting one while it is being checked mixes up no callers. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConfigReader } from '../../config/config-reader.ts';
import { createAccessEpochs } from '../../iam/policies/epochs.ts';
import { uuidv7Source } from '../../lib/ids.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { orgScopeName } from '../../tenancy/workspace.ts';
import { appAudience, signAppToken } from '../app-tokens.ts';
import { appUsers } from '../app-users/app-user.ts';
import { generateSigningKey } from '../signing-key.ts';
import { openSigningKeys } from '../signing-keys.ts';
import { noHomes } from '../testing/no-homes.ts';
import { createSecretsInMemory } from '../testing/secrets-in-memory.ts';
import { createAppSessions } from './app-sessions.ts';

let now = Date.parse('2026-03-01T00:00:00Z');
const clock = { now: () => now };
const newId = uuidv7Source(clock);
const issuer = 'https://platform.example';
const orgs = ['acme', 'beta', 'ab', 'a'] as const;

async function bench(tokensMax: number) {
  const { store } = await openStore({ kind: 'memory', clock });
  const configs = createConfigReader({ store, clock });
  const vault = createSecretsInMemory({ signing_keys: [await generateSigningKey(clock.now())] });
  const signingKeys = await openSigningKeys({ vault, clock });
  const sessions = createAppSessions({
    stores: { test: store, prod: store },
    platform: store.scope('platform'),
    signingKeys,
    issuer,
    epochs: createAccessEpochs(),
    revocations: createAccessEpochs(),
    clock,
    homes: noHomes,
    configs: { test: configs, prod: configs },
    tokensMax,
  });
  /** A person without a workspace, and a token of it. */
  const signIn = async (org: string) => {
    const id = newId();
    const email = `${id}@${org}.example`;
    const names = { email, email_verified: false, fn: '', ln: '' };
    const user = JSON.stringify({ id, ...names, created_at: '' });
    await store.scope(orgScopeName(org)).commit([{ kind: 'put', ...appUsers.key(id), value: user, if: 'absent' }]);
    const place = { org, env: 'test', clientid: 'test_client', role: '', idp: 'password', auth_time: 0 } as const;
    const nowSeconds = Math.floor(now / 1000);
    const realm = { issuer, audience: appAudience('test'), nowSeconds, lifetimeSeconds: 3600 };
    const token = await signAppToken(signingKeys, { sub: id, ep: 0, jti: newId(), ...names, ...place }, realm);
    return { id, org, token };
  };
  return { sessions, signIn };
}

for (const tokensMax of [1, 3, 1000])
  test(`A08 C16: of 24 people of four orgs, asked for in turns and at once, each is itself, with room for ${tokensMax}`, async () => {
    const { sessions, signIn } = await bench(tokensMax);
    const people = await Promise.all(Array.from({ length: 24 }, (_, index) => signIn(orgs[index % 4] ?? 'acme')));
    for (let round = 0; round < 5; round++) {
      const pending = Array.from({ length: 96 }, (_, index) => people[(index * (round + 5)) % 24] ?? assert.fail());
      const callers = await Promise.all(pending.map(async ({ token }) => sessions.authenticate(token, 'acme')));
      assert.deepEqual(
        callers.map(({ claims }) => [claims.sub, claims.org]),
        pending.map(({ id, org }) => [id, org]),
      );
      // Half of the rounds find what is known stale, and look again.
      now += round % 2 === 0 ? 120_000 : 1;
    }
  });

test('A23: a token that is asked for again after it was forgotten is held to its time again', async () => {
  const { sessions, signIn } = await bench(1);
  const [ann, bob] = [await signIn('acme'), await signIn('acme')];
  for (const { token } of [ann, bob, ann]) await sessions.authenticate(token, 'acme');
  now += 3_600_000;
  for (const { token } of [ann, bob])
    await assert.rejects(async () => sessions.authenticate(token, 'acme'), { code: 'token_expired' });
});
