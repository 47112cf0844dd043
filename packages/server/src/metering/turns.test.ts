import assert from 'node:assert/strict';
import { type MockTimers, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { interceptStore } from '../store/intercepted-store.ts';
import { type Store, Unavailable } from '../store/port.ts';
import { openStore } from '../store/testing/open-store.ts';
import { startMetering } from './metering.ts';
import { auditContext, orgScope, place, SteppedClock } from './testing/metered-org.ts';
import { readDays } from './usage-rows.ts';

const turns = 50;

type MeteringDeps = Parameters<typeof startMetering>[0];

function meteringOf(
  store: Store,
  clock: SteppedClock,
  deps: Pick<MeteringDeps, 'recordsOf' | 'onError'> & Partial<MeteringDeps>,
) {
  return startMetering({
    clock,
    platform: store.scope('platform'),
    orgScopes: () => ({ test: orgScope(store, 'test'), prod: orgScope(store, 'prod') }),
    hasOrg: async () => true,
    configured: { size: () => assert.fail(), policies: () => assert.fail() },
    announce: async () => [],
    ...deps,
  });
}

async function turn(mock: MockTimers): Promise<void> {
  mock.tick(1000);
  for (let waited = 0; waited < turns; waited++) await nextTurn();
}

test('calls are stored each second, also while it takes longer to look at what follows from them', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const clock = new SteppedClock('2026-01-31T12:00:00Z');
  const { store } = await openStore({ kind: 'memory', clock });
  const held = Promise.withResolvers<void>();
  let requestCount = 0;
  const metering = meteringOf(store, clock, {
    recordsOf: async () => {
      requestCount += 1;
      await held.promise;
      return [];
    },
    onError: assert.ifError,
  });
  await metering.plans.set('acme', { name: 'own', limits: { records: 5 } }, auditContext);
  const stored = async () => (await readDays(orgScope(store), '2026-01-01')).map(({ tally }) => tally.calls);
  for (const calls of [1, 2, 3]) {
    metering.meter.count(place);
    await turn(t.mock.timers);
    assert.deepEqual(await stored(), [calls]);
  }
  assert.equal(requestCount, 1, 'one look is enough at a time');
  metering.meter.count(place);
  held.resolve();
  await metering.close();
  assert.deepEqual(await stored(), [4]);
});

test('an org whose plan has no limit costs the store one commit a second, and one that gets a limit is watched at once', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const clock = new SteppedClock('2026-01-31T12:00:00Z');
  const { store } = await openStore({ kind: 'memory', clock });
  const calls: string[] = [];
  const counted = interceptStore(store, ({ name, scope }, call) => {
    calls.push(`${name} ${scope}`);
    return call();
  });
  const notified: unknown[] = [];
  const metering = meteringOf(counted, clock, {
    recordsOf: async () => [],
    announce: async (_org, { data }) => {
      notified.push([data.metric, data.percent]);
      return [];
    },
    onError: assert.ifError,
  });
  const second = async () => {
    metering.meter.count(place);
    clock.advance(1000);
    await turn(t.mock.timers);
  };
  await second();
  for (let seconds = 0; seconds < 5; seconds++) {
    calls.length = 0;
    await second();
    assert.deepEqual(calls, [`commit ${orgScope(store).name}`]);
  }
  await metering.plans.set('acme', { name: 'own', limits: { api_calls_per_day: 7 } }, auditContext);
  await second();
  assert.deepEqual(notified, [['api_calls_per_day', 100]]);
  calls.length = 0;
  await second();
  const work = calls.filter((request) => request.startsWith('range'));
  assert.equal(work.length, 2, 'what is stored of calls in two environments, and nothing of work');
  await metering.close();
});

test('calls of one org that cannot be stored keep no counts of other orgs from being reported, nor later ones of its own', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const clock = new SteppedClock('2026-01-31T12:00:00Z');
  const { store } = await openStore({ kind: 'memory', clock });
  let isBroken = true;
  const broken = interceptStore(store, async ({ name, scope }, call) => {
    if (name === 'commit' && scope === 'prod:sick' && isBroken) throw new Unavailable('off');
    return call();
  });
  const notified: string[] = [];
  const failures: unknown[] = [];
  const metering = meteringOf(broken, clock, {
    orgScopes: (org) => ({ test: broken.scope(`test:${org}`), prod: broken.scope(`prod:${org}`) }),
    recordsOf: async () => [],
    announce: async (org) => {
      notified.push(org);
      return [];
    },
    onError: (error) => failures.push(error),
  });
  for (const orgCode of ['sick', 'well']) {
    await metering.plans.set(orgCode, { name: 'own', limits: { api_calls_per_day: 2 } }, auditContext);
    for (const env of ['test', 'prod'] as const) metering.meter.count({ ...place, orgCode, env });
  }
  await turn(t.mock.timers);
  assert.deepEqual([notified, failures.length], [['well'], 1]);
  isBroken = false;
  await turn(t.mock.timers);
  assert.deepEqual(notified, ['well', 'sick']);
  await metering.close();
});
