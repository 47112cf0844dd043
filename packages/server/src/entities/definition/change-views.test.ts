import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import type { EntityDefinition } from '../../schema/definition.ts';
import { actions } from '../../schema/entity-content.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { RecordBench, SteppedClock } from '../../testing/record-bench.ts';
import type { ShownConfig } from './api-change.ts';

const order: EntityDefinition = {
  entityName: 'order',
  UpdateParams: [{ name: 'title' }],
  Views: { short: { fields: [{ name: 'title' }] } },
};
const own = { other: { fields: [{ name: 'title', as: 'name' }] } };

async function org() {
  const clock = new SteppedClock();
  const bench = new RecordBench(await openStore({ kind: 'memory', clock }), clock);
  await bench.found(bench.workspace);
  const node = bench.node();
  const { version } = await node.admin.define('acme', order);
  const change = (api: string, body: unknown, ifMatch?: readonly string[]) =>
    node.admin.change('acme', { api, body, ...(ifMatch === undefined ? {} : { ifMatch }) });
  return { bench, node, version, change };
}

/** The views of a config beside those that every config has. */
function ownOf({ Views }: ShownConfig): unknown {
  const { default: _default, compact: _compact, ...others } = Views as Record<string, unknown>;
  return others;
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'done',
    (error: unknown) => (error instanceof Problem ? error.code : String(error)),
  );
}

test('every config has the views of the definition until it is given its own', async () => {
  const { node, version, change } = await org();
  const changed = await change('list-order', { Views: own });
  assert.deepEqual(changed, { entityName: 'order', api: 'list-order', version: changed.version });
  const shown = await node.admin.show('acme', 'order');
  for (const action of actions) {
    const isList = action === 'list';
    assert.deepEqual(ownOf(shown[action]), isList ? own : order.Views, action);
    assert.equal(shown[action].version, isList ? changed.version : version, action);
  }
  const { views, generation } = (await node.call('order')).entity;
  assert.deepEqual(
    actions.filter((action) => views.of(action, 'other') !== undefined),
    ['list'],
  );
  assert.deepEqual(
    actions.filter((action) => views.of(action, 'short') === undefined),
    ['list'],
  );
  assert.equal(generation, version);
});

test('the views of a definition that changes are those of every config without its own', async () => {
  const { node, change } = await org();
  await change('list-order', { Views: own });
  await change('create-order', { Views: { long: { fields: [{ name: 'title' }] } } });
  const { views } = (await node.call('order')).entity;
  assert.deepEqual(
    actions.filter((action) => views.of(action, 'long') === undefined),
    ['list'],
  );
});

test('a config that gives up its own views has those of the definition again', async () => {
  const { node, change } = await org();
  await change('list-order', { Views: own });
  await change('list-order', { Views: null });
  assert.deepEqual(ownOf((await node.admin.show('acme', 'order')).list), order.Views);
  await change('list-order', { Views: {} });
  assert.deepEqual(ownOf((await node.admin.show('acme', 'order')).list), {});
});

test('the generated views of a config that was read and put back go on following the catalog', async () => {
  const { node, change } = await org();
  await change('get-order', (await node.admin.show('acme', 'order')).get);
  await change('create-order', { UpdateParams: [{ name: 'title' }, { name: 'amount' }] });
  const { get } = await node.admin.show('acme', 'order');
  const { default: whole } = get.Views as NonNullable<EntityDefinition['Views']>;
  assert.ok(whole?.fields.some(({ name }) => name === 'amount'));
  assert.equal((await node.call('order')).entity.views.of('get', 'default'), 'stored');
});

test('a config that was read can be put back as it is, and only its views can be others', async () => {
  const { node, change } = await org();
  const { list } = await node.admin.show('acme', 'order');
  const { version } = await change('list-order', list);
  const current = await node.admin.show('acme', 'order');
  assert.deepEqual(current.list, { ...list, version });
  for (const member of ['key', 'version', 'entityName', 'action', 'method', 'path'])
    assert.equal(await codeOf(change('list-order', { [member]: 'x' })), 'validation_failed', member);
  for (const member of ['UpdateParams', 'UniqueIndexes', 'colour'])
    assert.equal(await codeOf(change('list-order', { [member]: [] })), 'unknown_field', member);
  assert.equal(await codeOf(change('list-order', { Views: { v: { fields: [{ name: 'none' }] } } })), 'unknown_field');
  assert.equal(await codeOf(change('list-order', { Views: [] })), 'validation_failed');
  assert.equal(await codeOf(change('list-order', [])), 'validation_failed');
  assert.deepEqual(await node.admin.show('acme', 'order'), current);
});

test('views may have as many bytes as a definition', async () => {
  const { change } = await org();
  const names = Array.from({ length: 40 }, (_, index) => `f${index}`);
  await change('create-order', { UpdateParams: names.map((name) => ({ name })) });
  // A view shows a field at most five times.
  const fields = Array.from({ length: 200 }, (_, index) => ({
    name: names[index % 40],
    as: `${'a'.repeat(58)}${index}`,
  }));
  const views = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`v${n}`, { fields }]));
  assert.equal(await codeOf(change('get-order', { Views: views(3) })), 'done');
  assert.equal(await codeOf(change('get-order', { Views: views(4) })), 'validation_failed');
});

test('the version of a config is its own', async () => {
  const { version, change } = await org();
  const first = await change('get-order', { Views: own }, [`"${version}"`]);
  assert.equal(await codeOf(change('get-order', { Views: own }, [`"${version}"`])), 'version_mismatch');
  assert.equal(await codeOf(change('list-order', { Views: own }, [`"${first.version}"`])), 'version_mismatch');
  assert.equal(await codeOf(change('list-order', { Views: own }, [`"${version}"`])), 'done');
});
