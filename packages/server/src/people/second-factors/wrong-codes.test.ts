import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAccessEpochs } from '../../iam/policies/epochs.ts';
import { uuidv7Source } from '../../lib/ids.ts';
import type { Problem } from '../../lib/problem.ts';
import { openStore } from '../../store/testing/open-store.ts';
import type { OrgAccountsDeps } from '../org-users/account.ts';
import { logIn } from '../org-users/log-in.ts';
import { signUp } from '../org-users/org-accounts.ts';
import { createMailThrottle } from '../realm/mailed-codes.ts';
import { createLoginThrottle } from '../realm/realm.ts';
import { authenticate } from '../sessions/org-sessions.ts';
import { factorDeps } from '../testing/factor-deps.ts';
import { createFastHasher } from '../testing/fast-passwords.ts';
import { totpCode, totpStep } from './factor-codes.ts';
import { createSecondFactors, type SecondFactors } from './second-factors.ts';
import { storedFactors } from './stored-factors.ts';

const minute = 60_000;
const base32Letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const email = 'bea@example.com';
const password = 'correct horse 1';

/** A builder with an authenticator app, in two orgs, on nodes that share a store and a clock that is moved by hand. */
async function protectedBuilder() {
  let now = 1_800_000_000_000;
  const clock = { now: () => now };
  const { store } = await openStore({ kind: 'memory', clock });
  const platform = store.scope('platform');
  const mails: string[] = [];
  const node = (): { readonly deps: OrgAccountsDeps; readonly factors: SecondFactors } => {
    const deps: OrgAccountsDeps = {
      platform,
      clock,
      newId: uuidv7Source(clock),
      hasher: createFastHasher(),
      loginThrottle: createLoginThrottle({ clock }),
      mailThrottle: createMailThrottle({ clock }),
      mailer: { send: (mail) => typeof mail !== 'function' && mails.push(mail.text) },
      policy: 'open',
      revocations: createAccessEpochs(),
      ...factorDeps(clock),
    };
    return { deps, factors: createSecondFactors(deps) };
  };
  const { deps, factors } = node();
  const made = await signUp(
    deps,
    { email, password, name: 'Bea', org_name: 'Acme', org_code: 'acme' },
    { ip: '192.0.2.1', requestId: 'r0' },
  );
  const caller = await authenticate(platform, made.token);
  assert.ok(caller !== undefined);
  const auditContext = { at: '', actor: { kind: 'org_user', id: caller.user.id }, request_id: 'r1' } as const;
  const own = { caller, auditContext, ip: '192.0.2.1', site: undefined };
  const { secret } = await factors.beginTotp(own, { password });
  const bits = [...secret].map((letter) => base32Letters.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const bytes = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const code = (): string => totpCode(bytes, totpStep(now));
  const { recovery_codes = [] } = await factors.confirmTotp(own, { code: code() });
  mails.length = 0;
  const stepOn = async (on: OrgAccountsDeps) => {
    const step = await logIn(on, { email, password }, { ip: '192.0.2.1' });
    assert.ok('second_factor' in step);
    return step.second_factor;
  };
  const give = async (proof: { readonly code?: string; readonly recovery_code?: string }, on = { deps, factors }) => {
    const { token } = await stepOn(on.deps);
    return on.factors.completeSignIn({ token, ...proof }, { ip: '192.0.2.1', requestId: 'r2', site: undefined });
  };
  const guessWrong = (on = { deps, factors }) =>
    assert.rejects(give({ code: code() === '000000' ? '000001' : '000000' }, on), { code: 'credentials_invalid' });
  return {
    ...{ deps, factors, node, platform, mails, code, recoveryCodes: [...recovery_codes], give, guessWrong, own },
    stepOn: () => stepOn(deps),
    advance: (by: number) => (now += by),
    waitOf: async (): Promise<number> => {
      const problem = await give({ code: code() }).then(
        () => assert.fail('the code was taken'),
        (error: Problem) => error,
      );
      assert.equal(problem.code, 'rate_limited');
      return Number(problem.details.retry_after_seconds);
    },
    entries: async () => {
      const items = await platform.range('audit;acme', { limit: 100 });
      // In front of an entry is the digest that chains it.
      return items
        .map(({ value }) => JSON.parse(value.slice(value.indexOf('{'))))
        .filter(({ action }) => action === 'second_factor.codes_locked');
    },
    useUpRecoveryCodes: async () => {
      const [row] = await storedFactors.readMany(platform, [caller.user.id]);
      assert.ok(row !== undefined);
      await platform.commit([storedFactors.replace(row, { ...row.value, recovery_codes: [] })]);
    },
  };
}

const locked = { code: 'second_factor_locked', details: { methods: ['recovery_code'] } };

test('10 wrong codes in a row lock codes however slowly they come, on every node, until a recovery code is used', async () => {
  const { advance, guessWrong, give, code, node, mails, entries, recoveryCodes, stepOn, factors, own } =
    await protectedBuilder();
  for (let guess = 0; guess < 9; guess++) {
    await guessWrong(node());
    advance(20 * minute);
  }
  assert.deepEqual([mails.length, (await entries()).length], [0, 0]);
  await guessWrong();
  for (const wait of [0, 15 * minute, 30 * 24 * 60 * minute]) {
    advance(wait);
    await assert.rejects(give({ code: code() }), locked);
    await assert.rejects(give({ code: code() }, node()), locked);
  }
  const [mail = '', ...others] = mails;
  assert.match(mail, /10 wrong codes in a row .* until you use a recovery code/);
  assert.deepEqual(others, []);
  const [entry, ...more] = await entries();
  assert.deepEqual([entry?.detail, entry?.request_id, more], [{ wrong_codes: 10 }, 'r2', []]);
  const { methods, codes_locked } = await stepOn();
  assert.deepEqual([methods, codes_locked], [['recovery_code'], true]);
  assert.equal((await factors.list(own)).totp?.locked, true);
  await give({ recovery_code: recoveryCodes.pop() ?? '' });
  assert.deepEqual((await stepOn()).methods, ['totp', 'recovery_code']);
  assert.equal((await factors.list(own)).totp?.locked, undefined);
  await give({ code: code() });
});

test('a right code begins the count again', async () => {
  const { guessWrong, give, code, advance, mails } = await protectedBuilder();
  for (const wrong of [9, 9]) {
    for (let guess = 0; guess < wrong; guess++) await guessWrong();
    advance(minute);
    await give({ code: code() });
  }
  assert.deepEqual(mails, []);
});

test('guesses of a change of the factors count with those of sign-ins', async () => {
  const { guessWrong, factors, own, code, entries } = await protectedBuilder();
  for (let guess = 0; guess < 9; guess++) await guessWrong();
  const wrong = code() === '000000' ? '000001' : '000000';
  await assert.rejects(factors.renewRecoveryCodes(own, { code: wrong }), { code: 'credentials_invalid' });
  await assert.rejects(factors.renewRecoveryCodes(own, { code: code() }), locked);
  assert.equal((await entries())[0]?.request_id, 'r1');
});

test('an account without another factor waits twice as long after each wrong code, a day at most, and is never shut out', async () => {
  const { guessWrong, give, code, advance, waitOf, useUpRecoveryCodes, mails, stepOn } = await protectedBuilder();
  await useUpRecoveryCodes();
  for (let guess = 0; guess < 10; guess++) await guessWrong();
  assert.match(mails.join(), /longer after each wrong one/);
  assert.equal(mails.length, 1);
  for (const minutes of [15, 30, 60, 120, 240, 480, 960, 1440, 1440]) {
    assert.equal(await waitOf(), minutes * 60);
    assert.deepEqual((await stepOn()).methods, ['totp']);
    advance(minutes * minute - 1);
    assert.equal(await waitOf(), 1);
    advance(1);
    await guessWrong();
  }
  advance(-365 * 24 * 60 * minute);
  assert.equal(await waitOf(), 1440 * 60);
  advance(366 * 24 * 60 * minute);
  await give({ code: code() });
  await guessWrong();
  assert.equal(mails.length, 1);
});

test('wrong codes keep no recovery code out, from the same network either', async () => {
  const { guessWrong, give, recoveryCodes } = await protectedBuilder();
  for (let round = 0; round < 3; round++) {
    for (let guess = 0; guess < 10; guess++) await guessWrong();
    await give({ recovery_code: recoveryCodes.pop() ?? '' });
  }
});

test('a reset takes the lock with the factors', async () => {
  const { guessWrong, factors, deps } = await protectedBuilder();
  for (let guess = 0; guess < 10; guess++) await guessWrong();
  const auditContext = { at: '', actor: { kind: 'operator', id: 'operator' }, request_id: 'r3' } as const;
  await factors.resetByOperator({ email, reason: 'lost', auditContext });
  assert.ok('token' in (await logIn(deps, { email, password }, { ip: '192.0.2.1' })));
});
