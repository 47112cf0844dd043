import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleOf } from './sample.ts';

test('a sample has a value for each field that a record is sent with', () => {
  const fields = [
    { name: 'title' },
    { name: 'amount', colType: 'integer' },
    { name: 'state', colType: 'enum', enumValues: ['open', 'done'] },
    { name: 'card', colType: 'encrypted' },
    { name: 'sum', colType: 'formula', formula: '{amount}' },
  ];
  assert.deepEqual(sampleOf(fields), { title: 'text', amount: 1, state: 'open' });
  assert.deepEqual(sampleOf(undefined), {});
});
