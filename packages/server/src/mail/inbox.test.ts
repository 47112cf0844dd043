import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../lib/clock.ts';
import { openMail } from './open-mail.ts';

const options = {
  ...{ smtp: undefined, site: { managementUrl: undefined, isSecure: false }, clock: systemClock },
  onFault: (error: unknown) => assert.ifError(error),
};

test('the inbox holds the last 200 mails, the last one first', async () => {
  const { mailer, inbox } = openMail({ ...options, isDevelopment: true });
  for (let sent = 1; sent <= 250; sent++) mailer?.send({ to: 'a@b.example', subject: String(sent), text: '' });
  const mails = (await inbox?.read()) ?? [];
  assert.deepEqual(
    mails.map(({ subject }) => Number(subject)),
    Array.from({ length: 200 }, (_, index) => 250 - index),
  );
});

test('in production there is neither an inbox nor a mailer without a server', () => {
  const { mailer, inbox } = openMail({ ...options, isDevelopment: false });
  assert.deepEqual([mailer, inbox], [undefined, undefined]);
});
