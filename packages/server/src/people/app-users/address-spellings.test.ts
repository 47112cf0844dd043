/** Accounts whose addresses were stored under their spelling, by earlier releases, and those that are made now. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock, timestamp } from '../../lib/clock.ts';
import { uuidv7Source } from '../../lib/ids.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { createLoginThrottle } from '../realm/realm.ts';
import { createFastHasher } from '../testing/fast-passwords.ts';
import { type AppUser, appUsers, findAppUser, passwordIdentities, verifiedEmails } from './app-user.ts';
import { logInWithPassword } from './password-log-in.ts';
import { signInWithProvider } from './provider-sign-in.ts';

const password = 'correct horse battery';
const unicode = 'ann@bücher.example';
const capitals = 'Ann@BÜCHER.example';
const decomposed = 'ann@bu\u0308cher.example';
const punycode = 'ann@xn--bcher-kva.example';

async function app() {
  const { store } = await openStore({ kind: 'memory', clock: systemClock });
  const orgScope = store.scope('org#acme');
  const deps = {
    clock: systemClock,
    newId: uuidv7Source(systemClock),
    hasher: createFastHasher(),
    loginThrottle: createLoginThrottle({ clock: systemClock }),
  };
  const logIn = async (email: string, { secret = password, allow_signup = true } = {}) => {
    const policy = { enabled: true, allow_signup, min_length: 10 };
    await logInWithPassword(deps, orgScope, {
      env: 'test',
      body: { email, password: secret },
      ip: '127.0.0.1',
      policy,
    });
    const row = await passwordIdentities.read(orgScope, email);
    return row?.value ?? assert.fail('an account without a row');
  };
  const byProvider = async (email: string, sub: string) => {
    const identity = { iss: 'p', sub, email, email_verified: true, fn: '', ln: '' };
    return (await signInWithProvider(deps, { orgScope }, identity)).user_id;
  };
  /** An account as an earlier release wrote it: its rows lie under the spelling alone. */
  const older = async (email: string, key: string, { isVerified = false, secret = password } = {}) => {
    const id = deps.newId();
    const password_hash = await deps.hasher.hash(secret, { ip: '127.0.0.1' });
    const made: AppUser = {
      id,
      email,
      email_verified: isVerified,
      fn: '',
      ln: '',
      password_hash,
      created_at: timestamp(0),
    };
    await orgScope.commit([
      appUsers.insert(id, made),
      passwordIdentities.byKey.insert(key, id),
      ...(isVerified ? [verifiedEmails.byKey.insert(key, id)] : []),
    ]);
    return id;
  };
  const count = async () => (await appUsers.range(orgScope, 'app-user', { limit: 100 })).length;
  return { orgScope, logIn, byProvider, older, count };
}

test('A29 one address is one account, however its domain is spelled', async () => {
  for (const first of [unicode, capitals, decomposed, punycode]) {
    const { logIn, byProvider, count } = await app();
    const id = await logIn(first);
    for (const email of [unicode, capitals, decomposed, punycode]) {
      assert.equal(await logIn(email), id);
      await assert.rejects(logIn(email, { secret: 'another password' }), { code: 'credentials_invalid' });
    }
    const owner = await byProvider(first, '1');
    assert.equal(await byProvider(punycode, '2'), owner);
    assert.equal(await byProvider(capitals, '3'), owner);
    assert.equal(await count(), 2);
  }
});

test('A29 an account of an earlier release is found by its own spelling, in Unicode and in Punycode', async () => {
  for (const [email, key] of [
    [punycode, punycode],
    [unicode, unicode],
    ['ann@BüCHER.example', unicode],
  ] as const) {
    const { logIn, byProvider, older, count } = await app();
    const id = await older(email, key, { isVerified: true });
    for (const spelling of [email, unicode, capitals, decomposed, punycode]) assert.equal(await logIn(spelling), id);
    for (const spelling of [unicode, punycode]) assert.equal(await byProvider(spelling, spelling), id);
    assert.equal(await count(), 1);
  }
});

test('A29 a spelling that is no other form of the address finds an earlier account as it did', async () => {
  const { logIn, older, count } = await app();
  const id = await older(capitals, 'ann@bÜcher.example');
  assert.equal(await logIn(capitals, { allow_signup: false }), id);
  assert.equal(await count(), 1);
});

test('A29 earlier accounts with one address stay apart: each signs in by its own spelling and password', async () => {
  const { orgScope, logIn, byProvider, older, count } = await app();
  const accounts = [
    [capitals, await older(capitals, 'ann@bÜcher.example', { secret: 'of capitals', isVerified: true }), 'of capitals'],
    [punycode, await older(punycode, punycode, { secret: 'of punycode' }), 'of punycode'],
    [unicode, await older(unicode, unicode, { secret: 'of unicode' }), 'of unicode'],
  ] as const;
  for (const [email, id, secret] of accounts) {
    assert.equal(await logIn(email, { secret }), id);
    for (const [, , other] of accounts)
      if (other !== secret) await assert.rejects(logIn(email, { secret: other }), { code: 'credentials_invalid' });
  }
  assert.equal(await byProvider(capitals, '1'), accounts[0][1]);
  assert.equal(await count(), 3);
  for (const [, id] of accounts) assert.equal((await findAppUser(orgScope, id))?.suspended_for, undefined);
});

test('A29 a proof of the address suspends the password of an earlier account in another spelling', async () => {
  const { orgScope, logIn, byProvider, older } = await app();
  const trap = await older(punycode, punycode);
  const owner = await byProvider(unicode, '1');
  assert.notEqual(owner, trap);
  assert.equal((await findAppUser(orgScope, trap))?.suspended_for, owner);
  await assert.rejects(logIn(punycode), { code: 'credentials_invalid' });
});

test('A29 of sign-ups in all spellings at once one makes the account', async () => {
  const { logIn, count } = await app();
  const ids = await Promise.all([unicode, capitals, decomposed, punycode].map((email) => logIn(email)));
  assert.equal(new Set(ids).size, 1);
  assert.equal(await count(), 1);
});
