/** One email address has one account, however its domain is spelled; accounts of earlier releases stay as they are. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { call } from './call.ts';
import { codeTo, mailsTo, platformForMails, signUpUser } from './mails.ts';
import {
  act,
  allow,
  appUrl,
  exchangeToken,
  logIn,
  manage,
  memberWith,
  newEmail,
  type Org,
  password,
  random,
  signIn,
  signUp,
  withCondition,
} from './org.ts';
import { commandToEnd, startPlatform, whyNoDataDir } from './platform.ts';
import { putSetting } from './workspaces.ts';

const platform = await platformForMails();

/** The same address in Unicode, in Punycode, in capitals, and in decomposed letters. */
function spellings(name: string): readonly [unicode: string, punycode: string, capitals: string, decomposed: string] {
  const local = `${name}-${random()}`;
  const domains = ['bücher.example', 'xn--bcher-kva.example', 'BÜCHER.Example', 'bu\u0308cher.example'];
  const [unicode = '', punycode = '', capitals = '', decomposed = ''] = domains.map((domain) => `${local}@${domain}`);
  return [unicode, punycode, capitals, decomposed];
}

test('A29: a user of an app is one in each spelling of the domain, and guesses count for all of them', async () => {
  const org = await signUp(platform);
  const all = spellings('ann');
  const user = await signIn(org, all[0]);
  for (const email of all) assert.equal((await signIn(org, email)).id, user.id, email);
  for (let guess = 0; guess < 10; guess++) {
    const email = all[guess % all.length] ?? '';
    assertProblem(await logIn(org, email, 'wrong password'), 'credentials_invalid');
  }
  for (const email of all) assertProblem(await logIn(org, email), 'rate_limited');
  for (const q of [...all, all[0].slice(0, -8), all[0].split('@')[0] ?? '']) {
    const query = new URLSearchParams({ env: 'test', q });
    const found = await manage<{ items: readonly { id: string }[] }>(org, 'GET', `/org/app-users?${query}`);
    assert.deepEqual(
      found.body.items.map(({ id }) => id),
      [user.id],
      q,
    );
  }
  for (const q of all) {
    const query = new URLSearchParams({ env: 'test', tenant_code: 'main', q });
    const found = await manage<{ items: readonly { user_id: string }[] }>(org, 'GET', `/acl/members?${query}`);
    assert.deepEqual(
      found.body.items.map(({ user_id }) => user_id),
      [user.id],
      q,
    );
  }
});

test('A29: a builder is one in each spelling of the domain', async () => {
  const [unicode, punycode, capitals, decomposed] = spellings('bea');
  const signUpAs = (email: string) =>
    call('POST', `${platform.management}/auth/signup`, {
      body: { email, password, name: 'Bea', org_name: `Org ${random()}` },
    });
  assert.equal((await signUpAs(punycode)).status, 201);
  for (const email of [unicode, punycode, capitals, decomposed]) {
    assertProblem(await signUpAs(email), 'conflict');
    const body = { email, password };
    assert.equal((await call('POST', `${platform.management}/auth/login`, { body })).status, 200, email);
  }
  await call('POST', `${platform.management}/auth/forgot-password`, { body: { email: capitals } });
  assert.equal((await mailsTo(platform, decomposed)).length, 1);
});

test('A29: an invitation is accepted, and shown, in another spelling than it was sent to', async () => {
  const org = await signUp(platform);
  await putSetting(org, 'auth', 'allowed_domains', ['https://app.example']);
  const founder = await signIn(org);
  const [unicode, punycode, , decomposed] = spellings('guest');
  await act(founder, 'POST', '/user/workspace', { body: { name: 'Team', code: `t${random()}` } });
  const { token } = (await exchangeToken(org, founder.token)).body;
  const invited = await act<{ code: string }>({ ...founder, token }, 'POST', '/user/invitations', {
    body: { email: punycode },
  });
  assert.equal(invited.status, 201, invited.text);
  const guest = await signUpUser(org, unicode);
  const code = await codeTo(platform, decomposed, 'verify-email');
  const verified = { headers: { client_id: org.clientId }, body: { code } };
  assert.equal((await call('POST', appUrl(org, '/verify-email'), verified)).status, 204);
  const mine = () => act<{ items: readonly object[] }>(guest, 'GET', '/user/invitations/mine');
  assert.equal((await mine()).body.items.length, 1);
  const accepted = await act(guest, 'POST', '/user/acceptinvitation', { body: { code: invited.body.code } });
  assert.equal(accepted.status, 200, accepted.text);
  assert.deepEqual((await mine()).body.items, []);
});

test('A29: a condition on the email of an invitation sees its one form', async () => {
  const org = await signUp(platform);
  const founder = await signIn(org);
  const condition = { StringLike: { 'request.body.email': '*@bücher.example' } };
  const clerk = await memberWith(founder, [withCondition(allow('createinvitation'), condition)]);
  for (const email of spellings('guest'))
    assert.equal((await act(clerk, 'POST', '/user/invitations', { body: { email } })).status, 201, email);
  assertProblem(await act(clerk, 'POST', '/user/invitations', { body: { email: newEmail('guest') } }), 'access_denied');
});

test('A29: `email_domains` are found in each spelling', async () => {
  const offered = async (org: Org, email: string) => {
    const path = `/providers?${new URLSearchParams({ email })}`;
    const reply = await call<{ items: readonly { issuer: string }[] }>('GET', appUrl(org, path), {
      headers: { client_id: org.clientId },
    });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.items.map(({ issuer }) => issuer);
  };
  for (const domain of ['bücher.example', 'xn--bcher-kva.example', 'BÜCHER.example', 'bu\u0308cher.example']) {
    const org = await signUp(platform);
    await putSetting(org, 'auth', 'issuers', [
      { issuer: 'https://own.example', audiences: ['a'], email_domains: [domain] },
      { issuer: 'https://all.example', audiences: ['a'] },
    ]);
    for (const email of spellings('ann')) assert.deepEqual(await offered(org, email), ['https://own.example'], email);
    assert.deepEqual(await offered(org, 'ann@bucher.example'), ['https://all.example']);
  }
});

test('A29: the doctor lists accounts of an earlier release that have one address, beside the platform and without it', {
  skip: whyNoDataDir,
}, async (context) => {
  const first = await startPlatform();
  const { dataDir } = first;
  context.after(() => first.kill());
  const org = await signUp(first);
  const [unicode, punycode] = spellings('ann');
  const user = await signIn(org, unicode);
  const other = await signIn(org, newEmail('other'));
  await first.terminate();
  const database = new DatabaseSync(join(dataDir, 'test.db'));
  const moved = database
    .prepare(`update items set sk = ? where scope = ? and pk = 'identity' and sk = ?`)
    .run(`password;${punycode}`, `org#${org.code}`, `password;${other.email}`);
  database.close();
  assert.equal(moved.changes, 1);
  const examine = (words: readonly string[]) =>
    commandToEnd(['doctor', ...words], { dataDir, env: { FREEHOLD_STORE: 'sqlite:' } });
  const sentence = new RegExp(
    `^note {2}2 accounts of the app \`${org.code}\` in test have one email address in several spellings.*${user.id}`,
    'm',
  );
  const still = await examine([]);
  assert.deepEqual([still.code, still.stderr], [0, '']);
  assert.match(still.stdout, sentence);
  assert.doesNotMatch(still.stdout, /bücher|xn--/);
  const running = await startPlatform({ dataDir });
  context.after(() => running.kill());
  const again = { ...org, app: running.app, management: running.management };
  assert.match((await examine(['--running'])).stdout, sentence);
  assert.equal((await signIn(again, unicode)).id, user.id);
  assert.equal((await signIn(again, punycode)).id, other.id);
});
