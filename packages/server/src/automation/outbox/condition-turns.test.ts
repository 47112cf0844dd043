import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passSlices } from '../../testing/held-time.ts';
import { delivered, openOutboxBench } from './testing/outbox-bench.ts';

test('others are served between the conditions of one write, where these take long', async (t) => {
  passSlices(t);
  const stage = await openOutboxBench(t);
  await stage.bench.node().admin.define('acme', {
    entityName: 'measured',
    UpdateParams: [{ name: 'marks', colType: 'array', items: { colType: 'number' } }],
  });
  const events = 10;
  for (let index = 0; index < events; index++)
    await stage.define({
      ...{ event_name: `high${index}`, entity_name: 'measured' },
      when: `record.marks.exists(mark, mark > ${1000 + index}.0)`,
    });
  const node = stage.node(async () => delivered);
  const call = await node.call('measured');
  const roundsOf = async (marks: readonly number[]): Promise<number> => {
    let rounds = 0;
    let isOver = false;
    const count = (): void => {
      rounds += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await node.runtime.create(call, { marks });
    isOver = true;
    return rounds;
  };
  const marks = Array.from({ length: 2400 }, (_, index) => index % 9);
  assert.ok((await roundsOf(marks)) >= events - 1);
  assert.deepEqual(await stage.left(), []);
});
