import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMailQueue, type Deliver, type Mail, type MailQueueOptions } from './mailer.ts';

const mail: Mail = { to: 'ann@example.com', subject: 'Hello', text: 'canary\n' };

/** A queue whose pauses last no time, and what came of it. */
function queueOn(deliver: Deliver, options: Partial<MailQueueOptions> = {}) {
  const faults: unknown[] = [];
  const pauses: number[] = [];
  const queue = createMailQueue({
    deliver,
    onFault: (error) => faults.push(error),
    pause: async (milliseconds) => void pauses.push(milliseconds),
    ...options,
  });
  return { queue, faults, pauses };
}

/** Delivers when it is let. */
function gate() {
  const delivered: Mail[] = [];
  const held: (() => void)[] = [];
  const deliver: Deliver = async (one) => {
    await new Promise<void>((resolve) => held.push(resolve));
    delivered.push(one);
  };
  return { delivered, held, deliver };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test('a mail is delivered after the turn in which it was sent, and a draft is written then', async () => {
  const delivered: Mail[] = [];
  const { queue } = queueOn(async (one) => void delivered.push(one));
  let hasStarted = false;
  queue.send(async () => {
    hasStarted = true;
    return mail;
  });
  queue.send(async () => undefined);
  await Promise.resolve();
  assert.equal(hasStarted, false);
  await queue.settled();
  assert.deepEqual([hasStarted, delivered], [true, [mail]]);
});

test('a delivery that fails is tried three times, with pauses that grow, and then reported without a word of the mail', async () => {
  let attempts = 0;
  const refusal = Object.assign(new Error('550 <ann@example.com> canary'), { code: 'EENVELOPE', responseCode: 550 });
  const { queue, faults, pauses } = queueOn(async () => {
    attempts += 1;
    throw refusal;
  });
  queue.send(mail);
  await queue.settled();
  assert.equal(attempts, 3);
  assert.equal(pauses.length, 2);
  assert.ok((pauses[0] ?? 0) < (pauses[1] ?? 0));
  const [fault] = faults;
  assert.ok(fault instanceof Error && faults.length === 1);
  assert.equal(fault.message, 'a mail could not be delivered: EENVELOPE 550');
  assert.equal(fault.cause, undefined);
});

test('a delivery that fails at first and then does not is no fault', async () => {
  let attempts = 0;
  const { queue, faults } = queueOn(async () => {
    attempts += 1;
    if (attempts < 3) throw new Error('not now');
  });
  queue.send(mail);
  await queue.settled();
  assert.deepEqual([attempts, faults], [3, []]);
});

test('a draft that fails is reported, and the next mail goes out', async () => {
  const delivered: Mail[] = [];
  const { queue, faults } = queueOn(async (one) => void delivered.push(one));
  queue.send(() => Promise.reject(new Error('the store is down')));
  queue.send(mail);
  await queue.settled();
  assert.deepEqual([delivered, faults.length], [[mail], 1]);
});

test('few are under way at once, a thousand wait, and what is more is dropped and reported', async () => {
  const { delivered, held, deliver } = gate();
  const { queue, faults } = queueOn(deliver);
  for (let sent = 0; sent < 1000; sent++) queue.send(mail);
  await turn();
  assert.equal(held.length, 4);
  for (let sent = 0; sent < 10; sent++) queue.send(mail);
  assert.equal(faults.length, 6);
  const settled = queue.settled();
  while (delivered.length < 1004) {
    for (const release of held.splice(0)) release();
    await turn();
  }
  await settled;
  assert.equal(delivered.length, 1004);
});

test('a close waits for what is under way, without pauses, and takes nothing more', async () => {
  let attempts = 0;
  const waits: AbortSignal[] = [];
  const { queue, faults } = queueOn(
    async () => {
      attempts += 1;
      throw new Error('not now');
    },
    {
      pause: (_, signal) => {
        waits.push(signal);
        return new Promise((resolve) => {
          if (signal.aborted) resolve();
          else signal.addEventListener('abort', () => resolve());
        });
      },
    },
  );
  queue.send(mail);
  await turn();
  await turn();
  assert.deepEqual([attempts, waits.length], [1, 1]);
  await queue.close();
  assert.deepEqual([attempts, faults.length], [3, 1]);
  queue.send(mail);
  assert.deepEqual([attempts, faults.length], [3, 2]);
});

test('a close does not wait for ever, and says how much it left', async () => {
  const { held, deliver } = gate();
  const { queue, faults } = queueOn(deliver);
  for (let sent = 0; sent < 7; sent++) queue.send(mail);
  await turn();
  await queue.close();
  assert.match(String(faults[0]), /7 mails were not delivered/);
  for (const release of held) release();
});

test('nothing that becomes a header begins another one', async () => {
  const delivered: Mail[] = [];
  const { queue, faults } = queueOn(async (one) => void delivered.push(one));
  for (const end of ['\r\n', '\n', '\r', '\u2028', '\u2029', '\u0085', '\0', '\v'])
    queue.send({ ...mail, subject: `Hello${end}Bcc: eve@example.com` });
  await queue.settled();
  assert.deepEqual(new Set(delivered.map(({ subject }) => subject)), new Set(['Hello Bcc: eve@example.com']));
  for (const to of [
    'ann@example.com\r\nBcc: eve@example.com',
    'ann@example.com, eve@example.com',
    'Ann <ann@example.com>',
    '',
  ])
    queue.send({ ...mail, to });
  await queue.settled();
  assert.deepEqual([delivered.length, faults.length], [8, 4]);
  assert.ok(faults.every((fault) => !String(fault).includes('example.com')));
});
