import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../../store/open-store.ts';
import { table } from '../../store/table.ts';
import { type CodePurpose, issueCode, requireCode, spendCode } from './mailed-codes.ts';
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
