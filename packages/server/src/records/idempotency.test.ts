import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Change, OutcomeUnknown, Unavailable } from '../store/port.ts';
import { derived, listAll, openBench, outcomeOf, type RecordBench } from '../testing/record-bench.ts';
import { createIdempotency, type OnceRequest } from './repeated-requests.ts';
import type { RecordCall } from './writing/write-loop.ts';
import type { RecordOperation } from './writing/write-records.ts';

const day = 24 * 60 * 60 * 1000;

async function benchWithOrders(...args: Parameters<typeof openBench>): Promise<RecordBench> {
  const bench = await openBench(...args);
  const title = { name: 'title', index: true };
  const UpdateParams = [title, { name: 'number', colType: 'autoincrement' }, { name: 'secret', colType: 'encrypted' }];
  const UniqueIndexes = [{ indexName: 'title', fields: ['title'] }];
  await bench.node().admin.define('acme', { entityName: 'order', UpdateParams, UniqueIndexes });
  return bench;
}

function requestOf({ clock }: RecordBench, content: unknown, key = 'key', principal = 'ann'): OnceRequest {
  return createIdempotency(Buffer.alloc(32), clock)({ principal, key, content: [content] });
}

const range = (length: number): readonly number[] => Array.from({ length }, (_, index) => index);

/** The records are those that are listed, and beside them lies what they derive, also the count. */
async function titlesOf(bench: RecordBench): Promise<readonly unknown[]> {
  const node = bench.node();
  const call = await node.call('order');
  const { actual, expected } = await derived(bench, call);
  assert.deepEqual(actual, expected);
  return (await listAll(node, call)).map(({ title }) => title).toReversed();
}

async function answersKept(bench: RecordBench): Promise<number> {
  return (await bench.contents()).filter(({ pk }) => pk === 'idempotency').length;
}

for (const kind of ['memory', 'sqlite'] as const)
  test(`of 32 sendings of a request at once, on several nodes, one counts and all have its answer (${kind})`, async (context) => {
    const bench = await benchWithOrders(context, kind);
    const nodes = [bench.node(), bench.node(), bench.node()];
    // A record that may be there once only is refused in other ways.
    const bodies = range(6).map((round) => (round % 2 === 0 ? {} : { title: `order ${round}` }));
    for (const [round, body] of bodies.entries()) {
      const once = requestOf(bench, body, `key ${round}`);
      const sendings = range(32).map(async (index) => {
        const node = nodes[index % nodes.length] ?? bench.node();
        return node.runtime.create(await node.call('order'), body, once);
      });
      const answers = await Promise.all(sendings);
      assert.equal(answers.filter(({ isReplayed }) => !isReplayed).length, 1);
      assert.equal(new Set(answers.map(({ data, version }) => JSON.stringify([data, version]))).size, 1);
    }
    assert.deepEqual(
      await titlesOf(bench),
      bodies.map(({ title }) => title),
    );
  });

test('D12: a request that is sent again after a crash at any commit counts once', async (context) => {
  const replayed = new Set<string>();
  for (const crashAt of range(6))
    for (const when of ['before', 'after'] as const) {
      const bench = await benchWithOrders(context);
      const [body, node] = [{ title: 'new' }, bench.node()];
      const once = requestOf(bench, body);
      await node.runtime.create(await crashingCall(bench, crashAt, when), body, once).catch(() => undefined);
      const again = bench.node();
      const { data, version, isReplayed } = await again.runtime.create(await again.call('order'), body, once);
      if (isReplayed) replayed.add(`${when} ${crashAt}`);
      assert.deepEqual(await titlesOf(bench), ['new'], `crash ${when} commit ${crashAt}`);
      const item = await again.runtime.get(await again.call('order'), data.id);
      assert.deepEqual([item?.version, item?.value], [version, JSON.stringify(data)]);
      const { actual, expected } = await derived(bench, await again.call('order'));
      assert.deepEqual(actual, expected, 'the records are counted as they are');
    }
  // The commits before it are those of the fence and of the number.
  assert.deepEqual([...replayed], ['after 2', 'before 3', 'after 3', 'before 4', 'after 4', 'before 5', 'after 5']);
});

test('a batch that is sent again after a crash at any commit is done once and as a whole', async (context) => {
  for (const crashAt of range(6))
    for (const when of ['before', 'after'] as const) {
      const bench = await benchWithOrders(context);
      const first = bench.node();
      const current = await Promise.all(
        ['a', 'b'].map(async (title) => first.runtime.create(await first.call('order'), { title })),
      );
      const [a = '', b = ''] = current.map(({ data }) => data.id);
      const operations = (call: RecordCall): readonly RecordOperation[] => [
        { action: 'create', call, body: { title: 'b' } },
        { action: 'update', call, input: { id: a, body: { title: 'c' } } },
        { action: 'delete', call, input: { id: b } },
      ];
      const once = requestOf(bench, 'batch');
      const call = await crashingCall(bench, crashAt, when);
      await bench
        .node()
        .runtime.write(operations(call), { once })
        .catch(() => undefined);
      const again = bench.node();
      const { records } = await again.runtime.write(operations(await again.call('order')), { once });
      assert.deepEqual(await titlesOf(bench), ['c', 'b'], `crash ${when} commit ${crashAt}`);
      assert.deepEqual(
        records.map((record) => record?.data.title),
        ['b', 'c', undefined],
      );
    }
});

/** A call in a workspace that fails one commit and every one after it, with the commit done or not. */
async function crashingCall(bench: RecordBench, crashAt: number, when: 'before' | 'after'): Promise<RecordCall> {
  const { scope } = bench.workspace;
  let commits = 0;
  const commit = async (changes: readonly Change[]) => {
    const number = commits++;
    if (number < crashAt) return scope.commit(changes);
    if (number > crashAt || when === 'before') throw new Unavailable('crashed');
    await scope.commit(changes);
    throw new OutcomeUnknown('crashed');
  };
  return bench.node().call('order', { workspace: { ...bench.workspace, scope: { ...scope, commit } } });
}

test('a request that is refused leaves nothing, and may be sent again', async (context) => {
  const bench = await benchWithOrders(context);
  const node = bench.node();
  const call = await node.call('order');
  const { data } = await node.runtime.create(call, { title: 'taken' });
  const once = requestOf(bench, 'taken');
  const send = () => node.runtime.create(call, { title: 'taken' }, once);
  assert.equal(await outcomeOf(send()), 'unique_violation');
  assert.equal(await outcomeOf(node.runtime.create(call, { nothing: 1 }, once)), 'unknown_field');
  assert.equal(await answersKept(bench), 0);
  await node.runtime.remove(call, data);
  assert.equal((await send()).isReplayed, false);
  assert.equal((await send()).isReplayed, true);
});

test('another request under a key is refused, and another person or workspace has keys of its own', async (context) => {
  const bench = await benchWithOrders(context);
  const node = bench.node();
  const call = await node.call('order');
  const send = (title: string, once: OnceRequest, workspace = bench.workspace) =>
    outcomeOf(node.runtime.create({ ...call, workspace }, { title }, once));
  assert.equal(await send('a', requestOf(bench, 'a')), 'done');
  assert.equal(await send('b', requestOf(bench, 'b')), 'idempotency_key_reused');
  assert.deepEqual(await titlesOf(bench), ['a']);
  assert.equal(await send('b', requestOf(bench, 'b', 'key', 'bob')), 'done');
  assert.equal(await send('b', requestOf(bench, 'b'), bench.workspaceOf('other')), 'done');
  assert.deepEqual(await titlesOf(bench), ['a', 'b']);
});

test('of two requests under one key at once one counts, and the other is refused', async (context) => {
  const bench = await benchWithOrders(context);
  const nodes = [bench.node(), bench.node()];
  for (const round of range(20)) {
    const sendings = nodes.map(async (node, index) => {
      const title = `${round} ${index}`;
      return outcomeOf(node.runtime.create(await node.call('order'), { title }, requestOf(bench, title, `${round}`)));
    });
    assert.deepEqual((await Promise.all(sendings)).sort(), ['done', 'idempotency_key_reused']);
  }
  assert.equal((await titlesOf(bench)).length, 20);
});

test('an answer is kept for 24 hours', async (context) => {
  const bench = await benchWithOrders(context);
  const node = bench.node();
  const call = await node.call('order');
  const send = async () => (await node.runtime.create(call, {}, requestOf(bench, 'a'))).isReplayed;
  assert.equal(await send(), false);
  bench.clock.advance(day - 1);
  assert.equal(await send(), true);
  bench.clock.advance(1);
  assert.equal(await send(), false);
  assert.equal((await titlesOf(bench)).length, 2);
});

test('neither a key nor what was sent can be read from what is kept', async (context) => {
  const bench = await benchWithOrders(context);
  const node = bench.node();
  const body = { title: 'a', secret: 'the secret value' };
  await node.runtime.create(await node.call('order'), body, requestOf(bench, body, 'the key itself'));
  assert.equal(await answersKept(bench), 1);
  assert.doesNotMatch(JSON.stringify(await bench.contents()), /the secret value|the key itself/);
});
