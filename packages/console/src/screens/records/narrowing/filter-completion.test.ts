import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Field } from '../../entities/definition.ts';
import { mistakeIn, optionsAt } from './filter-completion.ts';

const fields: readonly Field[] = [
  { name: 'status', colType: 'enum', enumValues: ['open', 'on "hold"'] },
  { name: 'subject' },
  { name: 'minutes', colType: 'integer' },
  { name: 'tags', colType: 'array' },
  { name: 'due', colType: 'date' },
  { name: 'pin', colType: 'encrypted' },
  { name: 'customer_id', colType: 'guid', lookup: { entity: 'customer' } },
];

const fieldsOf = async (entity: string): Promise<readonly Field[]> =>
  entity === 'customer' ? [{ name: 'tier', colType: 'enum' }] : [];

async function labelsAt(before: string): Promise<readonly string[]> {
  return (await optionsAt(before, fields, fieldsOf))?.options.map(({ label }) => label) ?? [];
}

test('offers fields, what every record has, variables and functions where a name can stand', async () => {
  for (const before of ['', 'sub', 'status == "open" && m', '!']) {
    const labels = await labelsAt(before);
    for (const label of ['subject', 'created_at', 'now', 'user.id', 'duration'])
      assert.ok(labels.includes(label), label);
    assert.ok(!labels.includes('pin'));
  }
  assert.equal((await optionsAt('a && sub', fields, fieldsOf))?.from, 5);
});

test('follows a lookup one step', async () => {
  assert.deepEqual((await labelsAt('customer_id.'))[0], 'tier');
  assert.ok((await labelsAt('has(customer_id.ti')).includes('created_at'));
  assert.equal((await optionsAt('customer_id.ti', fields, fieldsOf))?.from, 'customer_id.'.length);
});

test('offers the functions that a type has', async () => {
  assert.ok((await labelsAt('subject.')).includes('startsWith'));
  assert.deepEqual(await labelsAt('minutes.'), []);
  assert.ok((await labelsAt('tags.ex')).includes('exists'));
  assert.ok((await labelsAt('due.')).includes('getFullYear'));
  assert.deepEqual(await labelsAt('nothing.'), []);
  assert.deepEqual(await labelsAt('user.'), ['id']);
  assert.ok((await labelsAt('record.')).includes('subject'));
});

test('offers the values of an enum as they are written, also behind a quote', async () => {
  const values = ['"open"', '"on \\"hold\\""'];
  assert.deepEqual(await labelsAt('status == '), values);
  assert.deepEqual(await optionsAt('status != "o', fields, fieldsOf).then((found) => found?.from), 'status != '.length);
});

test('offers nothing within a text', async () => {
  assert.equal(await optionsAt('subject == "su', fields, fieldsOf), undefined);
  assert.equal(await optionsAt('subject == "a\\"b', fields, fieldsOf), undefined);
  assert.notEqual(await optionsAt('subject == "a" && su', fields, fieldsOf), undefined);
});

test('finds the place of a mistake in what the platform says', () => {
  assert.deepEqual(mistakeIn('at character 21: there is no field `foo`'), {
    at: 20,
    message: 'there is no field `foo`',
  });
  assert.deepEqual(mistakeIn('a filter is too long'), { at: 0, message: 'a filter is too long' });
});
