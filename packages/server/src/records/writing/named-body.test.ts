import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalidBody, Problem } from '../../lib/problem.ts';
import { compileEntity } from '../../schema/compile-entity.ts';
import { readCreate, readUpdate, type StoredRecord } from '../record.ts';
import { bodyAsRead, errorsAsSent, namedBody, refusalAsSent } from './named-body.ts';

const entity = compileEntity(
  {
    entityName: 'comment',
    UpdateParams: [
      { name: 'text', aliases: ['body', 'note'], validate: true, required: true, minlength: 2 },
      { name: 'minutes', colType: 'integer', aliases: ['time'] },
      { name: 'pin', colType: 'encrypted', aliases: ['code'] },
    ],
  },
  1,
);
const plain = compileEntity({ entityName: 'comment', UpdateParams: [{ name: 'text' }] }, 1);

const stored: StoredRecord = {
  key: { pk: 'p', sk: 's' },
  version: 3,
  data: { id: '1', text: 'old', minutes: 5, created_at: '', updated_at: '', created_by: '', updated_by: '' },
};

const problemsOf = (errors: readonly { readonly pointer: string; readonly code: string }[]) =>
  errors.map(({ pointer, code }) => `${pointer} ${code}`);

test('a value under an alias is one of the field, and a body of an entity without aliases stays the very same', () => {
  assert.deepEqual(namedBody(entity, { body: 'x', time: 1, other: 2 }).body, { text: 'x', minutes: 1, other: 2 });
  const body = { text: 'x' };
  assert.equal(namedBody(plain, body).body, body);
  for (const odd of [null, 'text', 5, [{ body: 'x' }]]) assert.equal(namedBody(entity, odd).body, odd);
  const hostile = JSON.parse('{"__proto__":{"text":"x"},"body":"y"}');
  assert.deepEqual(Object.keys(namedBody(entity, hostile).body as object), ['__proto__', 'text']);
});

test('two names of one field may have one value, and contradict each other with two', () => {
  assert.deepEqual(namedBody(entity, { text: ['a'], body: ['a'], note: ['a'] }), { body: { text: ['a'] }, errors: [] });
  const { errors } = namedBody(entity, { body: 'a', text: 'b', note: 'c' });
  assert.deepEqual(errors, [
    {
      pointer: '/text',
      code: 'contradiction',
      message: '`body` and `text` are names of one field, and have different values: send one of them',
    },
    {
      pointer: '/note',
      code: 'contradiction',
      message: '`body` and `note` are names of one field, and have different values: send one of them',
    },
  ]);
  assert.deepEqual(problemsOf(readCreate(entity, { text: 'aa', body: 'bb' }).errors), ['/body contradiction']);
});

test('in an update the stored value gives way to the one that its sender has changed, whichever name has it', () => {
  for (const sent of [
    { text: 'old', body: 'new' },
    { text: 'new', body: 'old' },
    { note: 'old', text: 'old', body: 'new' },
    { note: 'old', body: 'new', text: 'new' },
  ]) {
    const { changes, errors } = readUpdate(entity, sent, stored);
    assert.deepEqual(errors, []);
    assert.deepEqual([...changes], [['text', 'new']]);
  }
  assert.deepEqual([...readUpdate(entity, { minutes: 5, time: null }, stored).changes], [['minutes', undefined]]);
  assert.deepEqual(problemsOf(readUpdate(entity, { text: 'one', body: 'two' }, stored).errors), [
    '/body contradiction',
  ]);
});

test('what the stored value is does not follow from the answer where the caller may not read it, nor of an encrypted one', () => {
  const sent = { text: 'old', body: 'new' };
  assert.deepEqual(problemsOf(readUpdate(entity, sent, stored, () => false).errors), ['/body contradiction']);
  assert.deepEqual(problemsOf(readUpdate(entity, { pin: '1', code: '2' }, stored).errors), ['/code contradiction']);
});

test('a refusal names what was sent', () => {
  const { errors } = readCreate(entity, { body: 'x', time: 'soon' });
  const shown = errorsAsSent(entity, { body: 'x', time: 'soon' }, errors);
  assert.deepEqual(problemsOf(shown), ['/body too_short', '/time wrong_type']);
  assert.deepEqual(
    shown.map(({ message }) => message.split(' ', 2).join(' ')),
    ['field `body`', 'field `time`'],
  );
  const refusal = refusalAsSent(entity, { body: 'x', time: 'soon' }, invalidBody(errors));
  assert.equal(refusal.message, shown.map(({ message }) => message).join('; '));
  assert.deepEqual(refusal.details.errors, shown);
});

test('a refusal that is about no alias stays as it is', () => {
  const { errors } = readCreate(entity, {});
  assert.deepEqual(problemsOf(errorsAsSent(entity, {}, errors)), ['/text required']);
  const nested = [{ pointer: '/text/0', code: 'wrong_type', message: 'field `text` …' }];
  assert.deepEqual(errorsAsSent(entity, { text: 1, body: 1 }, nested), nested);
  assert.deepEqual(errorsAsSent(entity, { body: 1 }, nested)[0]?.pointer, '/body/0');
  const missing = new Problem('not_found', 'there is nothing here');
  assert.equal(refusalAsSent(entity, { body: 1 }, missing), missing);
});

const due = compileEntity(
  { entityName: 'order', UpdateParams: [{ name: 'due', colType: 'datetime', aliases: ['until', 'end'] }] },
  1,
);
const [sent, same, read] = ['2026-06-01T01:00:00+01:00', '2026-06-01T00:00:00Z', '2026-06-01T00:00:00.000Z'];
const other = '2026-07-01T00:00:00.000Z';

test('policies see a value that is sent under an alias as it would be stored', () => {
  assert.deepEqual(bodyAsRead(due, { until: sent }), { until: read });
  assert.deepEqual(bodyAsRead(due, { due: null, unknown: sent }), { due: null, unknown: sent });
});

test('policies see one value of a field that is sent under several names, unless the values differ', () => {
  assert.deepEqual(bodyAsRead(due, { until: sent, due: same, end: read }), { until: read });
  assert.deepEqual(bodyAsRead(due, { until: sent, due: other, end: same }), { until: read, due: other });
});
