import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdTimeouts } from '../testing/held-time.ts';
import type { Mail } from './mailer.ts';
import { createMailOut } from './open-mail.ts';

const mail: Mail = { to: 'ann@example.com', subject: 'Hello', text: 'canary\n' };
const about = { org: 'acme', id: '019ab.0003/1' };

const refusedWith = (fields: object) => async () => {
  throw Object.assign(new Error('550 <ann@example.com> canary'), fields);
};

test('a mail goes out under an id of its own, the same each time', async () => {
  const sent: unknown[] = [];
  const out = createMailOut({ domain: 'shop.example', deliver: async (one, id) => void sent.push([one.subject, id]) });
  const answers = [await out.deliver({ ...mail, subject: 'Hello\r\nBcc: eve@example.com' }, about)];
  answers.push(await out.deliver(mail, about));
  assert.deepEqual(answers, ['sent', 'sent']);
  const id = '019ab_0003_1@shop.example';
  assert.deepEqual(sent, [
    ['Hello Bcc: eve@example.com', id],
    ['Hello', id],
  ]);
});

test('a recipient or a text that is refused is so each time, and what the operator can mend is not', async () => {
  const answerTo = (fields: object) =>
    createMailOut({ domain: 'shop.example', deliver: refusedWith(fields) }).deliver(mail, about);
  const refusals = [
    { code: 'EENVELOPE', responseCode: 550, command: 'RCPT TO' },
    { code: 'EENVELOPE', responseCode: 450, command: 'RCPT TO' },
    { code: 'EMESSAGE', responseCode: 554, command: 'DATA' },
    { code: 'EAUTH', responseCode: 535, command: 'AUTH PLAIN' },
    { code: 'EENVELOPE', responseCode: 550, command: 'MAIL FROM' },
    { code: 'ECONNREFUSED' },
  ];
  const answers = await Promise.all(refusals.map(answerTo));
  assert.deepEqual(
    answers.map((answer) => answer !== 'sent' && answer.permanent),
    [true, false, true, false, false, false],
  );
  assert.deepEqual(answers[0], { permanent: true, code: 'EENVELOPE 550' });
  assert.ok(!JSON.stringify(answers).includes('canary') && !JSON.stringify(answers).includes('@'));
});

test('what is no address, or are several, is not sent', async () => {
  const out = createMailOut({ domain: 'shop.example', deliver: () => assert.fail('it was sent') });
  for (const to of ['', 'ann', 'ann@example.com, eve@example.com', 'ann@example.com\r\nBcc: eve@example.com'])
    assert.deepEqual(await out.deliver({ ...mail, to }, about), { permanent: true, code: 'no_address' });
});

test('a server that never answers has two mails of an org, and one that waited too long is not sent later', async (t) => {
  const pass = holdTimeouts(t);
  const started: Mail[] = [];
  const held: (() => void)[] = [];
  const deliver = async (one: Mail): Promise<void> => {
    started.push(one);
    await new Promise<void>((resolve) => held.push(resolve));
  };
  const out = createMailOut({ domain: 'shop.example', deliver, timeoutMilliseconds: 20 });
  const answering = Promise.all(Array.from({ length: 110 }, () => out.deliver(mail, about)));
  pass(20);
  const answers = await answering;
  const codes = answers.map((answer) => (answer === 'sent' ? answer : answer.code));
  assert.deepEqual([...new Set(codes)], ['timeout', 'rate_limited']);
  assert.equal(codes.filter((code) => code === 'rate_limited').length, 8);
  for (const release of held.splice(0)) release();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(started.length, 2);
});

test('of many orgs each has its turn', async () => {
  const started: string[] = [];
  const held: (() => void)[] = [];
  const deliver = async ({ to }: Mail): Promise<void> => {
    started.push(to);
    await new Promise<void>((resolve) => held.push(resolve));
  };
  const out = createMailOut({ domain: 'shop.example', deliver });
  const sent = ['a', 'a', 'a', 'a', 'b'].map((org) =>
    out.deliver({ ...mail, to: `${org}@example.com` }, { org, id: 'x' }),
  );
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(started, ['a@example.com', 'a@example.com', 'b@example.com']);
  while (held.length > 0) {
    for (const release of held.splice(0)) release();
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(await Promise.all(sent), Array(5).fill('sent'));
});
