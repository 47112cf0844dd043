/** The operator resets the second factors of an account that is in several orgs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { call, type Reply } from './call.ts';
import { mailsTo, platformForMails } from './mails.ts';
import { joinOrg, manage, newEmail, signUp } from './org.ts';
import { addApp, ask, complete, isSession, logInBuilder, stepOf } from './second-factor-calls.ts';

const operatorKey = 'g7Vt2kQx9LmZp4RwYb6NsHc3JdFe8TuA';
const platform = await platformForMails({ FREEHOLD_OPERATOR_KEY: operatorKey });
const path = '/platform/accounts/reset-factors';
const reason = 'Lost the phone; known by voice.';

interface Reset {
  readonly id: string;
  readonly orgs: readonly string[];
}

function reset(body: object, token: string | undefined = operatorKey): Promise<Reply<Reset>> {
  return call<Reset>('POST', platform.management + path, { body, token });
}

interface Entry {
  readonly action: string;
  readonly actor: { readonly kind: string };
  readonly target?: { readonly id: string };
  readonly detail?: { readonly reason?: string };
}

test('the factors of an account in two orgs are removed, its sessions end, and the person and both orgs are told', async () => {
  const org = await signUp(platform);
  const { email, token } = org.builder;
  const second = await signUp(platform);
  const invited = await manage<{ code: string }>(second, 'POST', '/org/users', { body: { email, role: 'developer' } });
  const joined = await ask<{ user: { id: string } }>(platform, 'POST', '/auth/accept-invitation', {
    body: { code: invited.body.code, password: 'correct horse battery', name: 'Ben Builder' },
  });
  assert.equal(joined.status, 200, joined.text);
  const { recoveryCodes } = await addApp(platform, token);
  const step = await stepOf(platform, email);
  const byAdmin = await manage(second, 'POST', `/org/users/${joined.body.user.id}/reset-second-factors`);
  assertProblem(byAdmin, 'conflict');

  const done = await reset({ email: email.toUpperCase(), reason });
  assert.equal(done.status, 200, done.text);
  assert.deepEqual(done.body.orgs.toSorted(), [org.code, second.code].toSorted());
  assert.ok(!(await isSession(platform, token)));
  assertProblem(await complete(platform, { token: step.token, recovery_code: recoveryCodes[0] }), 'credentials_invalid');
  const back = await logInBuilder(platform, email, { org: org.code });
  assert.equal(back.status, 200, back.text);
  assert.ok((await mailsTo(platform, email)).some(({ text }) => text.includes('the operator of the platform removed')));
  assertProblem(await reset({ email, reason }), 'conflict');

  const found = ({ action, target }: Entry) => action === 'second_factor.reset' && target?.id === done.body.id;
  for (const place of [org, second]) {
    const token = place === org ? back.body.token : second.builder.token;
    const path = '/audit?action=second_factor.reset';
    const log = await manage<{ items: readonly Entry[] }>(place, 'GET', path, { token });
    const entry = log.body.items.find(found);
    assert.deepEqual([entry?.actor.kind, entry?.detail?.reason], ['operator', reason]);
    assert.ok(!log.text.includes(email));
  }
  const own = await call<{ items: readonly Entry[] }>('GET', `${platform.management}/platform/audit`, {
    token: operatorKey,
  });
  assert.equal(own.body.items.find(found)?.detail?.reason, reason);
});

test('only the operator resets, only a known address with factors, and only with a reason', async () => {
  const org = await signUp(platform);
  const { email } = org.builder;
  const developer = await joinOrg(org, 'developer');
  for (const token of [undefined, org.builder.token, developer.token, `${operatorKey}x`]) {
    const reply = await call('POST', platform.management + path, {
      body: { email, reason },
      ...(token === undefined ? {} : { token }),
    });
    assertProblem(reply, token === undefined ? 'token_missing' : 'token_invalid');
  }
  assertProblem(await reset({ email: newEmail('absent'), reason }), 'not_found');
  assertProblem(await reset({ email, reason }), 'conflict');
  for (const body of [{ email }, { email, reason: '' }, { email: 'none', reason }, { email, reason: 'x'.repeat(501) }])
    assertProblem(await reset(body), 'validation_failed');
  assertProblem(await reset({ email, reason, id: 'x' }), 'unknown_field');
});
