import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orgScopeName } from '../../tenancy/workspace.ts';
import { delivered, failure, type OutboxBench, type OutboxNode, openOutboxBench } from './testing/outbox-bench.ts';

const by = { at: '2026-11-01T00:00:00.000Z', actor: { kind: 'org_user', id: 'b1' }, request_id: 'r1' } as const;
const eventState = { env: 'test', orgCode: 'acme', event: 'tell', auditContext: by } as const;

async function settle(stage: OutboxBench, node: OutboxNode, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    await node.deliver();
    stage.bench.clock.advance(1000);
  }
}

test('what a paused event would send waits, in its order, until it is resumed', async (t) => {
  const stage = await openOutboxBench(t);
  await stage.bench.found(stage.bench.workspace);
  await stage.define({ event_name: 'tell' });
  await stage.define({ event_name: 'other' });
  await stage.define({ event_name: 'changes', event_optype: 'update' });
  const seen: string[] = [];
  let isWell = false;
  const node = stage.node(async ({ item, record }) => {
    seen.push(`${item.op} ${String(record.title)}`);
    return isWell || record.title !== 'failing' ? delivered : failure;
  });
  const call = await node.call('order');
  await node.runtime.create(call, { title: 'failing' });
  await node.deliver();
  assert.deepEqual(seen, ['create failing', 'create failing']);
  // One of its records is held already.
  await node.pauses.pause(eventState);
  await node.pauses.pause({ ...eventState, event: 'other' });
  await node.pauses.pause({ ...eventState, event: 'changes' });
  const { data } = await node.runtime.create(call, { title: 'new' });
  await node.runtime.update(call, { id: data.id, body: { title: 'changed' } });
  isWell = true;
  await settle(stage, node, 190);
  assert.equal(seen.length, 2);
  for (const event of ['tell', 'other', 'changes']) await node.pauses.resume({ ...eventState, event });
  await settle(stage, node, 2);
  assert.deepEqual(seen.slice(2).toSorted(), [
    ...['create failing', 'create failing', 'create new', 'create new', 'update changed'],
  ]);
  await stage.drain(node);
  assert.deepEqual(await stage.left(), []);
  assert.deepEqual(stage.dead, []);
});

test('another node keeps to a pause within a second, and the audit log has each pause once', async (t) => {
  const stage = await openOutboxBench(t);
  await stage.define({ event_name: 'tell' });
  const [one, two] = ['a', 'b'].map((name) =>
    stage.node(async () => assert.fail('nothing is to be delivered'), { name }),
  );
  assert.ok(one && two);
  assert.equal(await two.pauses.isPaused(eventState, 'tell'), false);
  await one.pauses.pause(eventState);
  await one.pauses.pause({ ...eventState, auditContext: { ...by, actor: { kind: 'org_user', id: 'b2' } } });
  assert.equal(await one.pauses.isPaused(eventState, 'tell'), true);
  stage.bench.clock.advance(1001);
  assert.equal(await two.pauses.isPaused(eventState, 'tell'), true);
  await two.runtime.create(await two.call('order'), { title: 'a' });
  await settle(stage, two, 5);
  await two.pauses.resume(eventState);
  await two.pauses.resume(eventState);
  assert.equal(await two.pauses.isPaused(eventState, 'tell'), false);
  const entries = await stage.bench.opened.store.scope(orgScopeName('acme')).range('audit', { limit: 100 });
  assert.deepEqual(
    entries.map(({ value }) => value.match(/event\.(?:paused|resumed)/)?.[0]).filter((action) => action !== undefined),
    ['event.paused', 'event.resumed'],
  );
});

test('only events after writes are paused, and a pause that outlives its event is ended by its name', async (t) => {
  const stage = await openOutboxBench(t);
  await stage.define({ event_name: 'check', event_stage: 'before' });
  await stage.define({ event_name: 'tell' });
  const { pauses } = stage.node(async () => delivered);
  await assert.rejects(pauses.pause({ ...eventState, event: 'check' }), { code: 'conflict' });
  await assert.rejects(pauses.pause({ ...eventState, event: 'none' }), { code: 'not_found' });
  await assert.rejects(pauses.resume({ ...eventState, event: 'none' }), { code: 'not_found' });
  await pauses.pause(eventState);
  await stage.define({ event_name: 'tell', enabled: false });
  assert.equal(await pauses.isPaused(eventState, 'tell'), true);
  assert.equal(await pauses.isPaused({ ...eventState, orgCode: 'other' }, 'tell'), false);
  assert.equal(await pauses.isPaused({ ...eventState, env: 'prod' }, 'other'), false);
});
