/** The amount that a removal reads, computes and writes at once, whatever its records are like. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { FieldDefinition } from '../../schema/definition.ts';
import { interceptStore } from '../../store/intercepted-store.ts';
import { type Store, TooLarge } from '../../store/port.ts';
import { passSlices } from '../../testing/held-time.ts';
import { openBench, outcomeOf, type RecordBench } from '../../testing/record-bench.ts';
import { workOff } from './testing/removal-stage.ts';

interface Holders {
  readonly onDelete: 'cascade' | 'setnull';
  readonly fields?: readonly FieldDefinition[];
  readonly records: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A record, and others that refer to it. */
async function held(context: TestContext, { onDelete, fields = [], records, body }: Holders) {
  const bench = await openBench(context, 'memory');
  const { admin, runtime, call } = bench.node();
  await admin.define('acme', { entityName: 'root', UpdateParams: [{ name: 'title' }] });
  const lookup = { entity: 'root', onDelete };
  await admin.define('acme', {
    entityName: 'holder',
    UpdateParams: [{ name: 'text', search: true }, { name: 'root_id', colType: 'guid', lookup }, ...fields],
  });
  const { id } = (await runtime.create(await call('root'), { title: 'x' })).data;
  for (let made = 0; made < records; made++) await runtime.create(await call('holder'), { ...body, root_id: id });
  return { bench, id };
}

async function toTheEnd(bench: RecordBench, job: string, store: Store = bench.opened.store): Promise<void> {
  for (let rounds = 0; rounds < 5; rounds++) await workOff(bench, store, 200);
  const found = await bench.node().removals.find(bench.workspace, job);
  assert.equal(found?.job.state, 'done', JSON.stringify(found?.job));
}

/** Text without words, so that it is in no index. */
const long = '-'.repeat(400 * 1024);

test('dependents are read in pages of bounded size, however large they are', async (context) => {
  const { bench, id } = await held(context, { onDelete: 'setnull', records: 30, body: { text: long } });
  let most = 0;
  const store = interceptStore(bench.opened.store, async (_operation, call) => {
    const read = await call();
    if (Array.isArray(read)) most = Math.max(most, JSON.stringify(read).length);
    return read;
  });
  const node = bench.node(store);
  const job = await node.runtime.removeOrStart(await node.call('root'), { id });
  assert.ok(job !== undefined);
  await toTheEnd(bench, job.id, store);
  assert.ok(most < 4 * 1024 * 1024, `${most} characters`);
});

test('a delete that is more than one commit takes is a job, though its dependents are few', async (context) => {
  const words = Array.from({ length: 200 }, (_, index) => `w${index}`).join(' ');
  const many = await held(context, { onDelete: 'cascade', records: 60, body: { text: words } });
  const large = await held(context, { onDelete: 'setnull', records: 24, body: { text: long } });
  for (const { bench, id } of [many, large]) {
    const { runtime, call } = bench.node();
    assert.match(await outcomeOf(runtime.remove(await call('root'), { id })), /^TooLarge/);
    const job = await runtime.removeOrStart(await call('root'), { id });
    assert.ok(job !== undefined);
    await toTheEnd(bench, job.id);
  }
});

test('a delete whose dependents are too large to be held together is a job', async (context) => {
  const { bench, id } = await held(context, { onDelete: 'cascade', records: 45, body: { text: long } });
  const { runtime, call } = bench.node();
  assert.equal(await outcomeOf(runtime.remove(await call('root'), { id })), 'conflict');
  const job = await runtime.removeOrStart(await call('root'), { id });
  assert.ok(job !== undefined);
  await toTheEnd(bench, job.id);
});

test('a step of a job that is more than one commit takes is made smaller', async (context) => {
  const { bench, id } = await held(context, { onDelete: 'setnull', records: 40, body: {} });
  const { removals, call } = bench.node();
  const job = await removals.start(await call('root'), { id });
  const changesMax = 30;
  const small = interceptStore(bench.opened.store, async ({ changes = [] }, make) => {
    if (changes.length > changesMax) throw new TooLarge(`a commit holds at most ${changesMax} changes`);
    return make();
  });
  await toTheEnd(bench, job.id, small);
});

for (const onDelete of ['setnull', 'cascade'] as const)
  test(`others are served between two dependents whose values take long to compute (${onDelete})`, async (context) => {
    const formula = { name: 'length', colType: 'formula', formula: { cel: 'size(text)', type: 'integer' as const } };
    const { bench, id } = await held(context, { onDelete, fields: [formula], records: 40, body: { text: 'x' } });
    passSlices(context);
    let rounds = 0;
    let timer = setImmediate(function served() {
      rounds += 1;
      timer = setImmediate(served);
    });
    context.after(() => clearImmediate(timer));
    const { runtime, call } = bench.node();
    const requested = await call('root');
    const before = rounds;
    await runtime.remove(requested, { id });
    // One round where each is found, and one where its values are computed.
    assert.ok(rounds - before >= 2 * 40, `${rounds - before} rounds`);
  });
