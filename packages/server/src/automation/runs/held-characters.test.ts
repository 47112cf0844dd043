import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBench, RecordBench } from '../../testing/record-bench.ts';
import type { StepRun } from '../blocks/block-run.ts';
import { createHeldCharacters } from './run-bounds.ts';
import { openRunBench } from './testing/run-bench.ts';

const full = { code: 'rate_limited' };

test('the runs of an org hold so much, and small ones go on all the same', () => {
  const hold = createHeldCharacters({ ofRun: 10, ofOrg: 100, ofNode: 150 });
  const [one, two, small, other] = [hold('acme'), hold('acme'), hold('acme'), hold('other')];
  one.add(90);
  assert.throws(() => two.add(20), full);
  small.add(10);
  assert.throws(() => small.add(1), full);
  other.add(50);
  assert.throws(() => other.add(11), { code: 'unavailable' });
  one.release();
  one.add(90);
  one.release();
  two.add(90);
  assert.throws(() => two.add(1), full);
  for (const held of [two, small, other]) held.release();
  const later = hold('acme');
  later.add(100);
  assert.throws(() => hold('acme').add(11), full);
});

test('what a run holds is free again once it is over, also where it failed', async (context) => {
  const org = await openBench(context, 'memory');
  const hold =
    (characters: number): StepRun =>
    async (run) => {
      run.effects.hold?.(characters);
      return { value: null };
    };
  const records = new RecordBench(org.opened, org.clock, 'w1');
  const most = 32 * 1024 * 1024;
  const bench = await openRunBench(records, {
    blocks: { much: { one: hold(most) }, more: { one: hold(most), two: hold(1) } },
  });
  const codes: unknown[] = [];
  for (const name of ['much', 'more', 'much']) codes.push((await bench.call(bench.deps(), name)).refusal?.code);
  assert.deepEqual(codes, [undefined, 'rate_limited', undefined]);
});
