import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMailBrake, type MailRequest } from './mail-brake.ts';

const quarterHour = 15 * 60 * 1000;

function brakeAt(start: number) {
  let now = start;
  return { brake: createMailBrake({ clock: { now: () => now } }), advance: (by: number) => (now += by) };
}

function request(changes: Partial<MailRequest> = {}): MailRequest {
  return { purpose: 'reset-password', emailKey: 'ann@example.com', ip: '192.0.2.1', ...changes };
}

test('three mails go to an address in 15 minutes, wherever they are asked for, and then one more', () => {
  const { brake, advance } = brakeAt(0);
  for (let host = 1; host <= 3; host++) {
    brake.take(request({ ip: `192.0.2.${host}` }));
    advance(1000);
  }
  const refused = { code: 'rate_limited', details: { retry_after_seconds: 897 } };
  assert.throws(() => brake.take(request({ ip: '198.51.100.1' })), refused);
  brake.take(request({ emailKey: 'bob@example.com' }));
  brake.take(request({ purpose: 'verify-email' }));
  advance(quarterHour - 3000);
  brake.take(request());
  assert.equal(brake.tryTake(request()), false);
});

test('H05: twenty mails are asked for from a network in 15 minutes, and what is refused does not count', () => {
  const { brake, advance } = brakeAt(0);
  const from = (host: number) => request({ emailKey: `${host}@example.com`, ip: `2001:db8::${host.toString(16)}` });
  for (let host = 1; host <= 20; host++) brake.take(from(host));
  for (let host = 21; host < 100; host++) assert.equal(brake.tryTake(from(host)), false);
  assert.ok(brake.tryTake(request({ emailKey: '21@example.com', ip: '2001:db8:0:1::1' })));
  advance(quarterHour);
  for (let host = 1; host <= 20; host++) assert.ok(brake.tryTake(from(host)));
});

test('who asks as somebody known is held to the address alone', () => {
  const { brake } = brakeAt(0);
  const { ip: _, ...known } = request({ purpose: 'invitation' });
  for (let guest = 0; guest < 100; guest++) assert.ok(brake.tryTake({ ...known, emailKey: `${guest}@example.com` }));
  for (let sent = 1; sent < 3; sent++) assert.ok(brake.tryTake({ ...known, emailKey: '7@example.com' }));
  assert.ok(!brake.tryTake({ ...known, emailKey: '7@example.com' }));
});
