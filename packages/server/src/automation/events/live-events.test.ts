import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ConfigSet, itemBodies, itemKey, systemConfig } from '../../config/port.ts';
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
