/** The limit of records, while many write at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openForTest, roundsOn, storeKinds } from '../../store/testing/open-test-store.ts';
import { auditContext, openNode, recordsStored, SteppedClock } from '../testing/metered-org.ts';

const writers = 64;

for (const kind of storeKinds) {
  test(`D11: of 64 writers exactly as many get in as there is room for, while some remove and time goes on (${kind})`, async (t) => {
    for (let round = 0; round < roundsOn(kind, 20); round++) {
      const clock = new SteppedClock('2026-01-31T12:00:00Z');
      const { store } = await openForTest(t, kind, clock);
      const node = openNode(store, clock, 'one');
      await node.plans.set('acme', { name: 'own', limits: { records: 20 } }, auditContext);
      for (let made = 0; made < 10; made++) await node.write(1);
      const outcomes = await Promise.allSettled(
        Array.from({ length: writers }, async (_, index) => {
          // The known state is too old now and then, so that it is read again in the midst of the writes.
          if (index % 7 === 0) clock.advance(1100);
          await node.write(1);
        }),
      );
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 10);
      assert.equal(await recordsStored(store), 20);
      await node.write(-3, true);
      const again = await Promise.allSettled(Array.from({ length: writers }, () => node.write(1)));
      assert.equal(again.filter(({ status }) => status === 'fulfilled').length, 3);
      assert.equal(await recordsStored(store), 20);
    }
  });

  test(`two nodes go past the limit by no more than one writes before it looks again (${kind})`, async (t) => {
    const clock = new SteppedClock('2026-01-31T12:00:00Z');
    const { store } = await openForTest(t, kind, clock);
    const [one, two] = [openNode(store, clock, 'one'), openNode(store, clock, 'two')];
    await one.plans.set('acme', { name: 'own', limits: { records: 10 } }, auditContext);
    await Promise.all([one.write(4), two.write(4)]);
    clock.advance(1100);
    await one.write(1);
    await assert.rejects(two.write(2), { code: 'plan_limit_exceeded' });
    await two.write(1);
    clock.advance(1100);
    for (const node of [one, two]) await assert.rejects(node.write(1), { code: 'plan_limit_exceeded' });
    assert.equal(await recordsStored(store), 10);
  });
}
