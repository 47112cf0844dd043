/** What grows out of a request of a megabyte: records, and replies that show them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { apart, atomic, creating, updating } from './batches.ts';
import { act, count, create, defineEntity, definition, foundedOrg, manage } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const { org, founder } = await foundedOrg(await platformForTests());
const formulas = Array.from({ length: 190 }, (_, index) => ({
  name: `f${index}`,
  colType: 'formula',
  formula: '{text}'.repeat(20),
}));
await defineEntity(org, definition('echo', [{ name: 'text' }, ...formulas]));
await defineEntity(org, definition('blob', [{ name: 'text' }, { name: 'other' }]));

test('a record that formulas would make too long is refused, naming the first that goes over, and nothing is written', async () => {
  const body = { text: 'x'.repeat(1_000_000) };
  const problem = assertProblem(await act(founder, 'POST', '/create/echo', { body }), 'validation_failed');
  assert.deepEqual([pointers(problem), problem.errors?.[0]?.code], [['/f0'], 'too_long']);
  assert.equal(await count(founder, 'echo'), 0);
  const small = await create(founder, 'echo', { text: 'ab' });
  assert.equal(small.f189, 'ab'.repeat(20));
  const update = await act(founder, 'PUT', `/update/echo/${small.id}`, { body: { text: 'x'.repeat(30_000) } });
  assert.deepEqual(pointers(assertProblem(update, 'validation_failed')), ['/f3']);
  assert.equal((await act(founder, 'GET', `/item/echo/${small.id}`)).body.text, 'ab');
});

test('a batch makes no more than one commit takes, and its reply shows as many records as there is room for', async () => {
  const operations = Array.from({ length: 100 }, () => creating('echo', { text: 'x'.repeat(450) }));
  const together = await atomic(founder, operations);
  assertProblem(together, 'body_too_large');
  const results = await apart(founder, operations.slice(0, 6));
  assert.deepEqual(
    results.map(({ status }) => status),
    [201, 201, 201, 201, 201, 201],
  );
  const shown = results.filter(({ record }) => record !== undefined);
  assert.equal(shown.length, 4);
  for (const { id, etag } of results) assert.match(`${id} ${etag}`, /^[0-9a-f-]{36} "\d+(\.none)?"$/);
  const last = results.at(-1);
  const change = { ...updating('echo', { id: String(last?.id) }, { text: 'y' }), if_match: last?.etag };
  const changed = await apart(founder, [change]);
  assert.equal(changed[0]?.record?.text, 'y');
});

test('a view shows a field as it is and by four casts, and no more often', async () => {
  const fields = (times: number) => Array.from({ length: times }, (_, index) => ({ name: 'text', as: `copy${index}` }));
  const views = (times: number) => ({ body: { Views: { copies: { fields: [...fields(times), { name: 'other' }] } } } });
  const refused = await manage(org, 'PUT', '/api/get-blob', views(6));
  assert.deepEqual(pointers(assertProblem(refused, 'validation_failed')), ['/Views/copies/fields/5']);
  assert.equal((await manage(org, 'PUT', '/api/get-blob', views(5))).status, 200);
});

test('a text of very many marks on one letter is searched like others', async () => {
  await defineEntity(org, definition('marked', [{ name: 'text', search: true }]));
  const text = `a${'\u0301\u0316'.repeat(120_000)}b`;
  const record = await create(founder, 'marked', { text });
  const found = await act<{ items: readonly { id: string }[] }>(founder, 'GET', '/list/marked?q=ab');
  assert.deepEqual(
    found.body.items.map(({ id }) => id),
    [record.id],
  );
});
