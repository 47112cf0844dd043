import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDefinition } from '../parse-definition.ts';
import { checkCompoundIndexes } from './parse-indexes.ts';

const catalog = [
  { name: 'status' },
  { name: 'minutes', colType: 'number' },
  { name: 'due', colType: 'date' },
  { name: 'secret', colType: 'encrypted' },
  { name: 'extra', colType: 'json' },
  { name: 'id', colType: 'guid' },
];

function mistakesIn(input: unknown): readonly string[] {
  const mistakes: string[] = [];
  checkCompoundIndexes(input, catalog, (pointer, code, message) => {
    assert.match(message, /^[`a-z].*[^.]$/, 'a sentence without an end');
    mistakes.push(`${pointer} ${code}`);
  });
  return mistakes;
}

const on = (...fields: readonly unknown[]) => ({ fields });

test('an index is on two to four fields, each ascending or descending', () => {
  const indexes = [
    on('status', '-minutes'),
    on('status', 'minutes'),
    on('-due', 'status', 'minutes', '-created_at'),
    on('status', '-updated_at'),
  ];
  assert.deepEqual(mistakesIn(indexes), []);
  assert.deepEqual(mistakesIn([]), []);
  const { definition } = parseDefinition({ entityName: 'entry', UpdateParams: catalog.slice(0, 3), indexes });
  assert.deepEqual(definition.indexes, indexes);
});

const refused: readonly (readonly [what: string, input: unknown, mistakes: readonly string[]])[] = [
  ['no list', {}, ['/indexes wrong_type']],
  ['no object', ['status'], ['/indexes/0 wrong_type']],
  ['no fields', [{}], ['/indexes/0/fields wrong_type']],
  ['one field', [on('status')], ['/indexes/0/fields wrong_type']],
  ['five fields', [on('status', 'minutes', 'due', 'created_at', 'updated_at')], ['/indexes/0/fields wrong_type']],
  ['a name that is no text', [on('status', 7)], ['/indexes/0/fields/1 wrong_type']],
  ['an unknown field', [on('status', '-colour')], ['/indexes/0/fields/1 unknown_field']],
  ['two signs', [on('status', '--minutes')], ['/indexes/0/fields/1 unknown_field']],
  ['an encrypted field', [on('status', 'secret')], ['/indexes/0/fields/1 not_indexable']],
  ['a field without an order', [on('extra', 'status')], ['/indexes/0/fields/0 not_indexable']],
  ['the id', [on('status', 'id')], ['/indexes/0/fields/1 not_indexable']],
  ['the version', [on('status', 'version')], ['/indexes/0/fields/1 unknown_field']],
  ['a field twice', [on('status', '-status')], ['/indexes/0/fields/1 duplicate']],
  ['an index twice', [on('status', 'due'), on('status', 'due')], ['/indexes/1/fields duplicate']],
  ['the reverse of another', [on('status', '-due'), on('-status', 'due')], ['/indexes/1/fields duplicate']],
  ['another member', [{ ...on('status', 'due'), unique: true }], ['/indexes/0/unique unknown_field']],
  [
    'five indexes',
    [on('status', 'due'), on('due', 'status'), on('status', '-due'), on('minutes', 'due'), on('due', 'minutes')],
    ['/indexes too_many'],
  ],
];

for (const [what, input, mistakes] of refused)
  test(`${what} is refused`, () => assert.deepEqual(mistakesIn(input), mistakes));
