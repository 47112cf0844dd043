import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDiagnoses, type Diagnose } from './diagnoses.ts';

const good = '{"kind":"good","says":"the settings can be read"}\n';

function diagnosesOf(results: readonly Awaited<ReturnType<Diagnose>>[]) {
  let now = 1_000_000;
  let looks = 0;
  const diagnoses = createDiagnoses(
    { now: () => now },
    async () => results[looks++] ?? assert.fail('one look too many'),
  );
  return { read: () => diagnoses.read(), looks: () => looks, advance: (milliseconds: number) => (now += milliseconds) };
}

test('one look is under way at a time, and its result is kept for 30 s', async () => {
  const look = { lines: good, isComplete: true };
  const { read, looks, advance } = diagnosesOf([look, look, look]);
  const together = await Promise.all([read(), read(), read()]);
  assert.equal(looks(), 1);
  assert.deepEqual(together[0], {
    ...{ at: '1970-01-01T00:16:40.000Z', complete: true, faults: 0 },
    items: [{ kind: 'good', says: 'the settings can be read' }],
  });
  advance(29_999);
  assert.deepEqual(await read(), together[0]);
  advance(1);
  await read();
  assert.equal(looks(), 2);
  // Also where the clock was set back.
  advance(-60_000);
  await read();
  assert.equal(looks(), 3);
});

test('a look that was ended tells what it found by then, and that it is not complete', async () => {
  const fault = '{"kind":"fault","says":"port 1 is taken"}\n';
  const { read } = diagnosesOf([{ lines: `${good}${fault}{"kind":"no`, isComplete: false }]);
  const { complete, faults, items } = await read();
  assert.deepEqual([complete, faults, items.length], [false, 1, 2]);
});

test('a look that fails is no result: the next caller looks again', async () => {
  let looks = 0;
  const diagnoses = createDiagnoses({ now: () => 0 }, async () => {
    looks += 1;
    if (looks === 1) throw new Error('no process can be made');
    return { lines: good, isComplete: true };
  });
  await assert.rejects(diagnoses.read(), /no process/);
  assert.equal((await diagnoses.read()).complete, true);
});
