import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { emailKey } from '../../lib/formats/email-key.ts';
import { createLoginThrottle, type LoginThrottle, type SignInAttempt } from './realm.ts';

const minute = 60_000;
let now = 0;
let loginThrottle: LoginThrottle;

beforeEach(() => {
  now = 1_000 * minute;
  loginThrottle = createLoginThrottle({ clock: { now: () => now } });
});

function attempt(email: string, ip = '192.0.2.1'): SignInAttempt {
  return { emailKey: emailKey(email), ip };
}

/** A guess as the sign-in makes it; tells whether the guesser learnt that it was wrong. */
function guess(who: SignInAttempt): boolean {
  try {
    loginThrottle.check(who);
    loginThrottle.recordFailure(who);
    return true;
  } catch (error) {
    assert.equal((error as { code?: unknown }).code, 'rate_limited');
    return false;
  }
}

function guesses(count: number, who: (index: number) => SignInAttempt): number {
  return Array.from({ length: count }, (_, index) => guess(who(index))).filter(Boolean).length;
}

test('admits 10 failures of one address from one place, and says how long the next must wait', () => {
  assert.equal(
    guesses(10, () => attempt('ann@x')),
    10,
  );
  now += 5 * minute;
  assert.throws(() => loginThrottle.check(attempt('ann@x')), {
    code: 'rate_limited',
    status: 429,
    message: 'too many failed sign-ins, try again in 600 seconds',
    details: { retry_after_seconds: 600 },
  });
  assert.doesNotThrow(() => loginThrottle.check(attempt('bob@x')));
});

test('H08 the person stays able to sign in from elsewhere while a place is locked out', () => {
  guesses(10, () => attempt('ann@x', '203.0.113.9'));
  assert.doesNotThrow(() => loginThrottle.check(attempt('ann@x')));
});

test('admits 100 failures from one place, whatever addresses they name', () => {
  assert.equal(
    guesses(150, (index) => attempt(`user-${index}@x`)),
    100,
  );
  assert.throws(() => loginThrottle.check(attempt('ann@x')), { code: 'rate_limited' });
  assert.doesNotThrow(() => loginThrottle.check(attempt('ann@x', '192.0.2.2')));
});

test('never admits more than 10 in any 15 minutes, also across the edge of a window', () => {
  guess(attempt('ann@x'));
  now += 14 * minute;
  assert.equal(
    guesses(20, () => attempt('ann@x')),
    9,
  );
  now += minute;
  assert.equal(
    guesses(20, () => attempt('ann@x')),
    1,
  );
  now += 14 * minute;
  assert.equal(
    guesses(20, () => attempt('ann@x')),
    9,
  );
});

test('a refused guess does not prolong the wait', () => {
  guesses(10, () => attempt('ann@x'));
  for (let step = 0; step < 14; step++) {
    now += minute;
    assert.equal(guess(attempt('ann@x')), false);
  }
  now += minute;
  assert.equal(guess(attempt('ann@x')), true);
});

test('successes never count, and many may run side by side', () => {
  const many = Array.from({ length: 500 }, () => attempt('ann@x'));
  for (const who of many) loginThrottle.check(who);
  for (const who of many) loginThrottle.recordSuccess(who);
  assert.equal(
    guesses(20, () => attempt('ann@x')),
    10,
  );
});

test('a success clears its own address in its own place, and nothing of the place', () => {
  guesses(9, () => attempt('ann@x'));
  loginThrottle.recordSuccess(attempt('ann@x'));
  assert.equal(
    guesses(20, () => attempt('ann@x')),
    10,
  );
  for (let spent = 19; spent < 100; spent++) {
    loginThrottle.recordSuccess(attempt('own@x'));
    assert.equal(guess(attempt(`user-${spent}@x`)), true);
  }
  assert.equal(guess(attempt('bob@x')), false);
});

test('of guesses sent side by side no more than 10 learn whether they were right', () => {
  const many = Array.from({ length: 1000 }, () => attempt('ann@x'));
  for (const who of many) loginThrottle.check(who);
  const learnt = many.slice(1).filter((who) => {
    try {
      loginThrottle.recordFailure(who);
      return true;
    } catch {
      return false;
    }
  });
  assert.equal(learnt.length, 10);
  assert.throws(() => loginThrottle.recordSuccess(attempt('ann@x')), { code: 'rate_limited' });
});

test('H04 the spelling of an address does not make a new bucket', () => {
  const spellings = ['ann@example.com', 'ANN@example.com', 'Ann@Example.Com', 'aNN@EXAMPLE.com'];
  assert.equal(
    guesses(20, (index) => attempt(spellings[index % spellings.length] ?? '')),
    10,
  );
});

test('H05 a change within one /64, or of the spelling of an IPv6 address, does not make a new bucket', () => {
  const spellings = [
    '2001:db8:1:2:3:4:5:6',
    '2001:0DB8:0001:0002:ffff:ffff:ffff:ffff',
    '2001:db8:1:2::',
    '2001:db8:1:2::192.0.2.1',
    '2001:db8:1:2::7%eth0',
  ];
  assert.equal(
    guesses(20, (index) => attempt('ann@x', spellings[index % spellings.length])),
    10,
  );
  assert.equal(guess(attempt('ann@x', '2001:db8:1:3::1')), true);
});

test('H05 an IPv4 address is one place in all its spellings, and another IPv4 address another', () => {
  const spellings = [
    '192.0.2.1',
    '::ffff:192.0.2.1',
    '::FFFF:C000:0201',
    '0:0:0:0:0:ffff:c000:201',
    '::ffff:192.0.2.1%1',
  ];
  assert.equal(
    guesses(20, (index) => attempt('ann@x', spellings[index % spellings.length])),
    10,
  );
  assert.equal(guess(attempt('ann@x', '::ffff:192.0.2.2')), true);
  assert.equal(guess(attempt('ann@x', '::1')), true);
});

test('what is no address shares one bucket instead of escaping', () => {
  const spellings = ['', 'garbage', '999.1.1.1', '192.0.2.1:4000', '[::1]', '192.0.2.1, 10.0.0.1'];
  assert.equal(
    guesses(20, (index) => attempt('ann@x', spellings[index % spellings.length])),
    10,
  );
});

test('a clock that is set back neither forgives nor locks out for long', () => {
  guesses(10, () => attempt('ann@x'));
  now -= 10;
  assert.equal(guess(attempt('ann@x')), false);
  now -= 60 * minute;
  assert.equal(guess(attempt('ann@x')), true);
});

test('keeps a bounded number of buckets, and forgets first the one not used for the longest time', () => {
  loginThrottle = createLoginThrottle({ clock: { now: () => now }, bucketsMax: 2 });
  guesses(10, () => attempt('ann@x', '192.0.2.1'));
  guesses(10, () => attempt('bob@x', '192.0.2.2'));
  assert.equal(guess(attempt('ann@x', '192.0.2.1')), false);
  guess(attempt('cid@x', '192.0.2.3'));
  assert.equal(guess(attempt('ann@x', '192.0.2.1')), false);
  assert.equal(guess(attempt('bob@x', '192.0.2.2')), true);
});
