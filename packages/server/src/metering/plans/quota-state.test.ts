/** A node's view of the quota of an org, while others write and time goes on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { interceptStore } from '../../store/intercepted-store.ts';
import type { Store } from '../../store/port.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { auditContext, openNode, place, recordsStored, SteppedClock } from '../testing/metered-org.ts';
import { QuotaState } from './quota-state.ts';

async function open(time = '2026-01-31T12:00:00Z') {
  const clock = new SteppedClock(time);
  return { clock, ...(await openStore({ kind: 'memory', clock })) };
}

const one = { records: 1, isRemoval: false };
const add = (store: Store, by: number) =>
  store.scope('acme-main').commit([{ kind: 'add', pk: 'count', sk: 'order', by }]);

test('records are not added up while a write is under way, which would be in neither what was added up nor its place', async () => {
  const { clock, store } = await open();
  const node = openNode(store, clock, 'one');
  await node.plans.set('acme', { name: 'own', limits: { records: 2 } }, auditContext);
  const first = await node.gate.admit(place, one);
  clock.advance(1100);
  const second = Promise.resolve(node.gate.admit(place, one));
  await nextTurn();
  await add(store, 1);
  first.written();
  const pass = await second;
  await add(store, 1);
  pass.written();
  await assert.rejects(async () => node.gate.admit(place, one), { code: 'plan_limit_exceeded' });
  assert.equal(await recordsStored(store), 2);
});

test('what is removed while records are added up has them added up again', async () => {
  const { clock, store } = await open();
  const node = openNode(store, clock, 'one');
  await node.plans.set('acme', { name: 'own', limits: { records: 10 } }, auditContext);
  await add(store, 5);
  const held = Promise.withResolvers<void>();
  const recordsOf = async () => {
    const records = await recordsStored(store);
    await held.promise;
    return [{ ...place, entity: 'order', records }];
  };
  const quota = new QuotaState({ ...node, clock, recordsOf }, 'acme');
  const ready = quota.whenReady();
  await nextTurn();
  quota.enter(-1);
  await add(store, -1);
  quota.leave(place, -1, 'written');
  held.resolve();
  await ready;
  await quota.whenReady();
  assert.equal(quota.current().usage.records, 4);
});

/** A store on which records take half a second to add up, so that this is done every ten seconds near a limit. */
function slowStore(store: Store, clock: SteppedClock): Store {
  return interceptStore(store, async ({ name, scope }, call) => {
    if (name === 'get' && scope === 'acme-main') clock.advance(500);
    return call();
  });
}

test('where records take long to add up, plans, calls and records of other nodes are known a second later all the same', async () => {
  const { clock, store } = await open();
  const slow = slowStore(store, clock);
  const [here, there] = [openNode(slow, clock, 'one'), openNode(slow, clock, 'two')];
  await there.plans.set('acme', { name: 'own', limits: { api_calls_per_day: 9, records: 9 } }, auditContext);
  await here.write(1);
  await there.write(3);
  there.meter.count(place);
  await there.meter.flush();
  clock.advance(1000);
  const { usage } = await here.gate.quota('acme');
  assert.deepEqual([usage.records, usage.api_calls_per_day], [4, 1]);
  await here.write(1);
  await there.write(1);
  await there.meter.flush();
  clock.advance(1000);
  assert.equal((await here.gate.quota('acme')).usage.records, 6);
  await there.plans.set('acme', { name: 'own', limits: { records: 6 } }, auditContext);
  clock.advance(1000);
  await assert.rejects(here.write(1), { code: 'plan_limit_exceeded' });
  await there.write(-2, true);
  clock.advance(20_000);
  assert.equal((await here.gate.quota('acme')).usage.records, 4);
});

test('time that a write took is not time that adding up took', async () => {
  const { clock, store } = await open();
  const node = openNode(store, clock, 'one');
  await node.plans.set('acme', { name: 'own', limits: { records: 9 } }, auditContext);
  const first = await node.gate.admit(place, one);
  clock.advance(1100);
  const second = node.gate.quota('acme');
  await nextTurn();
  clock.advance(5000);
  first.refused();
  await second;
  await add(store, 3);
  clock.advance(1000);
  assert.equal((await node.gate.quota('acme')).usage.records, 3);
});

test('the calls of a day that leaves the memory of a node count on in their month', async () => {
  const { clock, store } = await open('2026-01-10T12:00:00Z');
  const node = openNode(store, clock, 'one');
  await node.plans.set('acme', { name: 'own', limits: { api_calls_per_month: 6 } }, auditContext);
  for (let made = 0; made < 5; made++) node.meter.count(place);
  await node.meter.flush();
  clock.advance(Date.parse('2026-01-11T23:59:59.900Z') - clock.now());
  assert.equal((await node.gate.quota('acme')).usage.api_calls_per_month, 5);
  clock.advance(200);
  assert.equal((await node.gate.quota('acme')).usage.api_calls_per_month, 5);
});

test('a write that does not end keeps no caller waiting for ever, and removals get in meanwhile', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { clock, store } = await open();
  const node = openNode(store, clock, 'one');
  await node.plans.set('acme', { name: 'own', limits: { records: 9 } }, auditContext);
  const pass = await node.gate.admit(place, one);
  clock.advance(1100);
  const pending = assert.rejects(node.gate.quota('acme'), { code: 'unavailable' });
  const removal = node.write(-1, true);
  await nextTurn();
  t.mock.timers.tick(10_000);
  await Promise.all([pending, removal]);
  pass.refused();
  assert.equal((await node.gate.quota('acme')).usage.records, -1);
});

test('calls of a day that is still to come here count for no limit, as they are in no chart', async () => {
  const { clock, store } = await open();
  const ahead = openNode(store, new SteppedClock('2026-03-05T00:00:00Z'), 'ahead');
  const here = openNode(store, clock, 'here');
  await here.plans.set('acme', { name: 'own', limits: { api_calls_per_month: 5 } }, auditContext);
  for (let made = 0; made < 5; made++) ahead.meter.count(place);
  await ahead.meter.flush();
  clock.advance(1000);
  assert.equal((await here.gate.quota('acme')).usage.api_calls_per_month, 0);
});

test('what another node removed before the records were added up, and tells of after it, is not taken off again', async () => {
  const { clock, store } = await open();
  const [here, there] = [openNode(slowStore(store, clock), clock, 'one'), openNode(store, clock, 'two')];
  await there.plans.set('acme', { name: 'own', limits: { records: 10 } }, auditContext);
  await there.write(10);
  await there.meter.flush();
  await there.write(-5, true);
  assert.equal((await here.gate.quota('acme')).usage.records, 5);
  await there.meter.flush();
  clock.advance(1000);
  assert.equal((await here.gate.quota('acme')).usage.records, 5);
  await here.write(5);
  await assert.rejects(here.write(1), { code: 'plan_limit_exceeded' });
  assert.equal(await recordsStored(store), 10);
});
