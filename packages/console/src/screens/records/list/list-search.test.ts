import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Column } from './columns.ts';
import {
  choosingParameters,
  conditionsOf,
  conditionText,
  queryParameters,
  readListSearch,
  shownParameters,
} from './list-search.ts';

test('takes from an address what describes a list, and nothing else', () => {
  assert.deepEqual(readListSearch({ f: ['status:eq:open', 'wrong', 7, ':eq:'], sort: '', q: 12, filter: {}, x: 'y' }), {
    f: ['status:eq:open'],
    q: '12',
  });
  assert.deepEqual(readListSearch({ f: 'status:eq:open' }), {});
  assert.deepEqual(readListSearch({ t: 'count,sum:a', g: 'month(due)', m: 'avg:a', r: '' }), {
    ...{ t: 'count,sum:a', g: 'month(due)', m: 'avg:a' },
  });
  assert.equal(readListSearch({ f: Array.from({ length: 50 }, (_, at) => `f${at}:eq:1`) }).f?.length, 20);
});

test('a condition is read as it was written, whatever its value holds', () => {
  const condition = { field: 'due', operator: 'gte', value: '2026-11-20T09:30:00Z, "a:b"\n' };
  assert.deepEqual(conditionsOf({ f: [conditionText(condition)] }), [condition]);
});

test('a list is asked by parameters that no field can take', () => {
  const search = { f: ['status:eq:open', 'minutes:between:1,5'], filter: 'a > 1', sort: 'status,-number', q: 'lamp' };
  assert.deepEqual(queryParameters(search), {
    status: 'open',
    minutes: '1,5',
    minutes_op: 'between',
    $filter: 'a > 1',
    $q: 'lamp',
    $sortby: 'status,number',
    $sortdir: 'asc,desc',
  });
  assert.deepEqual(queryParameters({}), {});
  // An order is not asked for where records are figures.
  const { $sortby: _, $sortdir: __, ...choosing } = queryParameters(search);
  assert.deepEqual(choosingParameters(search), choosing);
});

test('the columns alone are asked for, and the records that lookups refer to', () => {
  const column = (name: string, rest: Partial<Column> = {}): Column => ({ name, field: name, kind: 'text', ...rest });
  const shown = [
    column('id', { kind: 'id' }),
    column('total', { field: 'amount' }),
    column('customer_id', { kind: 'lookup', entity: 'customer' }),
    column('pin', { kind: 'secret' }),
  ];
  assert.deepEqual(shownParameters(shown), { $fields: 'total,customer_id', $expand: 'customer_id' });
  assert.deepEqual(shownParameters([column('id')]), { $fields: 'id' });
  const many = Array.from({ length: 200 }, (_, at) =>
    column(`${'long_name_of_a_field'.repeat(2)}_${at}`, { entity: 'x' }),
  );
  assert.deepEqual(Object.keys(shownParameters(many)), ['$expand']);
  assert.equal(shownParameters(many).$expand?.split(',').length, 10);
});
