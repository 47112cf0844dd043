import assert from 'node:assert/strict';
import { test } from 'node:test';
import { always, meetsWhere, type Where } from '../../lib/where.ts';
import type { FilterOperator } from '../listing/filter.ts';
import { namedFilter } from '../listing/list-query.ts';
import { boundsOf, type Conditions, type Question, questionOf } from './question.ts';
import { expressionOf, storedEntity } from './testing/random-questions.ts';

const none: Conditions = { filters: [], expression: undefined, search: undefined, rows: undefined };

function byFilter(name: string, operator: FilterOperator, text: string): Question {
  const filter = namedFilter(storedEntity, name, { operator, text });
  assert.ok('meets' in filter);
  return questionOf(storedEntity, { ...none, filters: [filter] });
}

/** `sure` holds of records of the answer alone. */
function byExpression(text: string): Question & { readonly sure: Where } {
  const expression = expressionOf(text);
  assert.ok(expression);
  const conditions = { ...none, expression };
  return { ...questionOf(storedEntity, conditions), sure: boundsOf(storedEntity, conditions).below };
}

test('a question without conditions is about every record', () => {
  assert.deepEqual(questionOf(storedEntity, none), { where: always, isExact: true });
});

test('a field is asked about by the name under which it is stored', () => {
  const { where, isExact } = byFilter('heading', 'eq', 'a');
  assert.deepEqual(where, { kind: 'compare', path: ['caption'], type: 'text', operator: 'eq', value: 'a' });
  assert.equal(isExact, true);
});

test('a record without a value meets `ne` and no order', () => {
  assert.ok(meetsWhere(byFilter('minutes', 'ne', '1').where, {}));
  assert.ok(!meetsWhere(byFilter('minutes', 'lte', '1').where, {}));
  assert.ok(!meetsWhere(byExpression('minutes != 1').where, {}));
  assert.ok(meetsWhere(byExpression('!(minutes == 1)').where, {}));
});

test('a field is not asked about that is converted or filled in, nor a text that no store has', () => {
  for (const question of [byFilter('size', 'eq', '1'), byFilter('late', 'eq', 'a'), byFilter('title', 'eq', 'a\0')])
    assert.deepEqual([question.where, question.isExact], [always, false]);
});

test('an expression is exact whose parts are all true, or that asks one field for its values', () => {
  const exact = [
    'state == "open" && minutes >= 1 && minutes < 12',
    'created_at < now - duration("24h")',
    '(state == "open" || state == "done") && has(rate)',
    '!(minutes == 1)',
    'due < now && at >= now - duration("24h") && at != now',
    '!(due == timestamp("2026-11-23T00:00:00Z"))',
  ];
  for (const text of exact) assert.ok(byExpression(text).isExact, text);
});

test('of other expressions all but records with large values of other types are sure', () => {
  const { where, sure, isExact } = byExpression('!(state == "open") && !(minutes > 1)');
  assert.equal(isExact, false);
  assert.ok(meetsWhere(sure, { state: 'done', minutes: 1 }));
  assert.ok(!meetsWhere(sure, { state: ['open'], minutes: 1 }));
  assert.ok(meetsWhere(where, { state: ['open'], minutes: 2 }));
  assert.ok(!meetsWhere(where, { state: 'open', minutes: 1 }));
});
