/** Two processes over one store: what one ends, the other hears of when its own knowledge has aged. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConfigReader } from '../../config/config-reader.ts';
import { createAccessEpochs } from '../../iam/policies/epochs.ts';
import { uuidv7Source } from '../../lib/ids.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { orgScopeName } from '../../tenancy/workspace.ts';
import {
  type AppTokenSubject,
  appAudience,
  endToken,
  signAppToken,
  tokensKeyOf,
  withNextEpoch,
} from '../app-tokens.ts';
import { type AppUser, appUsers, changeAppUser } from '../app-users/app-user.ts';
import { generateSigningKey } from '../signing-key.ts';
import { openSigningKeys, type SigningKeys } from '../signing-keys.ts';
import { noHomes } from '../testing/no-homes.ts';
import { createSecretsInMemory } from '../testing/secrets-in-memory.ts';
import { createAppSessions } from './app-sessions.ts';

let now = Date.parse('2026-03-01T00:00:00Z');
const clock = { now: () => now };
const newId = uuidv7Source(clock);
const issuer = 'https://platform.example';
const { store } = await openStore({ kind: 'memory', clock });
const orgScope = store.scope(orgScopeName('acme'));
const vault = createSecretsInMemory({ signing_keys: [await generateSigningKey(clock.now())] });
const ownKeys = await openSigningKeys({ vault, clock });
const cacheMilliseconds = 60_000;

function newProcess(signingKeys: SigningKeys = ownKeys) {
  const revocations = createAccessEpochs();
  const configs = createConfigReader({ store, clock });
  const sessions = createAppSessions({
    stores: { test: store, prod: store },
    platform: store.scope('platform'),
    signingKeys,
    issuer,
    epochs: createAccessEpochs(),
    revocations,
    clock,
    homes: noHomes,
    configs: { test: configs, prod: configs },
  });
  return { sessions, revocations };
}

async function newUser(): Promise<AppUser> {
  const id = newId();
  const user: AppUser = { id, email: `${id}@acme.example`, email_verified: false, fn: '', ln: '', created_at: '' };
  await orgScope.commit([{ kind: 'put', ...appUsers.key(id), value: JSON.stringify(user), if: 'absent' }]);
  return user;
}

function tokenOf(user: AppUser): Promise<string> {
  const subject: AppTokenSubject = {
    sub: user.id,
    org: 'acme',
    env: 'test',
    clientid: 'test_client',
    ep: 0,
    role: '',
    email: user.email,
    email_verified: false,
    fn: '',
    ln: '',
    idp: 'password',
    auth_time: Math.floor(now / 1000),
    jti: newId(),
  };
  const realm = { issuer, audience: appAudience('test'), nowSeconds: Math.floor(now / 1000) };
  return signAppToken(ownKeys, subject, { ...realm, lifetimeSeconds: 3600 });
}

const ended = { code: 'token_invalid' };
const renewed = (user: AppUser): AppUser => withNextEpoch(user, '2026-01-01T00:00:00.000Z');

for (const [how, end] of [
  ['a token', async (token: Parameters<typeof endToken>[0]) => void (await orgScope.commit(endToken(token)))],
  ['every token', async ({ sub }: { readonly sub: string }) => void (await changeAppUser(orgScope, sub, renewed))],
] as const) {
  test(`A23 A35: ${how} that ends is dead at once where that was done, and elsewhere once that process asks again`, async () => {
    const [here, elsewhere] = [newProcess(), newProcess()];
    const token = await tokenOf(await newUser());
    const { claims } = await here.sessions.authenticate(token, 'acme');
    await elsewhere.sessions.authenticate(token, 'acme');
    await end(claims);
    here.revocations.bump(tokensKeyOf(claims));
    await assert.rejects(async () => here.sessions.authenticate(token, 'acme'), ended);
    now += cacheMilliseconds - 1;
    await elsewhere.sessions.authenticate(token, 'acme');
    now += 1;
    await assert.rejects(async () => elsewhere.sessions.authenticate(token, 'acme'), ended);
    await assert.rejects(async () => newProcess().sessions.authenticate(token, 'acme'), ended);
  });
}

test('A23 A34 A35: a disabled account is refused at once where that was done, and elsewhere once that process asks again', async () => {
  const [here, elsewhere] = [newProcess(), newProcess()];
  const token = await tokenOf(await newUser());
  const { claims } = await here.sessions.authenticate(token, 'acme');
  await elsewhere.sessions.authenticate(token, 'acme');
  const disabled = { at: '2026-01-01T00:00:00.000Z', by: newId(), reason: 'abuse' };
  await changeAppUser(orgScope, claims.sub, (user) => ({ ...renewed(user), disabled }));
  here.revocations.bump(tokensKeyOf(claims));
  const refused = { code: 'account_disabled' };
  await assert.rejects(async () => here.sessions.authenticate(token, 'acme'), refused);
  now += cacheMilliseconds - 1;
  await elsewhere.sessions.authenticate(token, 'acme');
  now += 1;
  await assert.rejects(async () => elsewhere.sessions.authenticate(token, 'acme'), refused);
  await changeAppUser(orgScope, claims.sub, ({ disabled: _, ...user }) => user);
  here.revocations.bump(tokensKeyOf(claims));
  await assert.rejects(async () => here.sessions.authenticate(token, 'acme'), ended);
});

test('a call that joins a look-up from before the end of its token is refused', async () => {
  const { sessions, revocations } = newProcess();
  const token = await tokenOf(await newUser());
  const { claims } = await newProcess().sessions.authenticate(token, 'acme');
  const before = sessions.authenticate(token, 'acme');
  const write = orgScope.commit(endToken(claims));
  await write;
  revocations.bump(tokensKeyOf(claims));
  await assert.rejects(async () => sessions.authenticate(token, 'acme'), ended);
  await Promise.allSettled([before]);
});

test('the end of one person’s tokens does not affect others', async () => {
  const { sessions, revocations } = newProcess();
  const [ann, bob] = [await newUser(), await newUser()];
  const tokens = [await tokenOf(ann), await tokenOf(bob)] as const;
  const { claims } = await sessions.authenticate(tokens[0], 'acme');
  await changeAppUser(orgScope, ann.id, renewed);
  revocations.bump(tokensKeyOf(claims));
  await assert.rejects(async () => sessions.authenticate(tokens[0], 'acme'), ended);
  assert.equal((await sessions.authenticate(tokens[1], 'acme')).claims.sub, bob.id);
});

test('J02 a token of a revoked key opens nothing: at once where it was revoked, elsewhere once that node has looked', async () => {
  const otherKeys = await openSigningKeys({ vault, clock });
  const [own, other] = [newProcess(), newProcess(otherKeys)];
  const user = await newUser();
  const [known, unseen] = [await tokenOf(user), await tokenOf(user)];
  for (const { sessions } of [own, other]) await sessions.authenticate(known, 'acme');
  await ownKeys.revoke(ownKeys.current().kid);
  for (const token of [known, unseen, known])
    await assert.rejects(async () => own.sessions.authenticate(token, 'acme'), ended);
  await other.sessions.authenticate(known, 'acme');
  await otherKeys.tend();
  for (const token of [known, unseen, known])
    await assert.rejects(async () => other.sessions.authenticate(token, 'acme'), ended);
  const fresh = await tokenOf(user);
  for (const { sessions } of [own, other])
    assert.equal((await sessions.authenticate(fresh, 'acme')).claims.sub, user.id);
});

test('J02 a token that is being verified while its key is revoked does not stay known', async () => {
  const { sessions } = newProcess();
  const token = await tokenOf(await newUser());
  const pending = sessions.authenticate(token, 'acme');
  await ownKeys.revoke(ownKeys.current().kid);
  await Promise.allSettled([pending]);
  await assert.rejects(async () => sessions.authenticate(token, 'acme'), ended);
});
