import assert from 'node:assert/strict';
import { test } from 'node:test';
import { descriptorsNeeded, tooFewDescriptors, warnOfDescriptors } from './process-metrics.ts';

test('refused connections are said at once, and then at most every ten seconds, with their number', () => {
  let now = 1000;
  const logged: object[] = [];
  const { refused } = warnOfDescriptors({ warn: (facts) => logged.push(facts) }, { now: () => now });
  refused('too_many_connections');
  assert.equal(logged.length, 0);
  for (let count = 0; count < 50; count += 1) refused('no_descriptors');
  assert.equal(logged.length, 1);
  now += 10_000;
  refused('no_descriptors');
  assert.deepEqual(
    logged.map((facts) => 'refused' in facts && facts.refused),
    [1, 50],
  );
});

test('a limit is enough, or the connections that it is enough for are named', () => {
  assert.equal(tooFewDescriptors(undefined), undefined);
  assert.equal(tooFewDescriptors(descriptorsNeeded), undefined);
  assert.match(tooFewDescriptors(4096) ?? '', /may have 4096 file descriptors, .* some 3840 connections/);
});
