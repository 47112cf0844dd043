/** Proxies that compress replies change their tags: changes that are held to a version work all the same. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApp, etagOf } from '@freehold/client';
import { assertProblem } from './assert-problem.ts';
import { act, create, defineEntity, definition, foundedOrg, manage } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { startProxy } from './weakening-proxy.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
const fields = [{ name: 'title' }, { name: 'edition', colType: 'integer' }];
const short = { fields: [{ name: 'title' }] };
const misleading = { fields: [{ name: 'title' }, { name: 'edition', as: 'version' }] };
await defineEntity(org, { ...definition('page', fields), Views: { short, misleading } });

const changes: readonly (readonly [name: string, change: (tag: string) => string])[] = [
  ['nginx', (tag) => `W/${tag}`],
  ['Apache', (tag) => tag.replace(/"$/, '-gzip"')],
  ['one with tags of its own', () => 'W/"0f3a"'],
];

for (const [name, change] of changes)
  test(`the client library changes a record as it was read behind a proxy such as ${name}`, async () => {
    const app = createApp({ url: await startProxy(gateways.app, change), org: org.code, clientId: org.clientId });
    await app.signIn({ email: founder.email, password: founder.password });
    const pages = app.entity('page');
    const made = await pages.create({ title: 'a', edition: 1 });
    const changed = await pages.update(made.id, { title: 'b' }, { ifMatch: made });
    assert.equal(etagOf(changed), `"${changed.version}"`);
    await assert.rejects(pages.update(made.id, { title: 'c' }, { ifMatch: made }), { code: 'version_mismatch' });
    await assert.rejects(pages.delete(made.id, { ifMatch: made }), { code: 'version_mismatch' });
    const again = await pages.get(made.id, { fields: ['title', 'version'] });
    await pages.delete(made.id, { ifMatch: again });
    await assert.rejects(pages.get(made.id), { code: 'not_found' });
  });

test('a view that shows no version, or another value by its name, says the version by its tag', async () => {
  const url = await startProxy(gateways.app, (tag) => `W/${tag}`);
  const app = createApp({ url, org: org.code, clientId: org.clientId });
  await app.signIn({ email: founder.email, password: founder.password });
  const pages = app.entity('page');
  const { id } = await pages.create({ title: 'a', edition: 1 });
  for (const view of ['short', 'misleading']) {
    const read = await pages.get(id, { view });
    await pages.update(id, { title: view }, { ifMatch: read });
    await assert.rejects(pages.update(id, { title: 'x' }, { ifMatch: read }), { code: 'version_mismatch' });
  }
});

test('a weak tag in `If-Match` is answered 412 for records and for configuration, and nothing changes', async () => {
  const made = await create(founder, 'page', { title: 'a' });
  const headers = { 'if-match': `W/"${made.version}"` };
  const path = `/update/page/${made.id}`;
  assertProblem(await act(founder, 'PUT', path, { body: { title: 'b' }, headers }), 'version_mismatch');
  assert.equal((await act(founder, 'GET', `/item/page/${made.id}`)).body.title, 'a');
  const item = await manage(org, 'GET', '/config/entity/page');
  const weak = { 'if-match': `W/${item.headers.get('etag')}` };
  const refused = await manage(org, 'PUT', '/config/entity/page', { body: item.body.content, headers: weak });
  assertProblem(refused, 'version_mismatch');
});
