/** Deliveries that stay on the platform: what they did lies in the store once, whenever the process that does it dies. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { itemKey } from '../../config/port.ts';
import { Problem } from '../../lib/problem.ts';
import type { AuthorizedCall } from '../../records/port.ts';
import { Crash, crashing, type Moment } from '../../store/testing/failing-store.ts';
import { isQuick } from '../../store/testing/quick.ts';
import { listAll, type Node } from '../../testing/record-bench.ts';
import type { WorkMeter } from '../automation-deps.ts';
import type { BlockCaller } from '../blocks/caller-effects.ts';
import type { StoredBlocks } from '../blocks/stored-blocks.ts';
import { openOutboxBench, receiptsOf } from '../outbox/testing/outbox-bench.ts';
import type { RunUser } from '../runs/run-rows.ts';
import { type AutomationWork, startRun } from '../runs/runs.ts';
import { openedRuns, runRows } from '../runs/testing/opened-runs.ts';
import { noMeter } from '../testing/no-meter.ts';
import { type DeliveredItem, writerOf } from './destinations.ts';

const blocks: StoredBlocks = {
  at: async ({ name }) => {
    return { name, input: {}, steps: [], returns: undefined, app: undefined, isTransaction: false, calls: [] };
  },
};

async function shop(context: TestContext) {
  const stage = await openOutboxBench(context);
  const { bench } = stage;
  const { workspace, clock } = bench;
  await bench.found(workspace);
  await bench.node().admin.define('acme', {
    entityName: 'log',
    UpdateParams: [{ name: 'of' }, { name: 'note' }, { name: 'code', colType: 'encrypted' }],
  });
  const copied = {
    entity: 'log',
    action: 'create',
    values: { of: '{{record.id}}', note: '{{record.title}}' },
  } as const;
  await stage.define({ event_name: 'copy', event_type: 'record', destination_config: copied });
  await stage.define({ event_name: 'run', event_type: 'logicblock', destination_config: { logicblock: 'keep' } });
  const texts = { to: '{{record.note}}', subject: '{{record.title}}', text: 'Hello' };
  await stage.define({ event_name: 'mail', event_type: 'mail', destination_config: texts });
  const mails: string[] = [];
  const writers: RunUser[] = [];
  /** The problem of a refused call, by the entity. */
  const refusals = new Map<string, Problem>();
  const callerOn = (node: Node): BlockCaller => ({
    workspace,
    actor: { userId: 'u1', claims: {} },
    user: { id: 'u1', email: 'u1@example.com' },
    asApp: () => assert.fail('no block asks'),
    entity: async (name) => (await node.call(name)).entity,
    authorize: async ({ entityName }): Promise<AuthorizedCall> => {
      const refusal = refusals.get(entityName);
      if (refusal !== undefined) throw refusal;
      const access = { rows: () => undefined, rowsOfBody: () => undefined, assertAllowed: () => undefined };
      return { ...(await node.call(entityName)), access };
    },
  });
  const work = (node: Node): AutomationWork => ({
    runtime: node.runtime,
    chain: { write: () => '', read: () => 0 },
    callers: {
      as: async (who) => {
        writers.push(who);
        return callerOn(node);
      },
    },
    mail: {
      deliver: async (_mail, { id }) => {
        mails.push(id);
        return 'sent';
      },
    },
    start: (ask, along) => {
      const items = new Map([...ask.config.items, [itemKey({ kind: 'logicblock', name: 'keep' }), 1]]);
      return startRun({ clock, blocks, runRows, meter: noMeter }, { ...ask, config: { ...ask.config, items } }, along);
    },
  });
  return { stage, bench, mails, writers, refusals, work };
}

type Shop = Awaited<ReturnType<typeof shop>>;

const noReceiver = () => assert.fail('no webhook is called');

/** True where the node lived to the end. */
async function liveAndDie({ stage, bench, mails, work }: Shop, calls: number, when: Moment): Promise<boolean> {
  const dying = stage.node(noReceiver, { store: crashing(bench.opened.store, calls, when), name: 'dying', work });
  const id = bench.newId();
  const isAlive = await (async () => {
    const call = await dying.call('order');
    await dying.runtime.write([{ action: 'create', call, body: { title: id, note: 'ann@example.com' }, id }]);
    await dying.deliver();
    await dying.deliver();
    return true;
  })().catch((error: unknown) => {
    if (!isCrash(error)) throw error;
    return false;
  });
  bench.clock.advance(61_000);
  const next = stage.node(noReceiver, { name: 'next', work });
  await stage.drain(next, 1);
  const orders = await listAll(next, await next.call('order'));
  const expected = orders.some((order) => order.id === id) ? 1 : 0;
  const logs = (await listAll(next, await next.call('log'))).filter(({ of }) => of === id);
  const started = (await openedRuns(bench.workspace.scope)).filter(
    ({ value }) => (value.given?.record as { id?: string } | undefined)?.id === id,
  );
  const place = `${calls} ${when}`;
  assert.deepEqual([logs.length, started.length], [expected, expected], place);
  assert.equal(new Set(mails.splice(0)).size, expected, place);
  assert.deepEqual(
    (await stage.left()).filter((left) => !left.includes('due run')),
    [],
    place,
  );
  return isAlive;
}

function isCrash(error: unknown): boolean {
  return error instanceof Crash || (error instanceof Error && error.cause !== undefined && isCrash(error.cause));
}

for (const when of ['before', 'after'] as const)
  test(`whichever call of the store a node dies ${when}, each write has one copy and one run, and mails of one id`, async (t) => {
    const made = await shop(t);
    let isAlive = false;
    for (let calls = 0; !isAlive; calls += isQuick ? 3 : 1) isAlive = await liveAndDie(made, calls, when);
  });

test('a delivery writes in the name of its writer, and of no user that the record names', async (t) => {
  const { stage, bench, writers, work } = await shop(t);
  const node = stage.node(noReceiver, { work });
  const actors = [
    { userId: 'a', actor: { kind: 'app_user', id: 'a' }, is: { id: 'a', kind: 'person' } },
    { userId: 'b', actor: { kind: 'org_user', id: 'ben' }, is: { id: 'b', kind: 'person', act: 'ben' } },
    { userId: 'c', actor: { kind: 'org_user', id: 'c' }, is: { id: 'c', kind: 'builder', act: 'c' } },
    { userId: 'd', actor: { kind: 'service_key', id: 'd' }, is: { id: 'd', kind: 'service_key' } },
    { userId: 'e', actor: { kind: 'automation', id: 'block' }, is: { id: 'e', kind: 'app' } },
  ] as const;
  for (const { userId, actor } of actors) {
    const auditCaller = { actor, request_id: 'r' };
    const call = await node.call('order', { actor: { userId, claims: {}, auditCaller } });
    await node.runtime.create(call, { title: 'user: root', note: 'ann@example.com' });
    bench.clock.advance(1);
  }
  await stage.drain(node, 1);
  assert.deepEqual(
    writers,
    actors.map(({ is }) => is),
  );
  const started = await openedRuns(bench.workspace.scope);
  assert.deepEqual(
    started.map(({ value }) => value.user),
    actors.map(({ is }) => is),
  );
  for (const kind of ['platform', 'operator', 'deploy_key'] as const) {
    const item = { user: { id: 'x', actor: { kind, id: 'x' } } } as DeliveredItem['item'];
    assert.throws(() => writerOf(item), { message: 'access_denied' });
  }
});

test('what a repetition would not help is dead at once, what may pass is sent again, and neither says a value', async (t) => {
  const { stage, bench, refusals, work } = await shop(t);
  const node = stage.node(noReceiver, { work });
  const states = async (problem: Problem) => {
    refusals.set('log', problem);
    const known = new Set((await receiptsOf(bench)).keys());
    await node.runtime.create(await node.call('order'), { title: 'canary' });
    await node.deliver();
    const fresh = [...(await receiptsOf(bench))].filter(([id]) => !known.has(id)).map(([, receipt]) => receipt);
    assert.ok(!JSON.stringify(fresh).includes('canary'));
    return JSON.parse(JSON.stringify(fresh)).find(({ event }: { event: string }) => event === 'copy');
  };
  for (const code of ['access_denied', 'not_found', 'validation_failed', 'before_event_failed'] as const) {
    const receipt = await states(new Problem(code, 'canary'));
    assert.deepEqual([receipt.state, receipt.attempts.at(-1).answer], ['dead', code]);
  }
  const later = await states(new Problem('unavailable', 'canary'));
  assert.deepEqual([later.state, later.attempts.at(-1).answer], ['retrying', 'unavailable']);
  refusals.clear();
  await stage.drain(node, 1);
  assert.ok(!(await stage.left()).some((left) => left.includes('copy')));
});

test('deliveries above the plan wait, and are made when there is room again', async (t) => {
  const { stage, bench, work } = await shop(t);
  let isFull = true;
  let counted = 0;
  const meter: WorkMeter = {
    add: (_place, kind, by) => {
      if (kind === 'deliveries') counted += by;
    },
    check: () => undefined,
    fullUntil: () => (isFull ? bench.clock.now() + 60_000 : undefined),
  };
  const node = stage.node(noReceiver, { work, meter });
  await node.runtime.create(await node.call('order'), { title: 'one', note: 'ann@example.com' });
  await node.deliver();
  assert.deepEqual([counted, (await receiptsOf(bench)).size], [0, 0]);
  isFull = false;
  await stage.drain(node, 1);
  const receipts = [...(await receiptsOf(bench)).values()];
  assert.deepEqual([counted, receipts.map(({ state }) => state)], [3, Array(3).fill('delivered')]);
});
