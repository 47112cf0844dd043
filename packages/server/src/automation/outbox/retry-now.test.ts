import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everyInterleaving, extentOn } from '../../records/testing/interleaving.ts';
import { openForTest } from '../../store/testing/open-test-store.ts';
import { orgScopeName, workspaceScopeName } from '../../tenancy/workspace.ts';
import { workspaceTable } from '../../tenancy/workspace-directory.ts';
import { SteppedClock } from '../../testing/record-bench.ts';
import { Lease } from '../../work/lease.ts';
import type { SendOutcome } from '../../work/send.ts';
import { leaseQueue, putQueue, putRetry, queueLeases, queueMark } from './outbox.ts';
import { createRetryNow } from './pauses.ts';
import { delivered, failure, type OutboxBench, type OutboxNode, openOutboxBench } from './testing/outbox-bench.ts';

const by = { at: '2026-11-01T00:00:00.000Z', actor: { kind: 'org_user', id: 'b1' }, request_id: 'r1' } as const;
const place = { env: 'test', orgCode: 'acme' } as const;
const eventState = { ...place, event: 'tell', auditContext: by };

async function settle(stage: OutboxBench, nodes: readonly OutboxNode[], seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    for (const node of second % 2 === 0 ? nodes : nodes.toReversed()) await node.deliver();
    stage.bench.clock.advance(1000);
  }
}

/** Two nodes that both have found that the endpoint does not answer, and leave it alone for minutes. */
async function leftAlone(stage: OutboxBench, receive: Parameters<OutboxBench['node']>[0]) {
  await stage.bench.found(stage.bench.workspace);
  const nodes = ['a', 'b'].map((name) => stage.node(receive, { name }));
  const [one] = nodes;
  assert.ok(one);
  const call = await one.call('order');
  for (let index = 0; index < 6; index++) await one.runtime.create(call, { title: `${index}` });
  await settle(stage, nodes, 120);
  for (const node of nodes) {
    const circuit = node.deliveryPasses.circuitOf(place, 'tell');
    assert.ok(circuit !== undefined && circuit.pauses > 1, 'each node leaves the endpoint alone');
  }
  return { one, nodes };
}

test('an event that was changed delivers at once what waits, on each node that left its endpoint alone', async (t) => {
  const stage = await openOutboxBench(t);
  await stage.define({ event_name: 'tell' });
  const seen: string[] = [];
  const { one, nodes } = await leftAlone(stage, async ({ content, record }) => {
    const { url } = content.destination_config as { readonly url: string };
    if (!url.includes('mended')) return failure;
    seen.push(String(record.title));
    return delivered;
  });
  await stage.define({ event_name: 'tell', destination_config: { url: 'https://mended.example/hook' } });
  await one.retryNow(place, ['tell']);
  // The node that has not changed it runs a pass first.
  await settle(stage, nodes.toReversed(), 4);
  assert.deepEqual(seen.toSorted(), ['0', '1', '2', '3', '4', '5']);
  assert.deepEqual(await stage.left(), []);
});

test('an event that is resumed has its endpoint tried at once, by one call where it still fails', async (t) => {
  const stage = await openOutboxBench(t);
  await stage.define({ event_name: 'tell' });
  let calls = 0;
  let isWell = false;
  const { one, nodes } = await leftAlone(stage, async () => {
    calls += 1;
    return isWell ? delivered : failure;
  });
  await one.pauses.pause(eventState);
  await settle(stage, nodes, 2);
  calls = 0;
  await one.pauses.resume(eventState);
  await one.deliver();
  assert.ok(calls >= 1 && calls <= 6, `${calls} calls`);
  isWell = true;
  await one.pauses.resume(eventState);
  await settle(stage, nodes, 4);
  assert.deepEqual(await stage.left(), []);
});

test('a visit that ends when the pause does puts nothing off by a minute', async (t) => {
  const stage = await openOutboxBench(t);
  await stage.define({ event_name: 'tell' });
  const node = stage.node(async () => {
    await node.pauses.pause(eventState);
    return delivered;
  });
  const call = await node.call('order');
  await node.runtime.create(call, { title: 'a' });
  await node.deliver();
  const mark = queueMark('tell');
  const [left] = await stage.bench.workspace.scope.get([mark]);
  assert.equal(left?.due?.at, stage.bench.clock.now());
  await node.deliver();
  const [put] = await stage.bench.workspace.scope.get([mark]);
  assert.equal(put?.due?.at, stage.bench.clock.now() + 60_000);
});

test('what a builder waits for stays due where another node is in its outbox', async (t) => {
  const stage = await openOutboxBench(t);
  await stage.define({ event_name: 'tell' });
  await stage.bench.found(stage.bench.workspace);
  const node = stage.node(async () => delivered);
  await node.pauses.pause(eventState);
  await node.runtime.create(await node.call('order'), { title: 'a' });
  await node.deliver();
  const { scope } = stage.bench.workspace;
  const queue = { ...place, tenantCode: 'main', scope, orgScope: scope, event: 'tell' };
  const lease = await leaseQueue(queue, 'another', stage.bench.clock);
  assert.ok(lease instanceof Lease);
  await node.pauses.resume(eventState);
  await node.deliver();
  const [mark] = await scope.get([queueMark('tell')]);
  assert.equal(mark?.due?.at, 0);
  await lease.end(queueLeases.remove('tell', lease.condition));
  await node.deliver();
  assert.deepEqual(await stage.left(), []);
});

/** The items that are due when the pass starts. */
const handled: Readonly<Record<string, (stage: OutboxBench, node: OutboxNode) => Promise<unknown>>> = {
  'a new write': async (_stage, node) => node.runtime.create(await node.call('order'), { title: 'a' }),
  'a held record': heldOnce,
  'a held record and a new write behind it': async (stage, node) => {
    const { id } = await heldOnce(stage, node);
    await node.runtime.update(await node.call('order'), { id, body: { title: 'b' } });
  },
  'an endpoint that is left alone': async (stage, node) => {
    for (let index = 0; index < 6; index++) await node.runtime.create(await node.call('order'), { title: `${index}` });
    await settle(stage, [node], 3);
    await node.runtime.create(await node.call('order'), { title: 'a' });
  },
};

async function heldOnce(stage: OutboxBench, node: OutboxNode): Promise<{ readonly id: string }> {
  const { data } = await node.runtime.create(await node.call('order'), { title: 'a' });
  await node.deliver();
  stage.bench.clock.advance(1000);
  return data;
}

for (const [name, begin] of Object.entries(handled))
  test(`whichever call of a visit of ${name} an event is resumed at, what it has put off for an hour is sent within seconds`, async (t) => {
    let left = 0;
    await everyInterleaving(extentOn('memory'), async (interleaving) => {
      const stage = await openOutboxBench(t);
      await stage.bench.found(stage.bench.workspace);
      for (const op of ['create', 'update'] as const)
        await stage.define({ event_name: op === 'create' ? 'tell' : 'changed', event_optype: op });
      let request: SendOutcome = failure;
      const receive = async () => request;
      const [deliveryPasses, resumes] = interleaving.stores(stage.bench.opened.store);
      await begin(stage, stage.node(receive, { name: 'a' }));
      request = { ...failure, retryAfterSeconds: 3600 };
      const [one, other] = [
        stage.node(receive, { name: 'a', store: deliveryPasses }),
        stage.node(receive, { store: resumes, name: 'b' }),
      ];
      const resume = async (): Promise<void> => {
        request = delivered;
        await other.retryNow(place, ['tell', 'changed']);
      };
      await interleaving.run(() => one.deliver(), resume);
      await settle(stage, [one], 4);
      assert.deepEqual(await stage.left(), [], interleaving.name);
      left += 1;
    });
    assert.ok(left > 10);
  });

test('of very many workspaces the first 200 with something waiting are brought forward, and a failure is no refusal', async (t) => {
  const clock = new SteppedClock();
  const { store, maintenance } = await openForTest(t, 'memory', clock);
  const orgScope = store.scope(orgScopeName('acme'));
  const later = clock.now() + 3_600_000;
  let reads = 0;
  for (let index = 0; index < 1300; index++) {
    const code = `w${String(index).padStart(4, '0')}`;
    const row = { id: code, code, name: code, state: 'ready', created_at: '' } as const;
    await orgScope.commit([workspaceTable.put(code, row, { if: 'any' })]);
    if (index % 2 === 0) continue;
    const held = Array.from({ length: 30 }, (_, place) => putRetry('other', `r${place}`, later));
    await store.scope(workspaceScopeName('acme', code)).commit([putQueue('tell', later), ...held]);
  }
  const counted = {
    ...store,
    scope: (name: Parameters<typeof store.scope>[0]) => {
      reads += 1;
      return store.scope(name);
    },
  };
  let woken = 0;
  const wake = (): void => {
    woken += 1;
  };
  const errors: unknown[] = [];
  const deps = { wake, onError: (error: unknown) => void errors.push(error) };
  const bring = createRetryNow({ ...deps, stores: { test: counted, prod: counted } });
  const due = async () => (await maintenance.due('automation', clock.now(), 10_000)).length;
  await bring(place, []);
  assert.deepEqual([reads, woken], [0, 0]);
  await bring(place, ['none']);
  assert.deepEqual([await due(), reads], [0, 1001]);
  await bring(place, ['tell', 'none']);
  const first = await due();
  assert.ok(first >= 200 && first <= 200 + 20, `${first} outboxes`);
  await bring(place, ['other']);
  const held = (await due()) - first;
  assert.ok(held >= 200 && held <= 200 + 20 * 20, `${held} held records`);
  const failing = { ...store, scope: () => assert.fail('the store does not answer') };
  await createRetryNow({ ...deps, stores: { test: failing, prod: failing } })(place, ['tell']);
  assert.deepEqual([errors.length, woken], [1, 4]);
});
