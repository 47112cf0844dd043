import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Problem } from '../../lib/problem.ts';
import type { Scope, Store } from '../../store/port.ts';
import { openBench } from '../../testing/record-bench.ts';
import type { LogicBlockContent } from '../kinds/logicblock.ts';
import { openRunBench, type RunBench } from '../runs/testing/run-bench.ts';
import { createDrafts, type DraftDeps, type DraftResult } from './draft-run.ts';

const by = { at: '2026-11-01T00:00:00.000Z', actor: { kind: 'org_user', id: 'b1' }, request_id: 'r1' } as const;

/** The store as it is, but that nothing can be written. */
function readOnly(store: Store): Store {
  const scopeOf = (scope: Scope): Scope => ({
    name: scope.name,
    get: (keys) => scope.get(keys),
    range: (pk, read) => scope.range(pk, read),
    follow: (pk, read) => scope.follow(pk, read),
    count: (pk, range, atMost) => scope.count(pk, range, atMost),
    select: (pk, read) => scope.select(pk, read),
    measure: (pk, read) => scope.measure(pk, read),
    commit: () => assert.fail('a draft writes nothing'),
  });
  return {
    scope: (name) => scopeOf(store.scope(name)),
    health: () => store.health(),
    close: () => store.close(),
  };
}

interface Stage {
  readonly bench: RunBench;
  readonly deps: DraftDeps;
  run(steps: readonly object[], more?: object): Promise<DraftResult>;
}

const request = (steps: readonly object[], { input = {}, ...members }: { readonly input?: unknown } = {}) => ({
  ...{ orgCode: 'acme', tenantCode: 'main', input, by },
  content: { name: 'draft', steps, ...members } as LogicBlockContent,
});

async function openStage(t: TestContext): Promise<Stage> {
  const records = await openBench(t);
  await records.node().admin.define('acme', {
    entityName: 'order',
    UpdateParams: [
      { name: 'title', required: true },
      { name: 'amount', colType: 'integer' },
      { name: 'number', colType: 'autoincrement' },
      { name: 'card', colType: 'encrypted' },
    ],
  });
  const bench = await openRunBench(records, { blocks: {} });
  const store = readOnly(records.opened.store);
  const { configs } = records.node(store);
  const deps = { ...bench.deps(store), configs: { test: configs, prod: configs } };
  return { bench, deps, run: (steps, more) => createDrafts(deps).run(request(steps, more)) };
}

const make = { id: 'make', type: 'create', entity: 'order', values: { title: '{{ input.title }}', card: '4111' } };

test('a draft reads, judges what it would write, and writes nothing', async (t) => {
  const { bench, run } = await openStage(t);
  const node = bench.records.node();
  const { data } = await node.runtime.create(await node.call('order'), { title: 'one', amount: 1 });
  const record = data.id;
  const result = await run(
    [
      make,
      { id: 'read', type: 'get', entity: 'order', record },
      { id: 'change', type: 'update', entity: 'order', record, values: { amount: '{{ steps.read.amount + 1.0 }}' } },
      { id: 'gone', type: 'delete', entity: 'order', record },
      { id: 'pause', type: 'wait', seconds: 86_400 },
      {
        id: 'each',
        type: 'loop',
        over: [1, 2],
        max: 2,
        steps: [{ id: 'in', type: 'transform', value: '{{ steps.each.item }}' }],
      },
    ],
    { input: { title: 'two' }, returns: { title: '{{ steps.make.title }}', amount: '{{ steps.change.amount }}' } },
  );
  assert.deepEqual([result.error, result.returns], [undefined, { title: 'two', amount: 2 }]);
  assert.deepEqual(
    result.steps.map(({ path, id, skipped }) => [path, id, skipped === true]),
    [
      ['0000', 'make', true],
      ['0001', 'read', false],
      ['0002', 'change', true],
      ['0003', 'gone', true],
      ['0004', 'pause', true],
      ['0005', 'each', false],
      ['0005.0000.0000', 'in', false],
      ['0005.0001.0000', 'in', false],
    ],
  );
  assert.equal((await node.runtime.get(await node.call('order'), record))?.value.includes('"amount":1'), true);
  // The requests of the steps, without values of encrypted fields.
  assert.deepEqual(
    result.steps.slice(0, 5).map(({ input }) => input),
    [
      { entity: 'order', values: { title: 'two', card: '***' } },
      { entity: 'order', record },
      { entity: 'order', record, values: { amount: 2 } },
      { entity: 'order', record },
      undefined,
    ],
  );
});

test('what would be refused is refused, and names its step', async (t) => {
  const { run } = await openStage(t);
  const refused = async (step: object) => {
    const { error, steps } = await run([{ id: 'first', type: 'transform', value: 1 }, step]);
    const [, last] = steps;
    assert.deepEqual([steps.length, error?.step, last?.id], [2, 'bad', 'bad']);
    assert.deepEqual([last?.error, last?.output], [{ code: error?.code, message: error?.message }, undefined]);
    return error?.code;
  };
  const values = { amount: 'much' };
  assert.equal(await refused({ id: 'bad', type: 'create', entity: 'order', values }), 'wrong_type');
  assert.equal(await refused({ id: 'bad', type: 'update', entity: 'order', record: 'none', values }), 'not_found');
  assert.equal(await refused({ id: 'bad', type: 'delete', entity: 'order', record: 'none' }), 'not_found');
  assert.equal(await refused({ id: 'bad', type: 'call', logicblock: 'other' }), 'block_failed');
  const own = { id: 'bad', type: 'raise', status: 409, code: 'taken', message: 'it is taken' };
  assert.equal(await refused(own), 'taken');
});

test('K08: a draft shows no value that it would write to an encrypted field', async (t) => {
  const { run } = await openStage(t);
  const copied = { id: 'copied', type: 'transform', value: { of: '{{ input.card }}' } };
  const write = { ...make, values: { title: 'one', card: '{{ input.card }}' } };
  const card = '4111-1111-1111-1111';
  const result = await run([copied, write], { input: { card }, returns: 'card {{ input.card }}' });
  assert.equal(result.returns, 'card ***');
  assert.ok(!JSON.stringify(result).includes(card));
});

test('values that are more than a reply takes are left out', async (t) => {
  const { run } = await openStage(t);
  const steps = Array.from({ length: 5 }, (_, index) => ({
    id: `s${index}`,
    type: 'transform',
    value: '{{ input.text }}',
  }));
  const result = await run(steps, { input: { text: 'a'.repeat(300_000) }, returns: 1 });
  assert.deepEqual(
    result.steps.map(({ output }) => output !== undefined),
    [true, true, true, false, false],
  );
  assert.deepEqual([result.returns, result.cut], [1, true]);
});

test('a draft ends at its time, and no more of an org are under way than its share', async (t) => {
  const { deps } = await openStage(t);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let started = 0;
  const scripts = { run: () => new Promise<never>(() => void started++) };
  const drafts = createDrafts({ ...deps, scripts, millisecondsMax: 200 });
  const slow = request([{ id: 'slow', type: 'script', source: 'return 1' }]);
  const runs = Array.from({ length: 25 }, () => drafts.run(slow));
  const results = Promise.allSettled(runs);
  while (started < 4) await nextTurn();
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  assert.equal(started, 4);
  t.mock.timers.tick(200);
  const codes = (await results).map((one) => {
    if (one.status === 'fulfilled') return one.value.error?.code;
    return one.reason instanceof Problem && one.reason.code;
  });
  assert.deepEqual(codes.toSorted(), [...Array(20).fill('block_failed'), ...Array(5).fill('rate_limited')]);
  assert.equal((await drafts.run(request([{ id: 'fast', type: 'transform', value: 1 }]))).steps.length, 1);
});

test('a draft shows what an aggregate asks, with the values of its condition, and what it gives', async (t) => {
  const { bench, run } = await openStage(t);
  const node = bench.records.node();
  for (const [title, amount] of [
    ['one', 1],
    ['one', 2],
    ['two', 9],
  ] as const)
    await node.runtime.create(await node.call('order'), { title, amount });
  const sums = {
    ...{ id: 'sums', type: 'aggregate', entity: 'order', group: 'title', measure: 'count,sum:amount' },
    ...{ filters: [{ field: 'amount', op: 'gte', value: '{{ input.least }}' }], all: true },
    having: 'sum_amount > {{ input.above }} && title != {{ input.not }}',
  };
  const input = { least: 1, above: 2.5, not: 'two' };
  const { steps, returns, error } = await run([sums], {
    input,
    returns: '{{ steps.sums.items[0].values.sum_amount }}',
  });
  assert.deepEqual([error, returns], [undefined, 3]);
  assert.deepEqual(
    steps.map((step) => ({ ...step, ms: 0 })),
    [
      {
        ...{ path: '0000', id: 'sums', type: 'aggregate', ms: 0 },
        input: {
          entity: 'order',
          parameters: {
            ...{ amount: '1', amount_op: 'gte', $group: 'title', $measure: 'count,sum:amount', pagesize: '1000' },
            $having: 'sum_amount > _1                && title != _2             ',
          },
          values: { _1: 2.5, _2: 'two' },
          all: true,
        },
        output: {
          items: [{ group: { title: 'one' }, values: { count: 2, sum_amount: 3 } }],
          ...{ count: 1, has_more: false, partial: false },
        },
      },
    ],
  );
  const wrong = await run([{ ...sums, group: 'none' }], { input });
  assert.deepEqual([wrong.error?.code, wrong.error?.step], ['unknown_field', 'sums']);
});

test('later steps of a transaction see what those before would write, and nothing is written', async (t) => {
  const { bench, run } = await openStage(t);
  const node = bench.records.node();
  const lookup = { entity: 'order', onDelete: 'restrict' };
  await node.admin.define('acme', {
    entityName: 'line',
    UpdateParams: [{ name: 'code' }, { name: 'order_id', colType: 'guid', lookup }],
    UniqueIndexes: [{ indexName: 'by_code', fields: ['code'] }],
  });
  await node.configs.refresh('acme');
  const order = await node.runtime.create(await node.call('order'), { title: 'one' });
  await node.runtime.create(await node.call('line'), { code: 'a', order_id: order.data.id });
  const line = (id: string, code: string) => ({
    ...{ id, type: 'create', entity: 'line' },
    values: { code, order_id: '{{ steps.make.id }}' },
  });
  const list = { id: 'list', type: 'list', entity: 'order', sortby: 'created_at' };
  const change = {
    id: 'change',
    type: 'update',
    entity: 'order',
    record: '{{ steps.make.id }}',
    values: { amount: 7 },
  };
  const whole = await run([make, line('line', 'b'), change, list], {
    ...{ input: { title: 'two' }, transaction: true },
    returns: { items: '{{ steps.list.items }}', number: '{{ steps.make.number }}' },
  });
  assert.deepEqual(whole.error, undefined);
  const { items, number } = whole.returns as { items: readonly { amount?: number }[]; number: number };
  assert.deepEqual([items.map(({ amount }) => amount).sort(), number], [[7, undefined], 1]);
  for (const [code, taken] of [
    ['a', 'line'],
    ['c', 'again'],
  ] as const) {
    const { error } = await run([make, line('line', code), line('again', 'c')], {
      ...{ input: { title: 'two' }, transaction: true },
    });
    assert.deepEqual([error?.code, error?.step], ['unique_violation', taken]);
  }
  const restricted = await run([{ id: 'drop', type: 'delete', entity: 'order', record: order.data.id }], {
    transaction: true,
  });
  assert.equal(restricted.error?.code, 'dangling_reference');
});
