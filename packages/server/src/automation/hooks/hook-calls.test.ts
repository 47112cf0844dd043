import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHookCallLog } from './hooks.ts';

function opened() {
  let now = 1_800_000_000_000;
  return createHookCallLog({ now: () => (now += 1000) });
}

test('strangers take one place for each reason, however many there are', () => {
  const log = opened();
  for (let index = 0; index < 1000; index++) log.noteUnsigned('a', 'signature_wrong');
  log.noteUnsigned('a', 'time_off');
  const { unsigned } = log.of('a');
  assert.deepEqual(
    unsigned.map(({ reason, count }) => [reason, count]),
    [
      ['signature_wrong', 1000],
      ['time_off', 1],
    ],
  );
  const [first] = unsigned;
  assert.ok(first !== undefined && first.first_at < first.last_at);
});

test('strangers push out nothing that a known sender was refused, of which the last twenty are kept, shortened', () => {
  const log = opened();
  for (let index = 0; index < 25; index++)
    log.noteRefused('a', { id: `msg_${index}`, code: 'rate_limited', message: 'x'.repeat(10_000) });
  for (let index = 0; index < 100; index++) log.noteUnsigned('a', 'signature_wrong');
  const { refused } = log.of('a');
  assert.deepEqual([refused.length, refused[0]?.id, refused.at(-1)?.id], [20, 'msg_24', 'msg_5']);
  assert.ok(JSON.stringify(refused).length < 10_000);
});

test('the last call is the latest of all kinds, also within a millisecond; of a hook that was not called there is none', () => {
  for (const log of [opened(), createHookCallLog({ now: () => 1_800_000_000_000 })]) {
    assert.equal(log.lastOf('a'), undefined);
    log.noteUnsigned('a', 'paused');
    log.noteAccepted('a');
    assert.equal(log.lastOf('a')?.accepted, true);
    log.noteRefused('a', { id: '1', code: 'validation_failed', message: 'no' });
    assert.deepEqual([log.lastOf('a')?.accepted, log.lastOf('a')?.code], [false, 'validation_failed']);
    log.noteAccepted('a');
    assert.equal(log.lastOf('a')?.accepted, true);
    assert.equal(log.lastOf('b'), undefined);
  }
});

test('nothing is kept of what is no hook, and of at most 2,000 hooks', () => {
  const log = opened();
  log.noteUnsigned('', 'signature_wrong');
  assert.deepEqual(log.of('').unsigned, []);
  for (let index = 0; index <= 2000; index++) log.noteAccepted(`hook ${index}`);
  assert.equal(log.of('hook 0').accepted.count, 0);
  assert.equal(log.of('hook 1').accepted.count, 1);
});
