import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import { compileEntity } from '../../schema/compile-entity.ts';
import { readListQuery } from './list-query.ts';

const entity = compileEntity(
  {
    entityName: 'comment',
    UpdateParams: [
      { name: 'text', aliases: ['body'], index: true },
      { name: 'minutes', colType: 'integer', index: true, aliases: ['time', 'total'] },
      { name: 'note', aliases: ['remark'] },
    ],
    indexes: [{ fields: ['text', '-minutes'] }],
  },
  1,
);

const read = (parameters: Readonly<Record<string, string>>) =>
  readListQuery(entity, new Map(Object.entries(parameters)));

function errorsOf(parameters: Readonly<Record<string, string>>): readonly string[] {
  try {
    read(parameters);
  } catch (error) {
    assert.ok(error instanceof Problem);
    return (error.details.errors ?? []).map(({ pointer, code, message }) => `${pointer} ${code}: ${message}`);
  }
  return [];
}

test('a filter and an order mean the field by any of its names, and a cursor of one name is good for another', () => {
  const byAlias = read({ body: 'a', body_op: 'startswith', sortby: 'body,time', sortdir: 'asc,desc' });
  const byName = read({ text: 'a', text_op: 'startswith', sortby: 'text,minutes', sortdir: 'asc,desc' });
  assert.deepEqual(
    byAlias.filters.map(({ field, operator }) => [field, operator]),
    [['text', 'startswith']],
  );
  assert.deepEqual(
    byAlias.sortKeys.map(({ field }) => field),
    ['text', 'minutes'],
  );
  assert.equal(byAlias.canonical, byName.canonical);
  assert.deepEqual(
    [...byAlias.sentAs],
    [
      ['text', 'body'],
      ['minutes', 'time'],
    ],
  );
  assert.equal(byName.sentAs.size, 0);
});

test('conditions by two names of a field both hold', () => {
  const { filters } = read({ body: 'a', text: 'b' });
  assert.deepEqual(
    filters.map(({ field, values }) => [field, values[0]]),
    [
      ['text', 'a'],
      ['text', 'b'],
    ],
  );
});

test('an alias that has the name of a parameter keeps it', () => {
  const query = read({ total: '5', $total: 'true' });
  assert.deepEqual(
    query.filters.map(({ field, values }) => [field, values[0]]),
    [['minutes', 5]],
  );
  assert.equal(query.wantsTotal, true);
});

test('a mistake names what was sent', () => {
  assert.deepEqual(errorsOf({ time: 'soon' }), ['/time wrong_type: field `time` must be a whole number']);
  assert.deepEqual(errorsOf({ body_op: 'eq', text: 'a' }), ['/body_op missing: `body_op` is sent without its field']);
  assert.deepEqual(errorsOf({ sortby: 'text,body' }), ['/sortby duplicate: `sortby` names field `body` twice']);
});
