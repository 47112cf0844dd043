/** Tests requests of a builder during passes that begin beside each other, as they do in a platform. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { handlingDue, passesAtOnce } from '../../work/due-work.ts';
import type { SendOutcome } from '../../work/send.ts';
import { WorkQueue } from '../../work/work-queue.ts';
import { outboxJobs } from './outbox.ts';
import { delivered, failure, type OutboxBench, type OutboxNode, openOutboxBench } from './testing/outbox-bench.ts';

const place = { env: 'test', orgCode: 'acme' } as const;
const inAnHour: SendOutcome = { ...failure, retryAfterSeconds: 3600 };

async function foundedStage(t: TestContext, updateEvents: readonly string[] = []): Promise<OutboxBench> {
  const stage = await openOutboxBench(t);
  await stage.define({ event_name: 'tell' });
  for (const event_name of updateEvents) await stage.define({ event_name, event_optype: 'update' });
  await stage.bench.found(stage.bench.workspace);
  return stage;
}

/** Looks for what is due, and waits until nothing goes on but calls that are held. */
function looksOf(t: TestContext, { bench: { opened, clock } }: OutboxBench, { deliveryPasses }: OutboxNode) {
  // It looks when it is asked to, and not each second as well.
  t.mock.timers.enable({ apis: ['setInterval'] });
  const none = { ...opened, maintenance: { ...opened.maintenance, due: async () => [] } };
  const onError = (error: unknown) => assert.fail(String(error));
  const spaces = [
    { env: 'test', ...opened },
    { env: 'prod', ...none },
  ] as const;
  const runner = new WorkQueue({ queue: 'automation', spaces, clock, onError, atOnce: passesAtOnce });
  const jobs = Object.values(outboxJobs).map((name) => {
    return { name, run: deliveryPasses.pass.bind(deliveryPasses), isDelivery: true } as const;
  });
  runner.begin(handlingDue(jobs, { clock, onError }));
  t.after(() => runner.close());
  return async (times = 1, milliseconds = 1000): Promise<void> => {
    for (let time = 0; time < times; time++) {
      runner.wake();
      for (let turns = 0; turns < 40; turns++) await turn();
      clock.advance(milliseconds);
    }
  };
}

async function write(node: OutboxNode, ...titles: readonly string[]): Promise<void> {
  for (const title of titles) await node.runtime.create(await node.call('order'), { title });
}

/** An hour in which no delivery arrives: the endpoint is left alone for minutes by then. */
async function deadHour({ bench: { clock } }: OutboxBench, node: OutboxNode): Promise<void> {
  for (let second = 0; second < 3600; second++) {
    await node.deliver();
    clock.advance(1000);
  }
  assert.ok((node.deliveryPasses.circuitOf(place, 'tell')?.openUntil ?? 0) - clock.now() > 60_000);
}

test('all that waits is sent at once by a change during the call that tries the old address', async (t) => {
  const stage = await foundedStage(t);
  let answer: () => Promise<SendOutcome> = async () => failure;
  const node = stage.node(() => answer());
  await write(node, 'a', 'b', 'c');
  await deadHour(stage, node);
  const look = looksOf(t, stage, node);
  const held = Promise.withResolvers<SendOutcome>();
  let isHeld = false;
  answer = () => {
    isHeld = true;
    return held.promise;
  };
  for (let looks = 0; looks < 400 && !isHeld; looks++) await look(1, 5000);
  assert.ok(isHeld);
  answer = async () => delivered;
  await node.retryNow(place, ['tell']);
  await look(3);
  held.resolve(failure);
  await look(5);
  assert.deepEqual(await stage.left(), []);
});

test('a record that fails always is tried once more by an ask during its call, and then at its time', async (t) => {
  const stage = await foundedStage(t);
  const held = Promise.withResolvers<SendOutcome>();
  let calls = 0;
  const node = stage.node(async ({ record }) => {
    if (record.title !== 'bad') return delivered;
    calls += 1;
    return calls === 1 ? held.promise : inAnHour;
  });
  const look = looksOf(t, stage, node);
  await write(node, 'bad');
  await look();
  assert.equal(calls, 1);
  await node.retryNow(place, ['tell']);
  held.resolve(inAnHour);
  for (let writes = 0; writes < 30; writes++) {
    await write(node, 'good');
    await look(1, 50);
  }
  assert.equal(calls, 2);
});

test('what is asked for while the org has as many visits as it may have is not put off', async (t) => {
  const slow = Array.from({ length: 8 }, (_, index) => `slow${index}`);
  const stage = await foundedStage(t, slow);
  const held = Promise.withResolvers<SendOutcome>();
  let isWell = false;
  let started = 0;
  const node = stage.node(async ({ event }) => {
    if (event === 'tell') return isWell ? delivered : failure;
    started += 1;
    return held.promise;
  });
  const { data } = await node.runtime.create(await node.call('order'), { title: 'x' });
  await write(node, 'a', 'b', 'c', 'd', 'e');
  await deadHour(stage, node);
  const look = looksOf(t, stage, node);
  await node.runtime.update(await node.call('order'), { id: data.id, body: { title: 'y' } });
  await look();
  assert.equal(started, slow.length);
  isWell = true;
  await node.retryNow(place, ['tell']);
  await look(3);
  held.resolve(delivered);
  await look(3);
  assert.deepEqual(await stage.left(), []);
});
