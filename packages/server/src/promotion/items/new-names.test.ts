/** Names that no new entity may have: every door refuses them, and a stored entity is changed, promoted and restored. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routeActionNames } from '@freehold/contract/route-actions';
import { Problem } from '../../lib/problem.ts';
import { writeArchive } from '../archive/config-archive.ts';
import { command, org, TwoSpaces } from '../testing/proof/two-spaces.ts';

const contentOf = (entityName: string, fields: readonly string[] = ['title']) => ({
  definition: { entityName, UpdateParams: fields.map((name) => ({ name, colType: 'string' })) },
  views: {},
});
const itemOf = (name: string) => ({ kind: 'entity', name }) as const;
const options = { removes: false, force: false, base: undefined, refusalOf: () => undefined };

function archiveOf(...names: readonly string[]): Buffer {
  const items = names.map((name) => ({ ...itemOf(name), version: 1, content: contentOf(name) }));
  return Buffer.from([...writeArchive(items)].join(''));
}

/** An org with an entity that an earlier version of the platform took. */
async function withStored(name: string): Promise<TwoSpaces> {
  const spaces = await TwoSpaces.inMemory();
  await spaces.editEntity('substitute', { UpdateParams: [{ name: 'title' }] });
  return spaces.copy((text) => text.replaceAll('substitute', name));
}

function isRefused(pointer: string) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof Problem, String(error));
    assert.equal(error.code, 'validation_failed');
    const [found, ...others] = error.details.errors ?? [];
    assert.deepEqual([found?.pointer, found?.code, others], [pointer, 'invalid_name', []]);
    assert.match(found?.message ?? '', /reach routes of the workspace; choose another name, such as `app_/);
    return true;
  };
}

for (const name of routeActionNames) {
  test(`every door refuses a new entity \`${name}\``, async () => {
    const spaces = await TwoSpaces.inMemory();
    await spaces.editEntity('order', {});
    const { promotion, items } = spaces.node();
    const { admin } = spaces.bench.test.node();
    const request = { item: itemOf(name), content: contentOf(name) };
    await assert.rejects(admin.define(org, request.content.definition), isRefused('/entityName'));
    await assert.rejects(items.create(command, request), isRefused('/content/definition/entityName'));
    const checked = { ...request.item, orgCode: org, content: request.content, at: '/content' };
    await assert.rejects(items.check(checked), isRefused('/content/definition/entityName'));
    const { base, problems } = await promotion.importArchive(command, archiveOf(name), options);
    assert.deepEqual(
      problems?.map((one) => [one.kind, one.name, one.code]),
      [['entity', name, 'invalid_name']],
    );
    const applied = promotion.importArchive(command, archiveOf(name), { ...options, base });
    await assert.rejects(applied, isRefused('/definition/entityName'));
    assert.deepEqual((await spaces.bench.test.node().configs.current(org)).entityNames, ['order']);
  });

  test(`a stored entity \`${name}\` is changed, imported, promoted and restored`, async () => {
    const spaces = await withStored(name);
    const { promotion, items, configs } = spaces.node();
    const item = itemOf(name);
    const first = (await items.show({ env: 'test', orgCode: org, item })).version;
    await spaces.editEntity(name, { UpdateParams: [{ name: 'title' }, { name: 'more' }] });
    await items.replace(command, { item, content: contentOf(name, ['title', 'other']), force: true });
    const { base, problems } = await promotion.importArchive(command, archiveOf(name), { ...options, force: true });
    assert.deepEqual(problems, []);
    await promotion.importArchive(command, archiveOf(name), { ...options, force: true, base });
    await promotion.publish(command, { all: true }, { showsRecords: true });
    await promotion.activate(command, {});
    assert.deepEqual((await configs.prod.refresh(org)).entityNames, [name]);
    await items.restore(command, { item, version: first, force: true });
    await items.remove(command, { item });
    await spaces.bench.test.workOff();
    await items.restore(command, { item, version: first });
    assert.deepEqual((await configs.test.refresh(org)).entityNames, [name]);
  });
}
