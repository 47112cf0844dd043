import assert from 'node:assert/strict';
import { test } from 'node:test';
import { table } from '../../store/table.ts';
import { openStore } from '../../store/testing/open-store.ts';
import {
  type CodePurpose,
  createMailThrottle,
  issueCode,
  type MailRequest,
  requireCode,
  spendCode,
} from './mailed-codes.ts';
import { type Account, accountRows } from './realm.ts';

const ann: Account = { id: 'ann', email: 'ann@example.com', password_hash: 'old' };
const hour = 60 * 60 * 1000;

async function withAnn() {
  let now = 1_000_000;
  const clock = { now: () => now };
  const { store } = await openStore({ kind: 'memory', clock });
  const scope = store.scope('org#acme');
  const accounts = table((id: string) => ({ pk: 'person', sk: id }), accountRows<Account>('person'));
  const write = (person: Account) => scope.commit([accounts.put(person.id, person, { if: 'any' })]);
  await write(ann);
  const issue = (purpose: CodePurpose) => issueCode({ scope, clock }, purpose, ann);
  const spend = async (purpose: CodePurpose, code: string) =>
    (await spendCode(scope, { purpose, code, accounts }, async (holder) => ({ holder, along: [] }))).holder;
  const look = (purpose: CodePurpose, code: string) => requireCode(scope, { purpose, code, accounts });
  return { scope, write, issue, spend, look, advance: (by: number) => (now += by) };
}

const isGone = { code: 'not_found' };

for (const [purpose, lifetime] of [
  ['reset-password', hour],
  ['verify-email', 24 * hour],
  ['sign-in', hour / 4],
] as const)
  test(`a code to ${purpose} is good to its last moment, and once`, async () => {
    const { issue, spend, look, advance } = await withAnn();
    const [early, late] = [await issue(purpose), await issue(purpose)];
    advance(lifetime - 1);
    await look(purpose, early);
    assert.deepEqual(await spend(purpose, early), ann);
    await assert.rejects(spend(purpose, early), isGone);
    await assert.rejects(look(purpose, early), isGone);
    advance(1);
    await assert.rejects(spend(purpose, late), isGone);
  });

test('a code is good for what it was mailed for, while the address is unchanged', async () => {
  const { write, issue, spend } = await withAnn();
  const [reset, verify] = [await issue('reset-password'), await issue('verify-email')];
  await assert.rejects(spend('verify-email', reset), isGone);
  await assert.rejects(spend('reset-password', verify), isGone);
  await write({ ...ann, email: 'eve@example.com' });
  await assert.rejects(spend('reset-password', reset), isGone);
  await assert.rejects(spend('verify-email', verify), isGone);
  await write({ ...ann, email: 'ANN@example.com' });
  await spend('reset-password', reset);
});

test('a code to sign in is good for nothing else, and dies with the password', async () => {
  const { write, issue, spend } = await withAnn();
  const [signIn, reset, verify] = [await issue('sign-in'), await issue('reset-password'), await issue('verify-email')];
  for (const purpose of ['reset-password', 'verify-email'] as const)
    await assert.rejects(spend(purpose, signIn), isGone);
  for (const code of [reset, verify]) await assert.rejects(spend('sign-in', code), isGone);
  await write({ ...ann, password_hash: 'new' });
  await assert.rejects(spend('sign-in', signIn), isGone);
});

test('a code that changes nothing about the account does not write it', async () => {
  const { scope, issue, spend } = await withAnn();
  const row = { pk: 'person', sk: ann.id };
  const [before] = await scope.get([row]);
  await spend('sign-in', await issue('sign-in'));
  assert.deepEqual(await scope.get([row]), [before]);
});

test('a code for a new password dies with the old one, and one to verify the email does not', async () => {
  const { write, issue, spend } = await withAnn();
  const [reset, verify] = [await issue('reset-password'), await issue('verify-email')];
  const { password_hash: _, ...without } = ann;
  for (const changed of [{ ...ann, password_hash: 'new' }, without]) {
    await write(changed);
    await assert.rejects(spend('reset-password', reset), isGone);
  }
  await spend('verify-email', verify);
});

test('a copy of the store opens nothing: it holds no code', async () => {
  const { scope, issue } = await withAnn();
  const code = await issue('reset-password');
  const kept = await scope.range('mailed-code;reset-password', { limit: 10 });
  assert.equal(kept.length, 1);
  assert.ok(!JSON.stringify(kept).includes(code));
  assert.equal(Buffer.from(code, 'base64url').length, 32);
});

const quarterHour = 15 * 60 * 1000;

function throttleAt(start: number) {
  let now = start;
  return { mailThrottle: createMailThrottle({ clock: { now: () => now } }), advance: (by: number) => (now += by) };
}

function request(changes: Partial<MailRequest> = {}): MailRequest {
  return { purpose: 'reset-password', emailKey: 'ann@example.com', ip: '192.0.2.1', ...changes };
}

test('three mails go to an address in 15 minutes, wherever they are asked for, and then one more', () => {
  const { mailThrottle, advance } = throttleAt(0);
  for (let host = 1; host <= 3; host++) {
    mailThrottle.take(request({ ip: `192.0.2.${host}` }));
    advance(1000);
  }
  const refused = { code: 'rate_limited', details: { retry_after_seconds: 897 } };
  assert.throws(() => mailThrottle.take(request({ ip: '198.51.100.1' })), refused);
  mailThrottle.take(request({ emailKey: 'bob@example.com' }));
  mailThrottle.take(request({ purpose: 'verify-email' }));
  advance(quarterHour - 3000);
  mailThrottle.take(request());
  assert.equal(mailThrottle.tryTake(request()), false);
});

test('H05: twenty mails are asked for from a network in 15 minutes, and what is refused does not count', () => {
  const { mailThrottle, advance } = throttleAt(0);
  const from = (host: number) => request({ emailKey: `${host}@example.com`, ip: `2001:db8::${host.toString(16)}` });
  for (let host = 1; host <= 20; host++) mailThrottle.take(from(host));
  for (let host = 21; host < 100; host++) assert.equal(mailThrottle.tryTake(from(host)), false);
  assert.ok(mailThrottle.tryTake(request({ emailKey: '21@example.com', ip: '2001:db8:0:1::1' })));
  advance(quarterHour);
  for (let host = 1; host <= 20; host++) assert.ok(mailThrottle.tryTake(from(host)));
});

test('a known sender is limited by the address only', () => {
  const { mailThrottle } = throttleAt(0);
  const { ip: _, ...known } = request({ purpose: 'invitation' });
  for (let guest = 0; guest < 100; guest++)
    assert.ok(mailThrottle.tryTake({ ...known, emailKey: `${guest}@example.com` }));
  for (let sent = 1; sent < 3; sent++) assert.ok(mailThrottle.tryTake({ ...known, emailKey: '7@example.com' }));
  assert.ok(!mailThrottle.tryTake({ ...known, emailKey: '7@example.com' }));
});
