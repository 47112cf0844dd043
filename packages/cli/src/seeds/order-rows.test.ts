import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderRows } from './order-rows.ts';
import { parseText } from './references.ts';
import { referencesOf, resolveValues, type SeedRow } from './seed-row.ts';

function row(place: string, values: Record<string, unknown>, workspace = 'main'): SeedRow {
  const { references, mistakes } = referencesOf(values);
  assert.deepEqual(mistakes, []);
  return { place, workspace, entity: place.split(':')[0] ?? '', values, references };
}

function wavesOf(...rows: readonly SeedRow[]): readonly (readonly string[])[] {
  const ordered = orderRows(rows);
  assert.ok('waves' in ordered, JSON.stringify(ordered));
  return ordered.waves.map((wave) => wave.map(({ place }) => place));
}

test('a reference names an entity, fields and values, and `@@` is a text', () => {
  assert.deepEqual(parseText('@customer.name=A&country=D%26E'), {
    entity: 'customer',
    where: [
      ['country', 'D&E'],
      ['name', 'A'],
    ],
  });
  assert.deepEqual(parseText('@@home'), { plain: '@home' });
  for (const text of [
    '@',
    '@customer',
    '@customer.name',
    '@customer.name=%',
    '@Customer.name=x',
    '@a.b=1&',
    '@a.b=1&=2',
  ])
    assert.ok('mistake' in parseText(text), text);
});

test('rows come after the rows that they refer to, whatever the order of the files', () => {
  const ticket = row('ticket:1', { customer_id: '@customer.name=Acme', follows: '@ticket.number=2' });
  const second = row('ticket:2', { number: 2, customer_id: '@customer.name=Acme' });
  const customer = row('customer:1', { name: 'Acme' });
  assert.deepEqual(wavesOf(ticket, second, customer), [['customer:1'], ['ticket:2'], ['ticket:1']]);
});

test('elements of lists refer too, and texts inside objects do not', () => {
  const tagged = row('ticket:1', { tags: ['@tag.name=x', '@tag.name=y'], data: { at: '@tag.name=z' } });
  assert.equal(tagged.references.length, 2);
  assert.deepEqual(wavesOf(tagged, row('tag:1', { name: 'y' })), [['tag:1'], ['ticket:1']]);
  assert.deepEqual(
    resolveValues(tagged.values, ({ where }) => `id of ${where[0]?.[1]}`),
    {
      tags: ['id of x', 'id of y'],
      data: { at: '@tag.name=z' },
    },
  );
});

test('a row of another workspace answers no reference', () => {
  const ticket = row('ticket:1', { customer_id: '@customer.name=Acme' });
  assert.deepEqual(wavesOf(ticket, row('customer:1', { name: 'Acme' }, 'other')), [['ticket:1', 'customer:1']]);
});

test('a cycle is named row by row', () => {
  const rows = [
    row('a:1', { n: 1, next: '@b.n=1' }),
    row('b:1', { n: 1, next: '@c.n=1' }),
    row('c:1', { n: 1, next: '@a.n=1' }),
  ];
  assert.deepEqual(orderRows(rows), { cycle: ['a:1', 'b:1', 'c:1', 'a:1'] });
  assert.deepEqual(orderRows([row('a:1', { n: 1, next: '@a.n=1' })]), { cycle: ['a:1', 'a:1'] });
});

test('a chain of references may be as long as the files', () => {
  const rows = Array.from({ length: 20_000 }, (_, n) => row(`a:${n}`, { n, next: `@a.n=${n + 1}` }));
  assert.equal(wavesOf(...rows).length, 20_000);
});
