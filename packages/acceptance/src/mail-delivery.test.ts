/** The way mails leave the platform: by a mail server, or in development into the inbox. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { call } from './call.ts';
import { deliveries, type Delivery as EventDelivery, makeEvent } from './event-receiver.ts';
import { ask, codeIn, mailsTo, platformForMails, signUpUser } from './mails.ts';
import { assertNow } from './moments.ts';
import {
  act,
  create,
  defineEntity,
  definition,
  foundedOrg,
  logIn,
  manage,
  newEmail,
  random,
  signIn,
  signUp,
} from './org.ts';
import { runToEnd } from './platform.ts';
import { platformOf } from './platform-for-tests.ts';
import { type Delivery, startSmtpServer } from './smtp-server.ts';
import { founderOf, multiOrg } from './workspaces.ts';

const gateways = await platformForMails();
const org = await signUp(gateways);
const from = 'freehold@acme.example';

/** The head by its names, and the text. */
function read({ message }: Delivery) {
  const end = message.indexOf('\r\n\r\n');
  const lines = message
    .slice(0, end)
    .replaceAll(/\r\n[ \t]/g, ' ')
    .split('\r\n');
  const head = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.replace(/^[^:]*: /, '')]),
  );
  const quoted = head.get('content-transfer-encoding') === 'quoted-printable';
  const body = message.slice(end + 4);
  const text = quoted
    ? body
        .replaceAll('=\r\n', '')
        .replaceAll(/=([\dA-F]{2})/g, (_, byte: string) => String.fromCharCode(parseInt(byte, 16)))
    : body;
  return { head, text: `${text}\n` };
}

test('with a mail server mails are delivered to it, with the credentials that it asks for', async (t) => {
  const server = await startSmtpServer();
  t.after(() => server.close());
  const env = { FREEHOLD_SMTP_URL: `smtp://mailer:p%40ss@${server.host}`, FREEHOLD_MAIL_FROM: from };
  const platform = await platformOf(t, { env });
  const org = await signUp(platform);
  const user = await signIn(org);
  await server.delivered(1);
  await ask(org, '/password/forgot', { email: user.email });
  await server.delivered(2);
  for (const delivery of server.deliveries) assert.deepEqual([delivery.from, delivery.to], [from, [user.email]]);
  const [welcome, reset] = server.deliveries.map(read);
  assert.deepEqual([welcome?.head.get('from'), welcome?.head.get('to')], [from, user.email]);
  assert.match(welcome?.head.get('content-type') ?? '', /^text\/plain; charset=utf-8/i);
  const verification = codeIn(welcome?.text ?? '', 'verify-email');
  assert.equal((await ask(org, '/verify-email', { code: verification })).status, 204);
  const code = codeIn(reset?.text ?? '', 'reset-password');
  const new_password = 'a fresh battery staple';
  assert.equal((await ask(org, '/password/reset', { code, new_password })).status, 204);
  assert.equal((await logIn(org, user.email, new_password)).status, 200);
  const login = Buffer.from('\0mailer\0p@ss').toString('base64');
  assert.ok(server.logged.includes(`AUTH PLAIN ${login}`), server.logged.join('\n'));
  assertProblem(await call('GET', `${platform.management}/inbox`), 'not_found');
});

test('with a mail server the password of an account that a builder makes is mailed and not shown', async (t) => {
  const server = await startSmtpServer();
  t.after(() => server.close());
  const env = { FREEHOLD_SMTP_URL: `smtp://${server.host}`, FREEHOLD_MAIL_FROM: from };
  const org = await signUp(await platformOf(t, { env }));
  const email = newEmail('made');
  const { status, body } = await manage(org, 'POST', '/org/app-users', {
    body: { env: 'test', tenant_code: 'main', email },
  });
  assert.deepEqual([status, body.password], [201, null]);
  await server.delivered(1);
  const [mail = assert.fail()] = server.deliveries;
  assert.deepEqual(mail.to, [email]);
  const password = read(mail).text.match(/^[\w-]{20,}$/m)?.[0] ?? assert.fail(read(mail).text);
  assert.equal((await logIn(org, email, password)).status, 200);
});

test('no user-chosen name begins a header, a line or a link of a mail', async (t) => {
  const server = await startSmtpServer();
  t.after(() => server.close());
  const env = { FREEHOLD_SMTP_URL: `smtp://${server.host}`, FREEHOLD_MAIL_FROM: from };
  const platform = await platformOf(t, { env });
  const founder = await founderOf(await multiOrg(platform), 'Team Übung');
  const name = 'Team\u2028Bcc: eve@evil.example\u2029https://evil.example/login';
  assert.equal((await act(founder, 'PUT', '/user/workspace', { body: { name } })).status, 200);
  const email = newEmail('guest');
  const invited = await act(founder, 'POST', '/user/invitations', { body: { email } });
  assert.equal(invited.status, 201, invited.text);
  await server.delivered(2);
  const delivery = server.deliveries.find(({ to }) => to.includes(email));
  assert.ok(delivery !== undefined);
  const { head, text } = read(delivery);
  assert.equal(head.get('subject'), 'You are invited to Team Bcc: eve evil example https evil example login');
  assert.equal(head.get('bcc'), undefined);
  assert.doesNotMatch(text, /evil\.example/);
  assert.equal(codeIn(text, 'invitation'), invited.body.code);
});

test('the mail of an event is handed to the server whole under the id of its delivery, and a mail that the server refuses is given up', async (t) => {
  const [server, refusing] = [
    await startSmtpServer(),
    await startSmtpServer({ toRecipients: () => '550 no such user' }),
  ];
  for (const one of [server, refusing]) t.after(() => one.close());
  const mailedBy = async (host: string): Promise<EventDelivery | undefined> => {
    const env = { FREEHOLD_SMTP_URL: `smtp://${host}`, FREEHOLD_MAIL_FROM: from };
    const { org, founder } = await foundedOrg(await platformOf(t, { env }));
    await defineEntity(org, definition('order', [{ name: 'title' }]));
    const destination_config = {
      to: 'shop@example.com',
      subject: 'About {{record.title}}',
      text: 'Grüße\n.\n{{record.title}}',
    };
    await makeEvent(org, 'tell', '', { event_type: 'mail', destination_config });
    await create(founder, 'order', { title: 'a desk' });
    const [delivery] = await deliveries(org, '', ([first]) => first !== undefined && first.state !== 'retrying');
    return delivery;
  };
  const sent = await mailedBy(server.host);
  assert.equal(sent?.state, 'delivered');
  const delivery =
    server.deliveries.find(({ to }) => to.includes('shop@example.com')) ?? assert.fail('it did not come');
  const { head, text } = read(delivery);
  assert.deepEqual([delivery.from, head.get('from'), head.get('to')], [from, from, 'shop@example.com']);
  assert.deepEqual([head.get('subject'), head.get('message-id')], ['About a desk', `<${sent.id}@acme.example>`]);
  assert.match(text, /\n\.\.?\r?\na desk/);
  const refused = await mailedBy(refusing.host);
  assert.deepEqual([refused?.state, refused?.attempts.length], ['dead', 1]);
  assert.match(refused?.attempts[0]?.answer ?? '', /550/);
});

test('J04: what a server says of a mail that it refuses stands in no log, nor does the mail', async (t) => {
  const server = await startSmtpServer({ toRecipients: () => '550 no mailbox here' });
  t.after(() => server.close());
  const secret = random();
  const env = {
    FREEHOLD_SMTP_URL: `smtp://mailer:${secret}@${server.host}`,
    FREEHOLD_MAIL_FROM: from,
    FREEHOLD_LOG_LEVEL: 'trace',
  };
  const platform = await platformOf(t, { env });
  const org = await signUp(platform);
  const user = await signIn(org);
  assert.equal((await ask(org, '/password/forgot', { email: user.email })).status, 202);
  assert.equal((await platform.terminate()).code, 0);
  const log = platform.stderr();
  assert.match(log, /a mail could not be delivered: EENVELOPE 550/);
  assert.ok(server.logged.some((line) => line.includes(user.email)));
  for (const text of [user.email, from, secret, 'Set a new', 'Confirm', '#', 'no mailbox'])
    assert.ok(!log.includes(text), text);
});

test('a mail server is named whole, and no mistake repeats its password', async () => {
  const refused: readonly (readonly [string, string])[] = [
    ['http://mail.example', from],
    ['smtp://user:top-secret@', from],
    ['smtp://user:top-secret@mail.example/path', from],
    ['smtps://user:top-secret@mail.example?tls=no', from],
    ['smtps://:top-secret@mail.example', from],
    ['smtps://user:top-secret%@mail.example', from],
    ['smtps://user:top-secret@mail.example', ''],
    ['smtps://user:top-secret@mail.example', 'Freehold <freehold@acme.example>'],
    ['', from],
  ];
  const runs = refused.map(([url, address]) =>
    runToEnd([], { env: { FREEHOLD_SMTP_URL: url, FREEHOLD_MAIL_FROM: address } }),
  );
  for (const { code, stderr } of await Promise.all(runs)) {
    assert.equal(code, 2, stderr);
    assert.match(stderr, /FREEHOLD_(SMTP_URL|MAIL_FROM)/);
    assert.doesNotMatch(stderr, /top-secret/);
  }
  const production = { FREEHOLD_MODE: 'production', FREEHOLD_SMTP_URL: 'smtp://[::1]:25', FREEHOLD_MAIL_FROM: from };
  const run = await runToEnd([], { env: production });
  assert.deepEqual([run.code, /FREEHOLD_MANAGEMENT_URL/.test(run.stderr)], [2, true]);
  assert.match((await runToEnd(['--help'])).stdout, /FREEHOLD_SMTP_URL[\s\S]*FREEHOLD_MAIL_FROM/);
});

test('in development mails land in the inbox, for programs', async () => {
  const user = await signUpUser(org);
  const [mail, ...others] = await mailsTo(gateways, user.email.toUpperCase());
  assert.deepEqual(others, []);
  assert.deepEqual(Object.keys(mail ?? {}).sort(), ['id', 'sent_at', 'subject', 'text', 'to']);
  assertNow(mail?.sent_at);
  const all = await call<{ items: readonly { to: string }[] }>('GET', `${gateways.management}/inbox`);
  assert.equal(all.body.items[0]?.to, user.email);
  assert.deepEqual(await mailsTo(gateways, newEmail('absent')), []);
  assertProblem(await call('GET', `${gateways.management}/inbox?from=x`), 'invalid_request');
  assertProblem(await call('POST', `${gateways.management}/inbox`), 'method_not_allowed');
  assertProblem(await call('GET', `${gateways.app}/inbox`), 'not_found');
});

test('the inbox is a page too, which runs no script and loads nothing, whatever a mail holds', async () => {
  const { text: before } = await call('GET', `${gateways.management}/inbox`, { headers: { accept: 'text/html' } });
  assert.match(before, /<h1>Inbox<\/h1>/);
  const body = {
    email: newEmail('b'),
    password: 'correct horse 1',
    name: 'B',
    org_name: '<img src=x onerror=alert(1)>"\'&',
  };
  const made = await call<{ token: string }>('POST', `${gateways.management}/auth/signup`, { body });
  const email = `o'connor+"`.replace('"', random());
  const invited = { email: `${email}@example.com`, role: 'developer' };
  const url = `${gateways.management}/org/users`;
  assert.equal((await call('POST', url, { token: made.body.token, body: invited })).status, 201);
  const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  const page = await call('GET', `${gateways.management}/inbox`, { headers });
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
  const policy = page.headers.get('content-security-policy') ?? '';
  assert.match(policy, /default-src 'none'; style-src 'unsafe-inline'/);
  assert.doesNotMatch(page.text, /<img|<script|o'connor/);
  assert.match(page.text, /&lt;img src=x onerror=alert\(1\)&gt;/);
  assert.match(page.text, /<a href="http:\/\/localhost:\d+\/accept-invitation#code=oi_[\w-]{43}" rel="noreferrer">/);
});
