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
import type { Outcome } from '../../../work/send.ts';
import { createChainHeader } from '../../chain-header.ts';
import { createLiveEvents } from '../../config/live-events.ts';
import type { Delivery } from '../../destinations/destination.ts';
import type { InsideDeps } from '../../destinations/inside.ts';
import { createDestinations, type Destinations } from '../../destinations/registry.ts';
import type { EventContent } from '../../kinds/event.ts';
import { createSuspensions } from '../../suspensions.ts';
import { noMeter, type WorkMeter } from '../../work-meter.ts';
import type { AutomationWork } from '../../work-port.ts';
import { type BringForward, createBringForward } from '../bring-forward.ts';
import { LaneVisits } from '../lane-visits.ts';
import { createPauses, type Pauses } from '../pauses.ts';
import { createRecordEvents, KnownLanes } from '../record-events.ts';

/** What a receiver does with a delivery. */
export type Receive = (delivery: Delivery) => Promise<Outcome>;

export const delivered: Outcome = { state: 'delivered', status: 200, ms: 1, answer: 'ok' };
export const failure: Outcome = { state: 'failed', status: 503, ms: 1, answer: 'later' };

/** Of all visits that are due at one time. */
const callsOfVisitsMax = 100_000;

/** No node of a bench is closed. */
const closing = new AbortController().signal;

export interface OutboxNode extends Node {
  readonly visits: LaneVisits;
  readonly pauses: Pauses;
  readonly bringForward: BringForward;
  /** Visits what is due now, once. Gives how much that was. */
  deliver(): Promise<number>;
}

export interface NodeOptions {
  readonly store?: Store;
  readonly name?: string;
  /** What the destinations within the platform work with. */
  readonly work?: (node: Node) => AutomationWork;
  readonly meter?: WorkMeter;
}

export interface OutboxBench {
  /** What went wrong that is no refusal. */
  readonly errors: unknown[];
  readonly bench: RecordBench;
  /** Deliveries that came to their end without arriving, as the org was told. */
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
    const inside = { now: () => clock.now(), work: () => work?.(made), meter, closing, onError };
    const destinations = destinationsOf(receive, inside);
    const lanes = new KnownLanes();
    const recordEvents = createRecordEvents({ live, lanes, clock, newId, wake: () => undefined });
    const made = bench.node(own, recordEvents);
    const configs = { test: made.configs, prod: made.configs };
    const bringForward = createBringForward({ stores, wake: () => undefined, onError });
    const pauses = createPauses({ stores, configs, live, clock, bringForward });
    const visits = new LaneVisits({
      ...{ stores, configs, live, lanes, destinations, pauses, clock, meter, node: name },
      suspensions: createSuspensions({ stores, clock }),
      signingRoot: Buffer.alloc(32),
      random: () => 0.5,
      tellDead: async (_place, event, count) => void dead.push(...Array<string>(count).fill(event)),
      retentionOf: async () => ({ runs: 0, receipts: 3 * 86_400_000 }),
      wakeAt: () => undefined,
      closing,
    });
    const deliver = async (): Promise<number> => {
      const due = await dueLanes(bench, clock.now());
      renew();
      for (const { scope, item } of due)
        await visits.visit({ env: 'test', scope: own.scope(scope), orgCode: 'acme', tenantCode: 'main', item });
      return due.length;
    };
    return { ...made, visits, pauses, bringForward, deliver };
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
        const [next] = await dueLanes(bench, end);
        if (next === undefined) return;
        clock.advance(Math.max((next.item.due?.at ?? 0) - clock.now(), 1));
      }
    },
    left: () => leftIn(bench),
  };
}

/** A visit in memory that never ends gives no timer its turn: the store ends it. */
function bounded(store: Store): { readonly own: Store; readonly renew: () => void } {
  let callsLeft = callsOfVisitsMax;
  const own = interceptStore(store, async (_asked, call) => {
    callsLeft -= 1;
    if (callsLeft < 0) throw new Error(`visits are still going on after ${callsOfVisitsMax} calls of the store`);
    return call();
  });
  const renew = (): void => {
    callsLeft = callsOfVisitsMax;
  };
  return { own, renew };
}

/** Runs that deliveries have begun stay due: no node of this bench takes them up. */
async function dueLanes({ opened }: RecordBench, at: number) {
  return (await opened.maintenance.due('automation', at, 1000)).filter(({ item }) => !item.sk.startsWith('run;'));
}

async function leftIn(bench: RecordBench): Promise<readonly string[]> {
  const items = await bench.contents();
  return items.filter(({ pk }) => /^(outbox|held|due|lease)(;|$)/.test(pk)).map(({ pk, sk }) => `${pk} ${sk}`);
}

function destinationsOf(
  receive: Receive,
  {
    work,
    ...deps
  }: Omit<InsideDeps, 'work'> & { readonly closing: AbortSignal; readonly work: () => AutomationWork | undefined },
): Destinations {
  const made = createDestinations({
    ...deps,
    request: () => assert.fail('nothing is called'),
    rules: { isDevelopment: false },
    chain: createChainHeader(Buffer.alloc(32)),
    work: () => work() ?? assert.fail('no destination within the platform is asked'),
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
