import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openStore } from '../store/open-store.ts';
import { occasion, orgScope, place, SteppedClock } from './metered-org.ts';
import { startMetering } from './metering.ts';
import { readDays } from './usage-rows.ts';

const turns = 50;

test('calls are stored each second, also while it takes longer to look at what follows from them', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const clock = new SteppedClock('2026-01-31T12:00:00Z');
  const { store } = await openStore({ kind: 'memory', clock });
  const held = Promise.withResolvers<void>();
  let asked = 0;
  const metering = startMetering({
    clock,
    platform: store.scope('platform'),
    orgScopes: () => ({ test: orgScope(store, 'test'), prod: orgScope(store, 'prod') }),
    hasOrg: async () => true,
    recordsOf: async () => {
      asked += 1;
      await held.promise;
      return [];
    },
    configured: { size: () => assert.fail(), policies: () => assert.fail() },
    announce: async () => [],
    onError: assert.ifError,
  });
  await metering.plans.set('acme', { name: 'own', limits: { records: 5 } }, occasion);
  const stored = async () => (await readDays(orgScope(store), '2026-01-01')).map(({ tally }) => tally.calls);
  for (const calls of [1, 2, 3]) {
    metering.meter.count(place);
    t.mock.timers.tick(1000);
    for (let turn = 0; turn < turns; turn++) await nextTurn();
    assert.deepEqual(await stored(), [calls]);
  }
  assert.equal(asked, 1, 'one look is enough at a time');
  metering.meter.count(place);
  held.resolve();
  await metering.close();
  assert.deepEqual(await stored(), [4]);
});
