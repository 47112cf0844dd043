import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Column, Kind } from '../list/columns.ts';
import { conditionOfGroup, firstGrouping, groupingColumns, groupingText, readGrouping } from './groups.ts';

const column = (name: string, kind: Kind): Column => ({ name, field: name, kind });

test('a grouping is read as it was written', () => {
  for (const text of ['status', 'month(due)', 'year(created_at)']) assert.equal(groupingText(readGrouping(text)), text);
  assert.deepEqual(readGrouping('decade(due)'), { field: 'decade(due)', unit: undefined });
});

test('records are grouped by what has plain values and is read, first by what has few', () => {
  const columns = [
    column('id', 'id'),
    column('title', 'text'),
    column('tags', 'list'),
    column('secret', 'secret'),
    column('is_paid', 'boolean'),
    column('status', 'choice'),
    { ...column('state', 'text'), field: 'status' },
  ];
  assert.deepEqual(
    groupingColumns(columns, new Set()).map(({ name }) => name),
    ['title', 'is_paid', 'status'],
  );
  assert.equal(firstGrouping(columns).field, 'status');
  assert.equal(firstGrouping(groupingColumns(columns, new Set(['status', 'state']))).field, 'is_paid');
  assert.equal(groupingText(firstGrouping([column('title', 'text')])), 'month(created_at)');
});

test('the records of a group are those of a condition, to the last millisecond of a time', () => {
  const of = (text: string, kind: Kind, value: string | number | boolean | null) =>
    conditionOfGroup(readGrouping(text), column('due', kind), value)?.value;
  assert.equal(of('due', 'choice', 'open'), 'open');
  assert.equal(of('due', 'boolean', false), 'false');
  assert.equal(of('month(due)', 'datetime', '2026-02'), '2026-02-01T00:00:00.000Z,2026-02-28T23:59:59.999Z');
  assert.equal(of('week(due)', 'date', '2026-W01'), '2025-12-29,2026-01-04');
  assert.deepEqual(conditionOfGroup(readGrouping('due'), column('due', 'text'), null), {
    field: 'due',
    operator: 'exists',
    value: 'false',
  });
  // No parameter says that a text is empty.
  assert.equal(of('due', 'text', ''), undefined);
});
