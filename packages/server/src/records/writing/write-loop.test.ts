import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import type { FieldDefinition } from '../../schema/definition.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { stopTime } from '../../testing/held-time.ts';
import { derived, listAll, listQuery, type Node, RecordBench, SteppedClock } from '../../testing/record-bench.ts';
import type { RecordData } from '../record.ts';

/** An org with the entity `order`, and two nodes that both know it. */
async function twoNodes() {
  const clock = new SteppedClock();
  const bench = new RecordBench(await openStore({ kind: 'memory', clock }), clock);
  await bench.found(bench.workspace);
  const [one, other] = [bench.node(), bench.node()];
  await define(one, []);
  await other.configs.current('acme');
  return { bench, one, other };
}

function define(node: Node, fields: readonly FieldDefinition[]) {
  const title = { name: 'title', index: true };
  return node.admin.define('acme', { entityName: 'order', UpdateParams: [title, ...fields] });
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'done',
    (error: unknown) => (error instanceof Problem ? error.code : String(error)),
  );
}

const range = (length: number): readonly number[] => Array.from({ length }, (_, index) => index);

test('of any number of updates of one record at once each one counts', async () => {
  const { bench, one } = await twoNodes();
  const names = range(60).map((index) => `f${index}`);
  await one.admin.define('acme', { entityName: 'wide', UpdateParams: names.map((name) => ({ name })) });
  const call = await one.call('wide');
  const { data } = await one.runtime.create(call, {});
  await Promise.all(names.map((name) => one.runtime.update(call, { id: data.id, body: { [name]: name } })));
  const item = await one.runtime.get(call, data.id);
  const stored = JSON.parse(item?.value ?? '') as RecordData;
  for (const name of names) assert.equal(stored[name], name);
  const { actual, expected } = await derived(bench, call);
  assert.deepEqual(actual, expected);
});

test('an update that two nodes make at once is lost by neither', async () => {
  const { bench, one, other } = await twoNodes();
  await one.admin.define('acme', { entityName: 'pair', UpdateParams: [{ name: 'a', index: true }, { name: 'b' }] });
  await other.configs.refresh('acme');
  const call = await one.call('pair');
  const { data } = await one.runtime.create(call, {});
  for (const turn of range(20).map(String)) {
    const update = (node: Node, body: object) => node.runtime.update(call, { id: data.id, body });
    await Promise.all([update(one, { a: turn }), update(other, { b: turn })]);
    const item = await one.runtime.get(call, data.id);
    const { a, b } = JSON.parse(item?.value ?? '') as RecordData;
    assert.deepEqual([a, b], [turn, turn]);
  }
  const { actual, expected } = await derived(bench, call);
  assert.deepEqual(actual, expected);
});

test('a record that moves from key to key is there for every reader and writer', async (context) => {
  stopTime(context);
  const { bench, one, other } = await twoNodes();
  const baseKeys = { pkTemplate: 'org#{org};by#{place}', skTemplate: 'x#{id}' };
  const UpdateParams = [{ name: 'place' }, { name: 'note' }];
  await one.admin.define('acme', { entityName: 'moving', baseKeys, UpdateParams });
  const call = await one.call('moving');
  const { id } = (await one.runtime.create(call, { place: 'start' })).data;
  const moves = range(40).map((index) => one.runtime.update(call, { id, body: { place: `p${index}` } }));
  const notes = range(10).map((index) => other.runtime.update(call, { id, body: { note: String(index) } }));
  const reads = range(200).map(() => other.runtime.get(call, id));
  for (const item of await Promise.all(reads)) assert.ok(item !== undefined);
  const outcomes = await Promise.all([...moves, ...notes].map(codeOf));
  assert.deepEqual(new Set(outcomes), new Set(['done']));
  const { actual, expected } = await derived(bench, call);
  assert.deepEqual(actual, expected);
});

test('of updates that hold one version by `If-Match` exactly one wins', async () => {
  const { one, other } = await twoNodes();
  const call = await one.call('order');
  const { data, version } = await one.runtime.create(call, { title: 'x' });
  const input = (title: string) => ({ id: data.id, body: { title }, ifMatch: [`"${version}"`] });
  const codes = await Promise.all(
    range(20).map((index) => codeOf((index % 2 === 0 ? one : other).runtime.update(call, input(`t${index}`)))),
  );
  assert.deepEqual(codes.toSorted(), ['done', ...range(19).map(() => 'version_mismatch')]);
});

test('of removals of one record exactly one finds it, and it is counted once', async () => {
  const { bench, one, other } = await twoNodes();
  const call = await one.call('order');
  const { data } = await one.runtime.create(call, { title: 'x' });
  const codes = await Promise.all(range(10).map((n) => codeOf((n % 2 ? one : other).runtime.remove(call, data))));
  assert.deepEqual(codes.toSorted(), ['done', ...range(9).map(() => 'not_found')]);
  const { actual, expected } = await derived(bench, call);
  assert.deepEqual(actual, expected);
});

test('a node that knows only a removed definition writes by the new one of that name', async () => {
  const { bench, one, other } = await twoNodes();
  const stale = await other.call('order');
  await other.runtime.create(stale, { title: 'old' });
  await one.admin.remove('acme', 'order');
  await bench.workOff();
  await define(one, [{ name: 'colour', default: 'red' }]);
  const { data } = await other.runtime.create(stale, { title: 'new' });
  assert.equal(data.colour, 'red');
  const call = await one.call('order');
  assert.deepEqual(
    (await listAll(one, call)).map(({ title }) => title),
    ['new'],
  );
  assert.equal((await one.runtime.count(call, listQuery(call))).count, 1);
});

test('a node that knows only a removed definition learns that it is gone, once its records are being removed', async () => {
  const { bench, one, other } = await twoNodes();
  const stale = await other.call('order');
  const { data } = await other.runtime.create(stale, { title: 'old' });
  await one.admin.remove('acme', 'order');
  await bench.workOff();
  const writes = [
    other.runtime.create(stale, { title: 'new' }),
    other.runtime.update(stale, { id: data.id, body: { title: 'new' } }),
    other.runtime.remove(stale, { id: data.id }),
  ];
  assert.deepEqual(await Promise.all(writes.map(codeOf)), ['not_found', 'not_found', 'not_found']);
  const left = (await bench.contents()).map(({ pk, sk, value }) => [pk, sk, value]);
  assert.deepEqual(
    left.filter(([pk]) => pk !== 'fence'),
    [['count', 'order', '0']],
  );
});

test('a write in a workspace that is closed finds nothing', async () => {
  const { bench, one } = await twoNodes();
  await one.admin.define('acme', { entityName: 'unused' });
  const [call, unused] = [await one.call('order'), await one.call('unused')];
  const { data } = await one.runtime.create(call, { title: 'x' });
  await bench.opened.maintenance.setState(bench.workspace.scope.name, 'closed');
  for (const { runtime } of [one, bench.node()]) {
    const update = runtime.update(call, { id: data.id, body: {} });
    const writes = [runtime.create(call, {}), update, runtime.remove(call, data), runtime.create(unused, {})];
    assert.deepEqual(await Promise.all(writes.map(codeOf)), ['not_found', 'not_found', 'not_found', 'not_found']);
  }
});
