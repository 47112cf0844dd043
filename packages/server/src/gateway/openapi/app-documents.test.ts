import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ConfigSet, systemConfig } from '../../config/config-set.ts';
import { compileEntity } from '../../schema/compile-entity.ts';
import { appDocument, createAppDocuments } from './app-document.ts';

const acme = { orgCode: 'acme', env: 'test' } as const;

/** A config set that counts how often its entities are asked for. */
function setOf(version: number, ...entityNames: readonly string[]) {
  let requestCount = 0;
  const set: ConfigSet = {
    ...systemConfig,
    version,
    entityNames,
    entity: async (name) => {
      requestCount += 1;
      return compileEntity({ entityName: name, UpdateParams: [{ name: 'title' }] }, version);
    },
  };
  return { set, requested: () => requestCount };
}

test('a document is made once for a version, also for those who ask at once', async () => {
  const documents = createAppDocuments();
  const { set, requested } = setOf(1, 'order');
  const [first, second] = await Promise.all([documents.of(acme, set), documents.of(acme, set)]);
  const before = requested();
  assert.ok((await documents.of(acme, set)) === first && second === first);
  assert.equal(requested(), before);
});

test('another version is another document, under another tag', async () => {
  const documents = createAppDocuments();
  const first = await documents.of(acme, setOf(1, 'order').set);
  const second = await documents.of(acme, setOf(2, 'order', 'invoice').set);
  assert.notEqual(first.etag, second.etag);
  assert.ok(!textOf(first).includes('/app/acme/list/invoice') && textOf(second).includes('/app/acme/list/invoice'));
});

test('no org or environment gets the document of another', async () => {
  const documents = createAppDocuments();
  const { set } = setOf(1, 'order');
  const bodies = [
    await documents.of(acme, set),
    await documents.of({ ...acme, env: 'prod' }, set),
    await documents.of({ ...acme, orgCode: 'beta' }, set),
  ].map(textOf);
  assert.equal(new Set(bodies).size, 3);
  assert.ok(!bodies[2]?.includes('acme'));
});

test('a view is a document of its own, and beside the usual one the last is kept', async () => {
  const documents = createAppDocuments();
  const { set } = setOf(1, 'order');
  const usual = await documents.of(acme, set);
  const compact = await documents.of({ ...acme, view: 'compact' }, set);
  assert.ok(textOf(compact).includes('OrderCompact') && !textOf(usual).includes('OrderCompact'));
  assert.equal(await documents.of({ ...acme, view: 'compact' }, set), compact);
  await assert.rejects(documents.of({ ...acme, view: 'unheard_of' }, set), { code: 'invalid_request' });
  assert.equal(await documents.of({ ...acme, view: 'default' }, set), usual);
  assert.equal(await documents.of({ ...acme, view: 'compact' }, set), compact);
});

test('a document that is larger than all that is kept is made again each time', async () => {
  const documents = createAppDocuments(1);
  const { set } = setOf(1, 'order');
  const first = await documents.of(acme, set);
  const second = await documents.of(acme, set);
  assert.ok(first !== second && first.etag === second.etag);
});

test('a part describes one entity, or what every app has, and is never taken for another part', async () => {
  const documents = createAppDocuments();
  const { set } = setOf(1, 'order', 'invoice');
  const parts = [{ entity: 'order' }, { entity: 'invoice' }, 'every app', undefined] as const;
  const reported = [];
  for (const part of parts) {
    const { paths } = JSON.parse(textOf(await documents.of({ ...acme, ...(part && { part }) }, set)));
    reported.push(Object.keys(paths));
  }
  const [order = [], invoice = [], everyApp = [], all = []] = reported;
  assert.ok(order.every((path) => /\/order(\/|$)/.test(path)) && order.length === 9, String(order));
  assert.deepEqual([...order, ...invoice, ...everyApp].sort(), all.sort());
});

test('a part refers to no schema that it lacks, also where entities look each other up', async () => {
  const definitions = [
    { entityName: 'customer', UpdateParams: [{ name: 'name' }] },
    { entityName: 'order', UpdateParams: [{ name: 'customer_id', lookup: { entity: 'customer' } }] },
    { entityName: 'line', UpdateParams: [{ name: 'order_id', lookup: { entity: 'order' } }] },
  ];
  const entities = definitions.map((definition) => compileEntity(definition, 1));
  let text = '';
  for await (const piece of appDocument({ ...acme, version: 1, entities, part: { entity: 'order' } })) text += piece;
  const { components } = JSON.parse(text);
  const references = Array.from(text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g));
  for (const [, kind = '', name = ''] of references) assert.ok(components[kind][name], `${kind} ${name}`);
  assert.match(text, /`customer_id`, `line_via_order_id`/);
});

function textOf({ pieces }: { readonly pieces: readonly string[] }): string {
  return pieces.join('');
}
