/** Tests log-ins with a known and an unknown address: they differ neither in work nor in words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../lib/clock.ts';
import { uuidv7Source } from '../../lib/ids.ts';
import { Problem } from '../../lib/problem.ts';
import type { Scope } from '../../store/port.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { logInWithPassword } from '../app-users/password-log-in.ts';
import { signInWithProvider } from '../app-users/provider-sign-in.ts';
import type { OrgAccountsDeps } from '../org-users/account.ts';
import { type LogIn, logIn as logInBuilder } from '../org-users/log-in.ts';
import { signUp } from '../org-users/org-accounts.ts';
import { createPasswordHasher, type PasswordHasher } from './passwords.ts';
import { createLoginThrottle } from './realm.ts';

const password = 'correct horse battery';
const known = 'ann@acme.example';

/** A store and a hasher that write down what is asked of them. */
async function witnesses() {
  const { store } = await openStore({ kind: 'memory', clock: systemClock });
  const done: string[] = [];
  const real = createPasswordHasher();
  const noted = <A extends readonly unknown[], R>(what: string, work: (...given: A) => Promise<R>) => {
    return (...given: A): Promise<R> => {
      done.push(what);
      return work(...given);
    };
  };
  // Both derive one key at one cost: a test of the hasher holds it to that.
  const hasher: PasswordHasher = {
    hash: noted('argon2', (text, caller) => real.hash(text, caller)),
    verify: noted('argon2', (text, stored, caller) => real.verify(text, stored, caller)),
    verifyAgainstNothing: noted('argon2', (text, caller) => real.verifyAgainstNothing(text, caller)),
  };
  const scopeOf = (name: string): Scope => {
    const scope = store.scope(name);
    return {
      ...scope,
      get: (keys) => noted(`get ${keys.length}`, () => scope.get(keys))(),
      range: noted('range', scope.range),
      commit: noted('commit', scope.commit),
    };
  };
  const deps = {
    clock: systemClock,
    newId: uuidv7Source(systemClock),
    hasher,
    loginThrottle: createLoginThrottle({ clock: systemClock }),
  };
  /** The work of a refused call, in order, and its error. */
  const refusalOf = async (call: () => Promise<unknown>) => {
    done.length = 0;
    const problem = await call().then(
      () => assert.fail('let in'),
      (error: unknown) => error,
    );
    assert.ok(problem instanceof Problem);
    return { done: [...done], code: problem.code, message: problem.message, details: problem.details };
  };
  return { deps, scopeOf, refusalOf };
}

test('H01: a refused log-in of an app does the same work and says the same for whomever it names', async () => {
  const { deps, scopeOf, refusalOf } = await witnesses();
  const orgScope = scopeOf('org#acme');
  const logIn = (email: string, secret: string, allow_signup = false) => {
    const policy = { enabled: true, allow_signup, min_length: 10 };
    const body = { email, password: secret };
    return logInWithPassword(deps, orgScope, { env: 'test', body, ip: '127.0.0.1', policy });
  };
  await logIn(known, password, true);
  const names = { fn: '', ln: '' };
  const viaProvider = 'bob@acme.example';
  await signInWithProvider(
    deps,
    { orgScope },
    { iss: 'p', sub: '1', email: viaProvider, email_verified: true, ...names },
  );
  const evicted = 'cy@acme.example';
  await logIn(evicted, password, true);
  await signInWithProvider(deps, { orgScope }, { iss: 'p', sub: '2', email: evicted, email_verified: true, ...names });
  const expected = await refusalOf(() => logIn(known, 'wrong password'));
  assert.deepEqual([expected.code, expected.done], ['credentials_invalid', ['get 1', 'get 1', 'argon2']]);
  for (const [email, secret] of [
    ['absent@acme.example', 'wrong password'],
    ['absent@acme.example', password],
    ['absent@acme.example', 'short'],
    [viaProvider, password],
    [evicted, password],
    [known.toUpperCase(), 'wrong password'],
    [known, 'short'],
  ] as const)
    assert.deepEqual(await refusalOf(() => logIn(email, secret)), expected, email);
});

test('H01: guesses are counted and throttled alike for an unknown address', async () => {
  const { deps, scopeOf, refusalOf } = await witnesses();
  const orgScope = scopeOf('org#acme');
  const logIn = (email: string, allow_signup = false) => {
    const policy = { enabled: true, allow_signup, min_length: 10 };
    const body = { email, password: allow_signup ? password : 'wrong password' };
    return logInWithPassword(deps, orgScope, { env: 'test', body, ip: '127.0.0.1', policy });
  };
  await logIn(known, true);
  const codes = async (email: string) => {
    const seen: string[] = [];
    for (let guess = 0; guess < 12; guess++) {
      const { code, done } = await refusalOf(() => logIn(email));
      seen.push(`${code} ${done.join()}`);
    }
    return seen;
  };
  assert.deepEqual(await codes('absent@acme.example'), await codes(known));
});

test('H01: a refused log-in of a builder does the same work and says the same for whomever it names', async () => {
  const { deps, scopeOf, refusalOf } = await witnesses();
  // A log-in does not ask for the rest of an account's needs.
  const builders = { ...deps, platform: scopeOf('platform'), policy: 'open' } as OrgAccountsDeps;
  await signUp(
    builders,
    { email: known, password, name: 'Ann', org_name: 'Acme' },
    { ip: '127.0.0.1', requestId: 'request' },
  );
  const logIn = (body: LogIn) => logInBuilder(builders, body, { ip: '127.0.0.1' });
  const expected = await refusalOf(() => logIn({ email: known, password: 'wrong password' }));
  assert.deepEqual([expected.code, expected.done], ['credentials_invalid', ['get 1', 'get 1', 'argon2']]);
  for (const body of [
    { email: 'absent@acme.example', password: 'wrong password' },
    { email: 'absent@acme.example', password },
    { email: 'absent@acme.example', password, org: 'acme' },
    { email: known, password: 'wrong password', org: 'acme' },
    { email: known, password: 'wrong password', org: 'nowhere' },
  ])
    assert.deepEqual(await refusalOf(() => logIn(body)), expected, JSON.stringify(body));
});
