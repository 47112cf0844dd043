import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ConfigSet, itemBodies, itemKey, systemConfig } from '../../config/port.ts';
import type { RecordData } from '../../records/port.ts';
import { compileEntity } from '../../schema/port.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import { SteppedClock } from '../../testing/record-bench.ts';
import type { EventContent } from '../kinds/event.ts';
import { createLiveEvents } from './live-events.ts';

function setOf(names: readonly string[]): ConfigSet {
  return { ...systemConfig, items: new Map(names.map((name) => [itemKey({ kind: 'event', name }), 1])) };
}

function guard(name: string): EventContent {
  const on = { entity_name: 'order', event_name: name, event_stage: 'before', event_optype: 'create' } as const;
  return { ...on, enabled: true, event_type: 'logicblock', destination_config: { logicblock: 'refuse' } };
}

test('no event is missing where those of other orgs have taken the room in memory', async () => {
  const { store } = await openStore({ kind: 'memory', clock: new SteppedClock() });
  const others = Array.from({ length: 1999 }, (_, index) => `e${index}`);
  const write = async (org: string, names: readonly string[]): Promise<void> => {
    const puts = names.map((name) => itemBodies.insert({ kind: 'event', name, version: 1 }, guard(name)));
    for (let start = 0; start < puts.length; start += 500)
      await store.scope(orgScopeName(org)).commit(puts.slice(start, start + 500));
  };
  await write('acme', ['guard', 'another']);
  await write('other', others);
  const live = createLiveEvents({ test: store, prod: store });
  const guards = async (org: string, names: readonly string[]): Promise<readonly string[] | undefined> =>
    (await live.before(setOf(names), { env: 'test', orgCode: org }, 'order'))?.map(({ name }) => name);
  assert.deepEqual(await guards('acme', ['guard']), ['guard']);
  assert.equal((await guards('other', others))?.length, others.length);
  assert.deepEqual(await guards('acme', ['another', 'guard']), ['another', 'guard']);
});

test('a condition on one of several values takes each as it is, commas included, and none where one is no value', async () => {
  const entity = compileEntity(
    { entityName: 'order', UpdateParams: [{ name: 'no', colType: 'integer' }, { name: 'to' }] },
    1,
  );
  const { store } = await openStore({ kind: 'memory', clock: new SteppedClock() });
  const named = {
    commas: [{ field: 'to', op: 'in', value: ['a,b', 'c'] }],
    both: [
      { field: 'to', op: 'in', value: ['c', 'd'] },
      { field: 'no', op: 'between', value: [1, 3] },
    ],
    wrong: [{ field: 'no', op: 'in', value: [1, 'x'] }],
  } as const satisfies Record<string, EventContent['entry_conditions']>;
  const events = Object.entries(named).map(([name, entry_conditions]) => ({ ...guard(name), entry_conditions }));
  await store
    .scope(orgScopeName('acme'))
    .commit(events.map((one) => itemBodies.insert({ kind: 'event', name: one.event_name, version: 1 }, one)));
  const live = createLiveEvents({ test: store, prod: store });
  const holds = async (name: string, values: { readonly to?: string; readonly no?: number }): Promise<boolean> => {
    const event = await live.named(setOf(Object.keys(named)), { env: 'test', orgCode: 'acme' }, name);
    const data = { id: '018bcfe5-0000-7000-8000-000000000001', ...values } as unknown as RecordData;
    return event?.judge(entity, data, { values: () => assert.fail(), effort: { steps: 0 } }) === 'met';
  };
  for (const [to, isMet] of [
    ['a,b', true],
    ['c', true],
    ['a', false],
    ['b', false],
    ['a,b,c', false],
  ] as const)
    assert.equal(await holds('commas', { to }), isMet, to);
  assert.deepEqual(
    [
      await holds('both', { to: 'd', no: 3 }),
      await holds('both', { to: 'd', no: 4 }),
      await holds('both', { to: 'e', no: 3 }),
    ],
    [true, false, false],
  );
  assert.equal(await holds('wrong', { no: 1 }), false);
});
