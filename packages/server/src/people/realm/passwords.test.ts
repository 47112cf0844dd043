import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFastHasher, fastPasswordCost } from '../testing/fast-passwords.ts';
import { checkPassword, createPasswordHasher } from './passwords.ts';

const here = { ip: '192.0.2.1' };
const hasher = createPasswordHasher();
const fast = createFastHasher();

/** Made by the reference implementation of Argon2 (its own test suite), with another cost, salt size and tool. */
const foreignHash = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';

test('takes the right password and no other', async () => {
  const stored = await fast.hash('correct horse', here);
  assert.equal(await fast.verify('correct horse', stored, here), true);
  for (const wrong of ['Correct horse', 'correct horse ', '', stored])
    assert.equal(await fast.verify(wrong, stored, here), false);
});

test('stores Argon2id at 19 MiB and two passes in the PHC format, with a new salt each time', async () => {
  const [first, second] = await Promise.all([hasher.hash('same', here), hasher.hash('same', here)]);
  assert.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.notEqual(first, second);
});

test('reads what the reference implementation wrote', async () => {
  assert.equal(await hasher.verify('password', foreignHash, here), true);
  assert.equal(await hasher.verify('passwore', foreignHash, here), false);
});

test('A29 takes a password in whichever form of Unicode the keyboard sends it, but merges no two characters', async () => {
  const stored = await fast.hash('caf\u00e9 \u00b2', here);
  assert.equal(await fast.verify('cafe\u0301 \u00b2', stored, here), true);
  assert.equal(await fast.verify('caf\u00e9 2', stored, here), false);
});

test('H01 verifying against nothing does the whole work of a hash, and is always false', async () => {
  const narrow = createPasswordHasher({ parallelMax: 1, waitingMax: 0 });
  const working = narrow.verifyAgainstNothing('whatever', here);
  await assert.rejects(narrow.hash('other', here), { code: 'unavailable' });
  assert.equal(await working, false);
});

test('hashing leaves the thread that answers requests free', async () => {
  let turns = 0;
  let isDone = false;
  const turning = new Promise<void>((resolve) => {
    const turn = (): void => {
      turns += 1;
      if (isDone) resolve();
      else setImmediate(turn);
    };
    setImmediate(turn);
  });
  const stored = await hasher.hash('a', here);
  await hasher.verify('a', stored, here);
  await hasher.verifyAgainstNothing('a', here);
  isDone = true;
  await turning;
  // Work on this thread would leave the loop a turn or two for each of the three hashes.
  assert.ok(turns > 30, `the event loop turned ${turns} times`);
});

test('refuses at once what exceeds the queue, and takes new work as soon as there is room', async () => {
  const narrow = createPasswordHasher({ parallelMax: 1, waitingMax: 2 }, fastPasswordCost);
  const settled = await Promise.allSettled([1, 2, 3, 4, 5].map((number) => narrow.hash(`${number}`, here)));
  assert.deepEqual(
    settled.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'],
  );
  const [refusal] = settled.filter((result) => result.status === 'rejected');
  assert.equal(refusal?.reason.code, 'unavailable');
  assert.deepEqual(refusal?.reason.details, { retry_after_seconds: 1 });
  assert.match(await narrow.hash('6', here), /^\$argon2id\$/);
});

test('serves those who wait in the order of their coming, one after the other', async () => {
  const narrow = createPasswordHasher({ parallelMax: 1, waitingMax: 3 }, fastPasswordCost);
  const order: number[] = [];
  await Promise.all([1, 2, 3, 4].map((number) => narrow.hash('x', here).then(() => order.push(number))));
  assert.deepEqual(order, [1, 2, 3, 4]);
});

test('a stored hash that is damaged or too dear is a fault, reveals nothing, and frees its slot', async () => {
  const narrow = createPasswordHasher({ parallelMax: 1, waitingMax: 0 });
  const damaged = [
    '',
    'plain',
    foreignHash.slice(0, -30),
    `${foreignHash}\n`,
    foreignHash.replace('argon2id', 'argon2i'),
    foreignHash.replace('v=19', 'v=16'),
    foreignHash.replace('m=65536', 'm=4194304'),
    foreignHash.replace('t=2', 't=1000'),
    foreignHash.replace('p=1', 'p=64'),
    foreignHash.replace('t=2', 't=0'),
  ];
  for (const stored of damaged) {
    await assert.rejects(narrow.verify('password', stored, here), (error: Error) => {
      assert.notEqual(error.name, 'Problem');
      assert.ok(!error.message.includes('CTFhFdXP'));
      return true;
    });
  }
  assert.equal(await narrow.verify('password', foreignHash, here), true);
});

test('counts a password in characters, not in units of UTF-16 and not in combining marks', () => {
  assert.equal(checkPassword('1234567890', 10), undefined);
  assert.equal(checkPassword('123456789', 10)?.code, 'too_short');
  assert.equal(checkPassword('\u{1f600}'.repeat(10), 10), undefined);
  assert.equal(checkPassword('\u{1f600}'.repeat(9), 10)?.code, 'too_short');
  assert.equal(checkPassword('e\u0301'.repeat(9), 10)?.code, 'too_short');
  assert.equal(checkPassword('', 1)?.code, 'too_short');
});

test('takes a password of 256 bytes and refuses one more, in the form that is hashed', () => {
  assert.equal(checkPassword('x'.repeat(256), 10), undefined);
  assert.equal(checkPassword('x'.repeat(257), 10)?.code, 'too_long');
  assert.equal(checkPassword('\u1112\u1161\u11ab'.repeat(85), 10), undefined);
  assert.equal(checkPassword('\u1112\u1161\u11ab'.repeat(86), 10)?.code, 'too_long');
  assert.equal(checkPassword('x'.repeat(1_000_000), 10)?.code, 'too_long');
});

test('A31 a password that is no text is a mistake of the input', () => {
  for (const input of [undefined, null, 12, true, ['secret-secret'], { $ne: null }])
    assert.deepEqual(checkPassword(input, 1), {
      pointer: '/password',
      code: 'wrong_type',
      message: 'field `password` must be a string',
    });
});

test('refuses U+0000 and half a surrogate pair, which other texts could collide with', () => {
  for (const input of ['nul\0nul-nul', 'half\ud800-a-pair'])
    assert.equal(checkPassword(input, 1)?.code, 'invalid_text');
});
