import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Column } from '../list/columns.ts';
import { chosenTotals, figureText, firstTotals, measureWords, memberOf, totalsText } from './measures.ts';

const number = (name: string, rest: Partial<Column> = {}): Column => ({ name, field: name, kind: 'number', ...rest });
const columns = [
  number('amount'),
  number('shown', { field: 'price', kind: 'text', stored: 'number' }),
  number('age', { kind: 'number', stored: 'text' }),
  number('version'),
  number('title', { kind: 'text' }),
];

test('columns are added up by how their values are stored, and only those that are read', () => {
  assert.deepEqual([...firstTotals(columns, new Set()).keys()], ['amount', 'price']);
  assert.deepEqual([...firstTotals(columns, new Set(['amount'])).keys()], ['price']);
});

test('an address has one figure for a shown column, and no more than one call takes', () => {
  const text = 'count,sum:amount,avg:amount,max:price,sum:title,sum:gone,median:amount,sum:';
  const chosen = chosenTotals(text, columns);
  assert.deepEqual(
    [...chosen],
    [
      ['amount', 'avg'],
      ['price', 'max'],
    ],
  );
  assert.equal(totalsText(chosen), 'count,avg:amount,max:price');
  assert.equal(totalsText(chosenTotals('count', columns)), 'count');
  const many = Array.from({ length: 20 }, (_, at) => number(`f${at}`));
  assert.equal(totalsText(firstTotals(many, new Set())).split(',').length, 10);
  assert.equal(chosenTotals(many.map(({ field }) => `sum:${field}`).join(), many).size, 9);
});

test('figures are named as replies and readers name them', () => {
  assert.deepEqual(['count', 'sum:amount', 'month(due)', 'status'].map(memberOf), [
    'count',
    'sum_amount',
    'month_due',
    'status',
  ]);
  assert.deepEqual(['count', 'distinct:region', 'nothing:x'].map(measureWords), [
    'Records',
    'Different values of region',
    'Records',
  ]);
});

test('figures are read as numbers, and those that are rounded say so', () => {
  assert.deepEqual([1234567, 507.4637, 0.000123456, -5, null, '2026-03-01', 2 ** 60].map(figureText), [
    '1,234,567',
    '507.46',
    '0.0001235',
    '-5',
    '–',
    '2026-03-01',
    '≈ 1,152,921,504,606,847,000',
  ]);
});
