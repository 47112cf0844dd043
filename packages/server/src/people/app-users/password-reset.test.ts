import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemConfig } from '../../config/config-set.ts';
import { createAccessEpochs } from '../../iam/policies/epochs.ts';
import { systemClock } from '../../lib/clock.ts';
import { uuidv7Source } from '../../lib/ids.ts';
import { createMailQueue, type Mail } from '../../mail/mailer.ts';
import type { Scope } from '../../store/port.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { createMailThrottle } from '../realm/mailed-codes.ts';
import { createLoginThrottle } from '../realm/realm.ts';
import { createFastHasher } from '../testing/fast-passwords.ts';
import { forgotPassword, resetPassword } from './app-mails.ts';
import { logInWithPassword } from './password-log-in.ts';
import { signInWithProvider } from './provider-sign-in.ts';

const known = 'ann@example.com';

async function app() {
  const { store } = await openStore({ kind: 'memory', clock: systemClock });
  const calls: string[] = [];
  const orgScope = watched(store.scope('org#acme'), calls);
  const mails: Mail[] = [];
  const parts = {
    clock: systemClock,
    newId: uuidv7Source(systemClock),
    hasher: createFastHasher(),
    loginThrottle: createLoginThrottle({ clock: systemClock }),
    mailThrottle: createMailThrottle({ clock: systemClock }),
    revocations: createAccessEpochs(),
    mailer: createMailQueue({
      deliver: async (mail) => void mails.push(mail),
      onFault: (error) => assert.ifError(error),
    }),
  };
  const environments = { test: { client_id: 'test_1' }, prod: null };
  const org = { code: 'acme', name: 'Acme', created_at: '', environments };
  const client = { org, env: 'test', orgScope, config: systemConfig } as const;
  const policy = { enabled: true, allow_signup: true, min_length: 10 };
  const body = { email: known, password: 'correct horse 1' };
  await logInWithPassword(parts, orgScope, { env: 'test', body, ip: '192.0.2.1', policy });
  calls.length = 0;
  const forgot = (email: string) => forgotPassword(parts, client, { body: { email }, ip: '192.0.2.1' });
  const codeMailed = async (): Promise<string> => {
    forgot(known);
    await parts.mailer.settled();
    return /#reset-password=(\S+)/.exec(mails.at(-1)?.text ?? '')?.[1] ?? '';
  };
  const reset = (code: string) =>
    resetPassword(parts, client, { body: { code, new_password: 'correct horse 2' }, ip: '192.0.2.1', requestId: 'r' });
  return { parts, orgScope, calls, mails, forgot, codeMailed, reset };
}

function watched(scope: Scope, calls: string[]): Scope {
  return {
    ...scope,
    get: (keys) => {
      calls.push('get');
      return scope.get(keys);
    },
    commit: (changes) => {
      calls.push('commit');
      return scope.commit(changes);
    },
  };
}

test('H02: nothing is looked up before the answer is given, for any address', async () => {
  const { parts, calls, mails, forgot } = await app();
  for (const email of [known, 'absent@example.com']) {
    forgot(email);
    await Promise.resolve();
    assert.deepEqual(calls, []);
  }
  await parts.mailer.settled();
  assert.ok(calls.includes('commit'));
  assert.deepEqual(
    mails.map(({ to }) => to),
    [known],
  );
});

test('A25: a code of one who is put out by the owner of the address sets no password', async () => {
  const { parts, orgScope, codeMailed, reset } = await app();
  const code = await codeMailed();
  const identity = { iss: 'https://a.example', sub: '1', email: known, email_verified: true, fn: '', ln: '' };
  await signInWithProvider(parts, { orgScope }, identity);
  await assert.rejects(reset(code), { code: 'not_found' });
});

test('A26: a password that was reset by mail is the owner’s: a provider that verifies the address signs in to its account', async () => {
  const { parts, orgScope, codeMailed, reset } = await app();
  await reset(await codeMailed());
  const policy = { enabled: true, allow_signup: false, min_length: 10 };
  const identity = {
    iss: 'https://a.example',
    sub: '1',
    email: 'Ann@example.com',
    email_verified: true,
    fn: '',
    ln: '',
  };
  const { user_id } = await signInWithProvider(parts, { orgScope }, identity);
  const [user] = await orgScope.get([{ pk: 'app-user', sk: user_id }]);
  const { email_verified, token_epoch } = JSON.parse(user?.value ?? '{}');
  assert.deepEqual([email_verified, token_epoch], [true, 1]);
  const body = { email: known, password: 'correct horse 2' };
  await logInWithPassword(parts, orgScope, { env: 'test', body, ip: '192.0.2.1', policy });
});
