/** An org with events on a bench of records, and nodes that write, deliver and die. Only tests may use it. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { changeConfig } from '../../../config/change-config.ts';
import { createConfigReader } from '../../../config/config-reader.ts';
import { activeItems, itemBodies } from '../../../config/org-keys.ts';
import { interceptStore } from '../../../store/intercepted-store.ts';
import type { Store } from '../../../store/port.ts';
import type { StoreKind } from '../../../store/testing/open-test-store.ts';
import { orgScopeName } from '../../../tenancy/workspace.ts';
import { type Node, openBench, type RecordBench } from '../../../testing/record-bench.ts';
import type { SendOutcome } from '../../../work/send.ts';
import type { WorkMeter } from '../../automation-deps.ts';
import { createChainHeader } from '../../chain-header.ts';
import {
  createDestinations,
  type Delivery,
  type Destinations,
  type InsideDeps,
} from '../../destinations/destinations.ts';
import { createLiveEvents } from '../../events/live-events.ts';
import type { EventContent } from '../../kinds/event.ts';
import type { AutomationWork } from '../../runs/runs.ts';
import { createSuspensions } from '../../suspensions.ts';
import { noMeter } from '../../testing/no-meter.ts';
import { DeliveryPasses } from '../delivery-passes.ts';
import { createPauses, createRetryNow, type Pauses, type RetryNow } from '../pauses.ts';
import { createRecordEvents, MarkedQueues } from '../record-events.ts';

/** The operations of a receiver on a delivery. */
export type Receive = (delivery: Delivery) => Promise<SendOutcome>;

export const delivered: SendOutcome = { state: 'delivered', status: 200, ms: 1, answer: 'ok' };
export const failure: SendOutcome = { state: 'failed', status: 503, ms: 1, answer: 'later' };

/** Of all passes that are due at one time. */
const callsOfPassesMax = 100_000;

/** No node of a bench is closed. */
const closing = new AbortController().signal;

export interface OutboxNode extends Node {
  readonly deliveryPasses: DeliveryPasses;
  readonly pauses: Pauses;
  readonly retryNow: RetryNow;
  /** Runs one pass over the due items. Returns their number. */
  deliver(): Promise<number>;
}

export interface NodeOptions {
  readonly store?: Store;
  readonly name?: string;
  /** The dependencies of the destinations within the platform. */
  readonly work?: (node: Node) => AutomationWork;
  readonly meter?: WorkMeter;
}

export interface OutboxBench {
  /** The errors that are no refusals. */
  readonly errors: unknown[];
  readonly bench: RecordBench;
  /** Dead deliveries, as the org was notified. */
  readonly dead: string[];
  define(event: Partial<EventContent> & Pick<EventContent, 'event_name'>): Promise<void>;
  node(receive: Receive, options?: NodeOptions): OutboxNode;
  /** Has a node deliver until nothing is due any more for as long as deliveries are tried. */
  drain(node: OutboxNode, hours?: number): Promise<void>;
  /** Everything that automation has stored in the workspace, but for what has ended. */
  left(): Promise<readonly string[]>;
}

export async function openOutboxBench(context: TestContext, kind: StoreKind = 'memory'): Promise<OutboxBench> {
  const bench = await openBench(context, kind);
  const { clock, newId } = bench;
  const dead: string[] = [];
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const { store } = bench.opened;
  await bench.node().admin.define('acme', {
    entityName: 'order',
    UpdateParams: [{ name: 'title' }, { name: 'amount', colType: 'integer' }, { name: 'note' }],
  });
  const define: OutboxBench['define'] = async (event) => {
    const { event_name: name } = event;
    const content = { ...standard, ...event };
    await changeConfig({ store, configs: createConfigReader({ store, clock }) }, 'acme', async (_set, version) => ({
      changes: [
        activeItems.put({ kind: 'event', name }, { version }, { if: 'any' }),
        itemBodies.insert({ kind: 'event', name, version }, content),
      ],
    }));
    // A node knows the configuration of others within a second.
    clock.advance(2000);
  };
  const node: OutboxBench['node'] = (receive, { store: given = store, name = 'a', work, meter = noMeter } = {}) => {
    const { own, renew } = bounded(given);
    const stores = { test: own, prod: own };
    const live = createLiveEvents(stores);
    const markedQueues = new MarkedQueues();
    const recordEvents = createRecordEvents({ live, markedQueues, clock, newId, wake: () => undefined });
    const made = bench.node(own, recordEvents);
    const inside = { now: () => clock.now(), work: work?.(made) ?? noWork, meter, closing, onError };
    const destinations = destinationsOf(receive, inside);
    const configs = { test: made.configs, prod: made.configs };
    const retryNow = createRetryNow({ stores, wake: () => undefined, onError });
    const pauses = createPauses({ stores, configs, live, clock, retryNow });
    const deliveryPasses = new DeliveryPasses({
      ...{ stores, configs, live, markedQueues, destinations, pauses, clock, meter, node: name },
      suspensions: createSuspensions({ stores, clock }),
      signingRoot: Buffer.alloc(32),
      random: () => 0.5,
      notify: async (_place, { name }, count) => void dead.push(...Array<string>(count).fill(name)),
      retentionOf: async () => ({ runs: 0, receipts: 3 * 86_400_000 }),
      wakeAt: () => undefined,
      closing,
    });
    const deliver = async (): Promise<number> => {
      const due = await dueQueueMarks(bench, clock.now());
      renew();
      for (const { scope, item } of due)
        await deliveryPasses.pass({ env: 'test', scope: own.scope(scope), orgCode: 'acme', tenantCode: 'main', item });
      return due.length;
    };
    return { ...made, deliveryPasses, pauses, retryNow, deliver };
  };
  return {
    bench,
    dead,
    errors,
    define,
    node,
    drain: async (of, hours = 30) => {
      const end = clock.now() + hours * 3600 * 1000;
      while (clock.now() < end) {
        while ((await of.deliver()) > 0);
        const [next] = await dueQueueMarks(bench, end);
        if (next === undefined) return;
        clock.advance(Math.max((next.item.due?.at ?? 0) - clock.now(), 1));
      }
    },
    left: () => leftIn(bench),
  };
}

/** A pass in memory that never ends gives no timer its turn: the store ends it. */
function bounded(store: Store): { readonly own: Store; readonly renew: () => void } {
  let callsLeft = callsOfPassesMax;
  const own = interceptStore(store, async (_operation, call) => {
    callsLeft -= 1;
    if (callsLeft < 0) throw new Error(`visits are still going on after ${callsOfPassesMax} calls of the store`);
    return call();
  });
  const renew = (): void => {
    callsLeft = callsOfPassesMax;
  };
  return { own, renew };
}

/** Runs that deliveries have begun stay due: no node of this bench takes them up. */
async function dueQueueMarks({ opened }: RecordBench, at: number) {
  return (await opened.maintenance.due('automation', at, 1000)).filter(({ item }) => !item.sk.startsWith('run;'));
}

async function leftIn(bench: RecordBench): Promise<readonly string[]> {
  const items = await bench.contents();
  return items.filter(({ pk }) => /^(outbox|held|due|lease)(;|$)/.test(pk)).map(({ pk, sk }) => `${pk} ${sk}`);
}

const noWork = new Proxy({} as AutomationWork, {
  get: () => assert.fail('no destination within the platform is asked'),
});

function destinationsOf(receive: Receive, deps: InsideDeps & { readonly closing: AbortSignal }): Destinations {
  const made = createDestinations({
    ...deps,
    request: () => assert.fail('nothing is called'),
    rules: { isDevelopment: false },
    chain: createChainHeader(Buffer.alloc(32)),
  });
  return { ...made, webhook: { deliver: receive } };
}

const standard: EventContent = {
  entity_name: 'order',
  event_name: 'tell',
  event_type: 'webhook',
  event_stage: 'after',
  event_optype: 'create',
  enabled: true,
  destination_config: { url: 'https://shop.example/hook' },
};

/** The receipts of the org, by id of the delivery. */
export async function receiptsOf({
  opened,
}: RecordBench): Promise<ReadonlyMap<string, { state: string; count: number }>> {
  const items = await opened.store.scope(orgScopeName('acme')).range('delivery', { limit: 10_000 });
  return new Map(items.map(({ sk, value }) => [sk, JSON.parse(value)]));
}
