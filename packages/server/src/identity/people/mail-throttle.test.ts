import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMailThrottle, type MailRequest } from './mail-throttle.ts';

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
