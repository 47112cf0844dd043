import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../lib/clock.ts';
import { uuidv7Source } from '../../lib/ids.ts';
import type { Scope } from '../../store/port.ts';
import { openStore } from '../../store/testing/open-store.ts';
import type { ProviderIdentity } from '../oidc/claims.ts';
import { createLoginThrottle } from '../realm/realm.ts';
import { createFastHasher } from '../testing/fast-passwords.ts';
import { findAppUser, tokenEpoch } from './app-user.ts';
import { logInWithPassword, spendLoginToken } from './password-log-in.ts';
import { signInWithProvider } from './provider-sign-in.ts';

async function org() {
  const { store } = await openStore({ kind: 'memory', clock: systemClock });
  const orgScope = store.scope('org#acme');
  const parts = {
    clock: systemClock,
    newId: uuidv7Source(systemClock),
    hasher: createFastHasher(),
    loginThrottle: createLoginThrottle({ clock: systemClock }),
  };
  const signIn = async (identity: ProviderIdentity) =>
    (await signInWithProvider(parts, { orgScope }, identity)).user_id;
  const logIn = async (email: string, password: string, allow_signup = true) => {
    const policy = { enabled: true, allow_signup, min_length: 10 };
    const body = { email, password };
    const { token } = await logInWithPassword(parts, orgScope, { env: 'test', body, ip: '127.0.0.1', policy });
    return (await spendLoginToken(orgScope, token))?.user_id ?? '';
  };
  return { orgScope, signIn, logIn };
}

function ann(changes: Partial<ProviderIdentity> = {}): ProviderIdentity {
  const names = { fn: 'Ann', ln: 'Lee' };
  return { iss: 'https://a.example', sub: '1', email: 'ann@x.example', email_verified: true, ...names, ...changes };
}

async function epochOf(orgScope: Scope, userId: string): Promise<number> {
  const user = await findAppUser(orgScope, userId);
  return user === undefined ? -1 : tokenEpoch(user);
}

test('A28: an identity is `(iss, sub)`: it finds its account whatever its email says, and another `sub` does not', async () => {
  const { signIn } = await org();
  const first = await signIn(ann());
  assert.equal(await signIn(ann({ email: 'other@x.example' })), first);
  assert.notEqual(await signIn(ann({ sub: '2', email_verified: false })), first);
  assert.notEqual(await signIn(ann({ iss: 'https://b.example', email_verified: false })), first);
});

test('A26: two identities are one person only where both have verified the email', async () => {
  const { signIn } = await org();
  const unverified = await signIn(ann({ sub: 'u', email_verified: false }));
  const first = await signIn(ann());
  const second = await signIn(ann({ iss: 'https://b.example', sub: '9', email: 'ann@X.example' }));
  assert.equal(second, first);
  assert.notEqual(unverified, first);
});

test('A25: an account that waits under an email for its owner is another account, and loses its password and tokens', async () => {
  const { orgScope, signIn, logIn } = await org();
  const attacker = await logIn('ann@x.example', 'lying in wait 1');
  assert.equal(await epochOf(orgScope, attacker), 0);
  const owner = await signIn(ann());
  assert.notEqual(owner, attacker);
  assert.equal(await epochOf(orgScope, attacker), 1);
  await assert.rejects(logIn('ann@x.example', 'lying in wait 1', false), { code: 'credentials_invalid' });
  assert.equal((await findAppUser(orgScope, attacker))?.password_hash, undefined);
});

test('an unverified email of a provider takes nothing from anybody', async () => {
  const { orgScope, signIn, logIn } = await org();
  const known = await logIn('ann@x.example', 'correct horse 1');
  const other = await signIn(ann({ email_verified: false }));
  assert.notEqual(other, known);
  assert.equal(await logIn('ann@x.example', 'correct horse 1'), known);
  assert.equal(await epochOf(orgScope, known), 0);
});

test('of many first sign-ins at once, by two providers that verified the email, one makes the account', async () => {
  const { orgScope, signIn } = await org();
  const runs = Array.from({ length: 64 }, (_, index) => signIn(ann({ iss: `https://${index % 2}.example` })));
  assert.equal(new Set(await Promise.all(runs)).size, 1);
  assert.equal((await orgScope.range('app-user', { limit: 10 })).length, 1);
});

test('a token without an email is refused, and nothing is written', async () => {
  const { orgScope, signIn } = await org();
  const { email: _, ...nameless } = ann({ email_verified: false });
  await assert.rejects(signIn(nameless), { code: 'token_invalid' });
  assert.deepEqual(await orgScope.range('identity', { limit: 10 }), []);
});
