/** Tests the answers of the gate, and their grounds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../../store/testing/open-store.ts';
import { auditContext, openNode, SteppedClock } from '../testing/metered-org.ts';

async function openGate() {
  const clock = new SteppedClock('2026-01-31T12:00:00Z');
  const { store } = await openStore({ kind: 'memory', clock });
  return openNode(store, clock, 'one');
}

const ticksMost = 60;

for (const what of ['check', 'quota'] as const)
  test(`a plan may change at any moment of a ${what}, which is answered all the same`, async () => {
    const { gate, plans } = await openGate();
    await plans.set('acme', { name: 'own', limits: { records: 10 } }, auditContext);
    for (let ticks = 0; ticks < ticksMost; ticks++) {
      gate.forget('acme');
      const pending = Promise.resolve(gate[what]('acme'));
      const answered = assert.doesNotReject(pending, `after ${ticks} ticks`);
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
      gate.forget('acme');
      await answered;
    }
  });

test('a write that is larger than the rest gets the usage, and a write without any rest that the limit is reached', async () => {
  const { write, plans } = await openGate();
  await plans.set('acme', { name: 'own', limits: { records: 10 } }, auditContext);
  await write(8);
  await assert.rejects(write(5), {
    code: 'plan_limit_exceeded',
    message: 'the plan has room for 10 records: there are 8, and this would make them 13',
  });
  await write(2);
  await assert.rejects(write(1), { message: 'the plan’s limit of 10 records is reached' });
});
