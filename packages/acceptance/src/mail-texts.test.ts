/** The texts of the mails of an app: set by its admins, checked, shown as a draft, and promoted like all settings. */
import assert from 'node:assert/strict';
import { assertProblem, pointers } from './assert-problem.ts';
import { type CallOptions, call, type Reply } from './call.ts';
import { ask, codeTo, fromElsewhere, mailsTo, platformForMails, signUpUser } from './mails.ts';
import { testOnOneDay as test } from './on-one-day.ts';
import { act, foundedOrg, joinOrg, manage, newEmail, type Org, signUp } from './org.ts';
import { activate, deploy, diff, inProduction, provisionedOrg, publish, rollback } from './promotion.ts';
import { founderOf, multiOrg, putSetting } from './workspaces.ts';

const gateways = await platformForMails();

interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
}

interface ShownMail {
  readonly name: string;
  readonly setting: string;
  readonly variables: readonly { readonly name: string; readonly sample: string }[];
  readonly default: MailText;
  readonly value: MailText | null;
  readonly prod_value?: MailText | null;
  readonly version: number;
}

async function mailsOf(org: Org, query = ''): Promise<readonly ShownMail[]> {
  const reply = await manage<{ readonly items: readonly ShownMail[] }>(org, 'GET', `/org/mails${query}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
}

function preview(
  org: Org,
  body: unknown,
  mail = 'reset_password',
  options: CallOptions = {},
): Promise<Reply<MailText>> {
  return manage<MailText>(org, 'POST', `/org/mails/${mail}/preview`, { body, ...options });
}

function sendTest(org: Org, body: unknown, mail = 'reset_password', options: CallOptions = {}) {
  return manage<{ readonly to: string }>(org, 'POST', `/org/mails/${mail}/test`, {
    body,
    ...options,
    headers: { ...fromElsewhere(), ...options.headers },
  });
}

function put(org: Org, mail: string, value: unknown, rest: object = {}) {
  return manage(org, 'PUT', '/org/settings', { body: { group: 'mail', name: mail, value, ...rest } });
}

async function forgot(org: Org, email: string) {
  assert.equal((await ask(org, '/password/forgot', { email })).status, 202);
  const [mail] = await mailsTo(gateways, email);
  assert.ok(mail !== undefined);
  return mail as typeof mail & { readonly html?: string };
}

const own: MailText = { subject: 'A key for {{app}}', text: 'Dear {{email}},\n\nuse {{link}}\n' };

test('an org that has set no text has those of the platform, as templates that say the same', async () => {
  const org = await signUp(gateways);
  const mails = await mailsOf(org);
  assert.deepEqual(
    mails.map(({ name, setting, value, version }) => [name, setting, value, version]),
    ['verify_email', 'merge_accounts', 'reset_password', 'reset_suspended_password', 'invitation'].map((name) => [
      name,
      `mail.${name}`,
      null,
      0,
    ]),
  );
  const user = await signUpUser(org);
  const [welcome] = await mailsTo(gateways, user.email);
  const verify = mails.find(({ name }) => name === 'verify_email');
  assert.ok(welcome !== undefined && verify !== undefined);
  await putSetting(org, 'mail', 'verify_email', verify.default);
  const again = await signUpUser(org);
  const [same] = await mailsTo(gateways, again.email);
  const without = (text: string | undefined): string | undefined => text?.replace(/verify-email=[\w.-]+/, 'CODE');
  assert.deepEqual([same?.subject, without(same?.text)], [welcome.subject, without(welcome.text)]);
  for (const { default: text, name, variables } of mails) {
    const shown = await preview(org, text, name);
    assert.equal(shown.status, 200, shown.text);
    const link = variables.find((variable) => variable.name === 'link')?.sample ?? 'none';
    assert.ok(shown.body.text.includes(link) && !shown.body.text.includes('{{'), shown.text);
  }
});

test('a text that is set is sent at once, in each of the mails, and its code works', async () => {
  const org = await signUp(gateways);
  const user = await signUpUser(org);
  await putSetting(org, 'mail', 'reset_password', { ...own, html: '<a href="{{link}}">{{app}}</a>' });
  const mail = await forgot(org, user.email);
  assert.match(mail.subject, /^A key for /);
  assert.ok(mail.text.startsWith(`Dear ${user.email},\n\nuse http://localhost/#reset-password=`), mail.text);
  assert.match(mail.html ?? '', /^<a href="http:\/\/localhost\/#reset-password&#61;[\w.-]+">/);
  const code = await codeTo(gateways, user.email, 'reset-password');
  const reset = await ask(org, '/password/reset', { code, new_password: 'a fresh battery staple' });
  assert.equal(reset.status, 204, reset.text);
  await putSetting(org, 'mail', 'reset_password', null);
  assert.match((await forgot(org, user.email)).subject, /^Set a new password/);
});

test('an invitation names the workspace, whose name is text wherever it stands', async () => {
  const org = await multiOrg(gateways);
  const founder = await founderOf(org, 'Team <b>x</b> evil.example/now');
  const html = '<p>{{workspace}}</p><a title={{workspace}} href={{link}}>come</a>';
  await putSetting(org, 'mail', 'invitation', { subject: 'Join {{workspace}}', text: '{{workspace}}: {{link}}', html });
  const email = newEmail('guest');
  const invited = await act(founder, 'POST', '/user/invitations', { body: { email } });
  assert.equal(invited.status, 201, invited.text);
  const [mail] = (await mailsTo(gateways, email)) as readonly { subject: string; text: string; html?: string }[];
  assert.ok(mail?.html !== undefined);
  assert.equal(mail.subject, 'Join Team <b>x< b> evil example now');
  assert.ok(mail.html.startsWith('<p>Team&#32;&#60;b&#62;x'), mail.html);
  assert.doesNotMatch(mail.html, /<b>|title=[^>]* (?!href)/);
});

const refused: readonly (readonly [mail: string, body: unknown, pointer: string, code?: string])[] = [
  ['reset_password', { ...own, text: 'no link' }, '/text', 'missing_link'],
  ['reset_password', { ...own, text: '{{app == "never" ? link : "none"}}' }, '/text', 'missing_link'],
  ['reset_password', { ...own, html: '<p>no link</p>' }, '/html', 'missing_link'],
  ['reset_password', { ...own, html: '<script>{{link}}</script>' }, '/html', 'script'],
  ['reset_password', { ...own, text: '{{link}} {{workspace}}' }, '/text', 'invalid_expression'],
  ['reset_password', { ...own, text: '{{link}} {{user.email}}' }, '/text', 'invalid_expression'],
  ['reset_password', { ...own, text: '{{link' }, '/text', 'invalid_expression'],
  ['reset_password', { ...own, subject: 'a {{link}}' }, '/subject', 'invalid_expression'],
  ['reset_password', { ...own, subject: 'a\r\nBcc: eve@example.com' }, '/subject', 'control_character'],
  ['reset_password', { ...own, subject: 'a\u2028b' }, '/subject', 'control_character'],
  ['reset_password', { ...own, text: '{{link}}\u0007' }, '/text', 'control_character'],
  ['invitation', { ...own, text: `{{link}}${'{{app}}'.repeat(50)}` }, '', 'too_many'],
  ['invitation', { ...own, text: `{{link}}${'{{app}}'.repeat(20)}` }, '', 'too_many'],
  ['invitation', { ...own, text: `{{link}}{{"${'a'.repeat(990)}"}}` }, '', 'too_long'],
  ['invitation', { ...own, subject: '{{""}}' }, '/subject', 'too_short'],
];

test('what is wrong with a text is named, in a draft and in the setting', async () => {
  const org = await signUp(gateways);
  for (const [mail, body, pointer, code] of refused) {
    const drafted = assertProblem(await preview(org, body, mail), 'validation_failed');
    assert.deepEqual([pointers(drafted), drafted.errors?.[0]?.code], [[pointer], code], JSON.stringify(body));
    const set = assertProblem(await put(org, mail, body), 'validation_failed');
    assert.deepEqual(pointers(set), [`/value${pointer}`]);
    assertProblem(await sendTest(org, body, mail), 'validation_failed');
  }
  const long = { subject: 'a'.repeat(201), text: `{{link}}${'a'.repeat(10_000)}`, html: 'a'.repeat(20_001) };
  const over = ['/html', '/subject', '/text'];
  assert.deepEqual(pointers(assertProblem(await preview(org, long), 'validation_failed')).toSorted(), over);
  const set = assertProblem(await put(org, 'reset_password', long), 'validation_failed');
  assert.deepEqual(
    pointers(set).toSorted(),
    over.map((one) => `/value${one}`),
  );
  for (const value of [7, [], {}, { subject: 'a' }, { ...own, from: 'eve@example.com' }]) {
    assertProblem(
      await preview(org, value),
      value instanceof Object && 'from' in value ? 'unknown_field' : 'validation_failed',
    );
    assert.equal((await put(org, 'reset_password', value)).status, 400);
  }
  assert.deepEqual(new Set((await mailsOf(org)).map(({ version }) => version)), new Set([0]));
});

test('a text whose expressions fail for a mail gives way to that of the platform', async () => {
  const org = await signUp(gateways);
  const user = await signUpUser(org);
  await putSetting(org, 'mail', 'reset_password', {
    subject: 'Own',
    text: '{{email == "ann@example.com" || email.contains("@acme") ? link : "no link for you"}}',
  });
  const mail = await forgot(org, user.email);
  assert.match(mail.subject, /^Set a new password/);
  assert.match(mail.text, /#reset-password=/);
  await putSetting(org, 'mail', 'reset_password', { ...own, subject: '{{email == "ann@example.com" ? "Own" : ""}}' });
  const other = await signUpUser(org);
  assert.match((await forgot(org, other.email)).subject, /^Set a new password/);
});

test('a draft that would not be sent for the values of the preview is refused, and not shown as if it were', async () => {
  const org = await signUp(gateways);
  const dropped = { ...own, text: '{{email == "ann@example.com" ? link : "no link"}}' };
  const nameless = { ...own, subject: '{{email == "ann@example.com" ? "Own" : ""}}' };
  for (const [draft, pointer, code] of [
    [dropped, '/text', 'missing_link'],
    [nameless, '/subject', 'too_short'],
  ] as const)
    for (const reply of [await preview(org, draft), await sendTest(org, draft)]) {
      const { errors } = assertProblem(reply, 'validation_failed');
      assert.deepEqual([errors?.[0]?.pointer, errors?.[0]?.code], [pointer, code]);
    }
});

test('a test mail goes to the caller alone, three times of each mail, and counts as a mail of the plan', async () => {
  const org = await signUp(gateways);
  const email = newEmail('developer');
  const { token } = await joinOrg(org, 'developer', email);
  const today = async (): Promise<number> => {
    const reply = await manage<{ readonly work: { readonly today: { readonly mails: number } } }>(
      org,
      'GET',
      '/observability',
    );
    return reply.body.work.today.mails;
  };
  const before = await today();
  for (let sent = 0; sent < 3; sent++) {
    const reply = await sendTest(org, own, 'reset_password', { token });
    assert.deepEqual([reply.status, reply.body.to], [200, email], reply.text);
  }
  assertProblem(await sendTest(org, own, 'reset_password', { token }), 'rate_limited');
  assert.equal((await sendTest(org, own, 'verify_email', { token })).status, 200);
  const mails = await mailsTo(gateways, email);
  const tests = mails.filter(({ subject }) => subject.startsWith('[test] A key for '));
  assert.equal(tests.length, 4);
  assert.ok(tests.every(({ text }) => text.includes('=sample')));
  assert.equal(await today(), before + 4);
});

test('texts go to production by promotion, and back', async () => {
  const org = await provisionedOrg(gateways);
  const prod = await inProduction(org);
  await putSetting(org, 'auth', 'app_url', 'https://app.example.com/start');
  const user = await signUpUser(prod);
  await deploy(org);
  assert.match((await forgot(prod, user.email)).subject, /^Set a new password/);
  await putSetting(org, 'auth', 'app_url', 'https://test.example.com/');
  for (const [env, page] of [
    ['test', 'https://test.example.com/#reset-password=sample'],
    ['prod', 'https://app.example.com/start#reset-password=sample'],
  ]) {
    const { body } = await manage<MailText>(org, 'POST', `/org/mails/reset_password/preview?env=${env}`, { body: own });
    assert.ok(body.text.endsWith(`use ${page}\n`), body.text);
    const shown = (await mailsOf(org, `?env=${env}`)).find(({ name }) => name === 'reset_password');
    assert.equal(shown?.variables.find(({ name }) => name === 'link')?.sample, page);
  }
  await putSetting(org, 'auth', 'app_url', 'https://app.example.com/start');
  await putSetting(org, 'mail', 'reset_password', own);
  const [difference] = await diff(org);
  assert.deepEqual(
    [difference?.kind, difference?.name, difference?.change],
    ['settings', 'mail.reset_password', 'added'],
  );
  await publish(org);
  assert.match((await forgot(prod, user.email)).subject, /^Set a new password/);
  await activate(org);
  assert.match((await forgot(prod, user.email)).subject, /^A key for/);
  const other = await signUpUser(prod);
  await rollback(org);
  assert.match((await forgot(prod, other.email)).subject, /^Set a new password/);
  assert.equal((await mailsOf(org, '?env=prod')).find(({ name }) => name === 'reset_password')?.value, null);
  assertProblem(
    await manage(org, 'PUT', '/org/settings?env=prod', {
      body: { group: 'mail', name: 'reset_password', value: null },
    }),
    'prod_read_only',
  );
  await put(org, 'verify_email', null, { prod_value: own });
  assert.deepEqual((await mailsOf(org)).find(({ name }) => name === 'verify_email')?.prod_value, own);
});

test('texts belong to the builders of their org: developers draft them, admins set them', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const neighbour = await signUp(gateways);
  await putSetting(neighbour, 'mail', 'reset_password', own);
  assert.equal((await mailsOf(org)).find(({ name }) => name === 'reset_password')?.value, null);
  const { token } = await joinOrg(org, 'developer');
  assert.equal((await preview(org, own, 'reset_password', { token })).status, 200);
  assertProblem(
    await manage(org, 'PUT', '/org/settings', { token, body: { group: 'mail', name: 'invitation', value: own } }),
    'role_required',
  );
  const paths = [
    ['GET', '/org/mails'],
    ['POST', '/org/mails/reset_password/preview'],
    ['POST', '/org/mails/reset_password/test'],
  ] as const;
  for (const [method, path] of paths) {
    assertProblem(
      await call(method, `${org.management}${path}`, { body: method === 'GET' ? undefined : own }),
      'token_missing',
    );
    for (const wrong of [founder.token, 'nonsense', `${org.builder.token}x`])
      assertProblem(
        await manage(org, method, path, { token: wrong, ...(method === 'GET' ? {} : { body: own }) }),
        'token_invalid',
      );
  }
  for (const mail of ['none', 'Reset_password', '__proto__', 'constructor', 'x'.repeat(400)]) {
    assertProblem(await preview(org, own, mail), 'not_found');
    assertProblem(await sendTest(org, own, mail), 'not_found');
  }
  assertProblem(await manage(org, 'GET', '/org/mails?env=stage'), 'invalid_request');
});
