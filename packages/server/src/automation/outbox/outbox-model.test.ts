/** Writes and deliveries whose process dies at every call of the store, against the ledger of a receiver. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Crash, crashing, type Moment } from '../../store/testing/failing-store.ts';
import { storeKinds } from '../../store/testing/open-test-store.ts';
import { isQuick } from '../../store/testing/quick.ts';
import type { Delivery } from '../destinations/destinations.ts';
import {
  delivered,
  failure,
  type OutboxBench,
  type OutboxNode,
  openOutboxBench,
  receiptsOf,
} from './testing/outbox-bench.ts';

/** The first message to each receiver. */
class Ledger {
  readonly ids = new Set<string>();
  /** By record and kind of write: an event is for one kind. */
  readonly byLine = new Map<string, string[]>();
  #calls = 0;

  /** Fails every third call. */
  readonly receive = async ({ item, record }: Delivery) => {
    this.#calls += 1;
    if (this.#calls % 3 === 0) return failure;
    if (this.ids.has(item.id)) return delivered;
    this.ids.add(item.id);
    const line = `${record.id} ${item.op}`;
    this.byLine.set(line, [...(this.byLine.get(line) ?? []), String(record.title)]);
    return delivered;
  };
}

/** Writes of one record: those acknowledged, and those that may exist though nothing was answered. */
interface Written {
  readonly id: string;
  readonly writes: { readonly op: string; readonly title: string; readonly isAnswered: boolean }[];
}

const ops = ['create', 'update', 'update', 'update', 'delete'] as const;

/** Writes five times to each of two records, and has deliveries made in between, until the node dies. */
async function work(node: OutboxNode, records: readonly Written[]): Promise<void> {
  const call = await node.call('order');
  for (const [step, op] of ops.entries())
    for (const { id, writes } of records) {
      const title = String(op === 'delete' ? step - 1 : step);
      const write = async (): Promise<unknown> => {
        if (op === 'create') return node.runtime.write([{ action: 'create', call, body: { title }, id }]);
        if (op === 'update') return node.runtime.update(call, { id, body: { title } });
        return node.runtime.remove(call, { id });
      };
      writes.push({ op, title, isAnswered: false });
      await write();
      writes.splice(-1, 1, { op, title, isAnswered: true });
      if (step % 2 === 1) await node.deliver();
    }
  await node.deliver();
}

/** True where the node lived to the end. */
async function liveAndDie(stage: OutboxBench, callsLeft: number, when: Moment): Promise<boolean> {
  const ledger = new Ledger();
  const { bench } = stage;
  const records: readonly Written[] = [1, 2].map(() => ({ id: bench.newId(), writes: [] }));
  const before = new Set((await receiptsOf(bench)).keys());
  const dying = stage.node(ledger.receive, { store: crashing(bench.opened.store, callsLeft, when), name: 'dying' });
  const isAlive = await work(dying, records).then(
    () => true,
    (error: unknown) => {
      if (!isCrash(error)) throw error;
      return false;
    },
  );
  // Longer than any lease.
  bench.clock.advance(61_000);
  await stage.drain(stage.node(ledger.receive, { name: 'next' }));
  const place = `${callsLeft} ${when}`;
  for (const { id, writes } of records)
    for (const op of new Set(ops)) {
      const requested = writes.filter((write) => write.op === op);
      const answered = requested.filter(({ isAnswered }) => isAnswered);
      const reported = ledger.byLine.get(`${id} ${op}`) ?? [];
      // A write that was not answered may exist all the same.
      const allowed = [answered, requested].map((list) => list.map(({ title }) => title).join());
      assert.ok(allowed.includes(reported.join()), `${place}: ${op} told ${reported.join()}, answered ${allowed[0]}`);
    }
  const fresh = [...(await receiptsOf(bench))].filter(([key]) => !before.has(key));
  assert.deepEqual(fresh.map(([key]) => key).toSorted(), [...ledger.ids].toSorted(), place);
  assert.ok(
    fresh.every(([, { state }]) => state === 'delivered'),
    place,
  );
  assert.deepEqual(await stage.left(), [], place);
  return isAlive;
}

function isCrash(error: unknown): boolean {
  return error instanceof Crash || (error instanceof Error && error.cause !== undefined && isCrash(error.cause));
}

for (const kind of storeKinds)
  for (const when of ['before', 'after'] as const)
    test(`${kind}: whichever call of the store a node dies ${when}, each acknowledged write is told once and in order, and none is invented`, async (t) => {
      const stage = await openOutboxBench(t, kind);
      for (const event_optype of new Set(ops)) await stage.define({ event_name: `on-${event_optype}`, event_optype });
      const stride = kind === 'memory' && !isQuick ? 1 : 7;
      let isAlive = false;
      for (let calls = 0; !isAlive; calls += stride) isAlive = await liveAndDie(stage, calls, when);
    });
