import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCursors } from '../../records/listing/cursor.ts';
import { orgScopeName } from '../../tenancy/workspace.ts';
import { workspaceTable } from '../../tenancy/workspace-directory.ts';
import { createLiveEvents } from '../events/live-events.ts';
import { type EventStatesDeps, eventStates } from './event-services.ts';
import { failure, type OutboxBench, type OutboxNode, openOutboxBench } from './testing/outbox-bench.ts';

const by = { at: '2026-11-01T00:00:00.000Z', actor: { kind: 'org_user', id: 'b1' }, request_id: 'r1' } as const;
const place = { env: 'test', orgCode: 'acme' } as const;

function deps(
  { bench: { opened } }: OutboxBench,
  { configs, deliveryPasses }: OutboxNode,
  rules: EventStatesDeps['rules'] = { isDevelopment: false },
): EventStatesDeps {
  const stores = { test: opened.store, prod: opened.store };
  const live = createLiveEvents(stores);
  const cursors = createCursors(Buffer.alloc(32));
  return { stores, configs: { test: configs, prod: configs }, live, cursors, deliveryPasses, rules };
}

test('what waits of an event is counted, held or not, also beside events with names that begin like it', async (t) => {
  const stage = await openOutboxBench(t);
  await stage.bench.found(stage.bench.workspace);
  for (const event_name of ['a', 'a-b', 'a0', 'b']) await stage.define({ event_name });
  await stage.define({ event_name: 'check', event_stage: 'before' });
  const node = stage.node(async () => failure);
  const call = await node.call('order');
  await node.pauses.pause({ ...place, event: 'a', auditContext: by });
  await node.pauses.pause({ ...place, event: 'b', auditContext: by });
  for (const title of ['one', 'two']) await node.runtime.create(call, { title });
  await node.deliver();
  await node.runtime.create(call, { title: 'three' });
  const { items, nexttoken } = await eventStates(deps(stage, node), { ...place, nexttoken: undefined });
  assert.deepEqual(
    items.map(({ name, waiting, paused, circuit }) => [name, waiting, paused?.by, circuit?.failures]),
    [
      ['a', 3, 'b1', undefined],
      ['a-b', 3, undefined, 2],
      ['a0', 3, undefined, 2],
      ['b', 3, 'b1', undefined],
    ],
  );
  assert.equal(nexttoken, null);
});

test('an event whose address is never called says why, by the destination of its environment', async (t) => {
  const stage = await openOutboxBench(t);
  const to = (url: string) => ({ destination_config: { url } });
  await stage.define({ event_name: 'here', ...to('http://localhost:3000/a') });
  await stage.define({ event_name: 'inside', ...to('https://10.0.0.1/a') });
  await stage.define({ event_name: 'off', enabled: false, ...to('http://localhost:3000/a') });
  const prod_destination_config = { url: 'https://shop.example/a' };
  await stage.define({ event_name: 'own', ...to('http://localhost:3000/a'), prod_destination_config });
  const node = stage.node(async () => failure);
  const reported = async (env: 'test' | 'prod', isDevelopment: boolean) => {
    const { items } = await eventStates(deps(stage, node, { isDevelopment }), {
      env,
      orgCode: 'acme',
      nexttoken: undefined,
    });
    return items.map(({ undeliverable }) => undeliverable);
  };
  const [scheme, address] = ['the scheme is not allowed', 'the address is not public'];
  assert.deepEqual(await reported('test', false), [scheme, address, undefined, scheme]);
  assert.deepEqual(await reported('prod', false), [scheme, address, undefined, undefined]);
  assert.deepEqual(await reported('test', true), [undefined, address, undefined, undefined]);
});

test('a page looks into 200 workspaces, and the next one goes on behind them', async (t) => {
  const stage = await openOutboxBench(t);
  await stage.define({ event_name: 'tell' });
  const node = stage.node(async () => failure);
  await node.pauses.pause({ ...place, event: 'tell', auditContext: by });
  await node.runtime.create(await node.call('order'), { title: 'one' });
  const codes = Array.from({ length: 250 }, (_, index) => `w${String(index).padStart(3, '0')}`);
  const row = (code: string) => ({ id: code, code, name: code, state: 'ready', created_at: by.at }) as const;
  const puts = ['main', ...codes].map((code) => workspaceTable.put(code, row(code), { if: 'any' }));
  await stage.bench.opened.store.scope(orgScopeName('acme')).commit(puts);
  const parts = deps(stage, node);
  const first = await eventStates(parts, { ...place, nexttoken: undefined });
  assert.ok(first.nexttoken !== null);
  const second = await eventStates(parts, { ...place, nexttoken: first.nexttoken });
  const waiting = [first, second].map(({ items }) => items.map((item) => item.waiting));
  assert.deepEqual([waiting, second.nexttoken], [[[1], [0]], null]);
  await assert.rejects(eventStates(parts, { ...place, orgCode: 'other', nexttoken: first.nexttoken }), {
    code: 'invalid_cursor',
  });
});
