import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createConfigReader } from '../../config/config-reader.ts';
import { signedHeaders } from '../../lib/network/signature.ts';
import type { Store } from '../../store/port.ts';
import { Crash, crashing, type Moment } from '../../store/testing/failing-store.ts';
import { raceKinds, type StoreKind } from '../../store/testing/open-test-store.ts';
import { createStoredBlocks } from '../blocks/stored-blocks.ts';
import { chainHeaderName, createChainHeader } from '../chain-header.ts';
import { startRun } from '../runs/runs.ts';
import { runRows } from '../runs/testing/opened-runs.ts';
import { openScheduleBench, orgCode } from '../schedules/testing/schedule-bench.ts';
import { noMeter } from '../testing/no-meter.ts';
import { createHookCallLog, type Hooks, openHooks } from './hooks.ts';

const secret = 'the secret of this hook';
const chain = createChainHeader(Buffer.alloc(32));
const hook = { signature: 'standard', secrets: ['pay'] } as const;

async function openBench(context: TestContext, kind: StoreKind) {
  const bench = await openScheduleBench(context, kind);
  await bench.define('paid', { run_as: 'app', hook });
  const { clock, newId, opened } = bench.bench;
  const node = (own: Store = opened.store): Hooks => {
    const configs = createConfigReader({ store: own, clock });
    const both = { configs: { test: configs, prod: configs }, stores: { test: own, prod: own } };
    const deps = { ...both, clock, blocks: createStoredBlocks(both) };
    return openHooks({
      ...{ ...deps, newId, chain },
      secrets: { open: async (_env, _org, name) => (name === 'pay' ? { value: secret, hosts: [] } : undefined) },
      meter: { check: () => undefined },
      start: (ask, along) => startRun({ ...deps, runRows, meter: noMeter }, ask, along),
      hasOrg: async (code) => code === orgCode,
      calls: createHookCallLog(clock),
    });
  };
  const send = async (hooks: Hooks, id: string, { input = {}, depth = 0 } = {}) => {
    const body = JSON.stringify(input);
    const headers: Readonly<Record<string, string>> = {
      ...signedHeaders([Buffer.from(secret)], { id, body }, clock.now()),
      [chainHeaderName]: chain.write(depth, clock.now()),
    };
    const header = (name: string) => headers[name];
    const place = { env: 'test', orgCode, block: 'paid' } as const;
    return hooks.begin(await hooks.recognize({ ...place, header, body: Buffer.from(body) }), { input, body: input });
  };
  return { ...bench, node, send };
}

for (const kind of raceKinds) {
  test(`K02 a message that comes twenty times at once to two nodes begins one run (${kind})`, async (context) => {
    const { node, send, runsOf } = await openBench(context, kind);
    const nodes = [node(), node()] as const;
    const sent = Array.from({ length: 20 }, (_, index) => send(nodes[index % 2 === 0 ? 0 : 1], 'msg_1'));
    const started = new Set((await Promise.all(sent)).map(({ run }) => run));
    const stored = (await runsOf()).map(({ id }) => id);
    assert.deepEqual([started.size, stored], [1, [...started]]);
    const { run } = await send(nodes[0], 'msg_2');
    assert.deepEqual((await runsOf()).map(({ id }) => id).sort(), [...started, run].sort());
  });

  test(`K02 a message has one run, at whichever call of the store the node dies that takes it (${kind})`, async (context) => {
    const { node, send, runsOf, bench } = await openBench(context, kind);
    const started: string[] = [];
    for (const when of ['before', 'after'] satisfies Moment[])
      for (let left = 0; ; left++) {
        const id = `${when} ${left}`.replace(' ', '-');
        const hasDied = await send(node(crashing(bench.opened.store, left, when)), id).then(
          () => false,
          (error: unknown) => {
            assert.ok(error instanceof Crash, String(error));
            return true;
          },
        );
        started.push((await send(node(), id)).run);
        assert.deepEqual((await runsOf()).map((run) => run.id).sort(), started.toSorted(), id);
        if (!hasDied) break;
      }
    assert.ok(started.length > 10, `${started.length} calls`);
  });
}

test('a message that came so long ago that it is forgotten begins a run of its own, also before it is swept', async (context) => {
  const { node, send, bench } = await openBench(context, 'memory');
  const started: string[] = [];
  for (let time = 0; time < 2; time += 1) {
    started.push((await send(node(), 'msg_1')).run, (await send(node(), 'msg_1')).run);
    bench.clock.advance(8 * 86_400_000);
  }
  assert.deepEqual(
    [started[0] === started[1], started[1] === started[2], started[2] === started[3]],
    [true, false, true],
  );
});

test('K11 a message that a run has led to counts on from the depth of the run, and a false depth is none', async (context) => {
  const { node, send, runsOf } = await openBench(context, 'memory');
  await send(node(), 'msg_1', { depth: 7 });
  const [run] = await runsOf();
  assert.deepEqual([run?.depth, run?.chain], [7, []]);
  assert.deepEqual(chain.read('7.1800000000.AAAAAAAAAAAAAAAAAAAAAA', 1_800_000_000_000), 0);
});

test('K04 nothing in a message says where, as whom, how long or how deep its run works', async (context) => {
  const { node, send, runsOf, bench } = await openBench(context, 'memory');
  await bench.found(bench.workspaceOf('t2'));
  const members = {
    ...{ org: 'beta', tenant_id: 'id of t2', tenant_code: 't2', env: 'prod', run_as: 'caller', timeout: 1e9 },
    ...{
      depth: 99,
      chain: ['x'],
      user: { id: 'u2', kind: 'builder' },
      trigger: { kind: 'call', id: 'r1' },
      block: 'other',
    },
    ...{ id: 'x', given: { event: {} }, blocks: { paid: 1 }, version: 1, state: 'done', now: 0, taken: 9 },
  };
  const { run: plain } = await send(node(), 'plain');
  for (const [id, input] of [
    ['flat', members],
    ['nested', { metadata: members, job: members }],
  ] as const) {
    const { run } = await send(node(), id, { input });
    const stored = (await runsOf()).find((one) => one.id === run) ?? assert.fail(id);
    const without = (await runsOf()).find((one) => one.id === plain) ?? assert.fail(id);
    const event = { ...(without.given?.event as object), id };
    const trigger = { ...without.trigger, id };
    assert.deepEqual(stored, { ...without, id: run, input, trigger, given: { event } });
  }
  assert.deepEqual(await runsOf('t2'), []);
});

test('a message to a suspended workspace is refused and begins a run when it comes again; one that was taken is answered', async (context) => {
  const { node, send, runsOf, bench } = await openBench(context, 'memory');
  const hooks = node();
  const taken = await send(hooks, 'msg_1');
  await bench.found(bench.workspace, { at: '2026-11-01T00:00:00Z', by: 'b1', reason: 'a dispute' });
  assert.deepEqual(await send(hooks, 'msg_1'), taken);
  await assert.rejects(send(hooks, 'msg_2'), { code: 'workspace_suspended' });
  const named = { env: 'test', orgCode, block: 'paid' } as const;
  const { ready, reason } = await hooks.show(named);
  assert.deepEqual([ready, reason], [false, 'workspace_suspended']);
  await bench.found(bench.workspace);
  const { run } = await send(hooks, 'msg_2');
  assert.deepEqual((await runsOf()).map(({ id }) => id).sort(), [taken.run, run].sort());
});
