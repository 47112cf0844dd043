import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDefinition } from '../parse-definition.ts';
import { checkAggregates } from './parse-aggregates.ts';

const catalog = [
  { name: 'status', colType: 'enum', enumValues: ['open', 'paid'] },
  { name: 'due', colType: 'date' },
  { name: 'amount', colType: 'integer' },
  { name: 'price', colType: 'number' },
  { name: 'secret', colType: 'encrypted' },
  { name: 'extra', colType: 'json' },
  { name: 'tags', colType: 'array' },
  { name: 'total', colType: 'formula', formula: { cel: 'amount + 1', type: 'integer' } },
  { name: 'number', colType: 'autoincrement' },
];

function mistakesIn(input: unknown): readonly string[] {
  const mistakes: string[] = [];
  checkAggregates(input, catalog, (pointer, code, message) => {
    assert.match(message, /^(an? )?[`a-z].*[^.]$/, 'a sentence without an end');
    mistakes.push(`${pointer} ${code}`);
  });
  return mistakes;
}

const one = (members: object = {}) => ({ name: 'a', group: ['status'], measures: ['count'], ...members });

test('an aggregate has a name, one to five fields, and counts or sums of whole numbers', () => {
  const aggregates = [
    one(),
    one({ name: 'by_day', group: ['due', 'status', 'created_by'], measures: ['count', 'sum:amount', 'avg:amount'] }),
    one({
      name: 'B-2',
      group: ['price', 'total', 'amount', 'status', 'updated_by'],
      measures: ['sum:total', 'sum:number'],
    }),
  ];
  assert.deepEqual(mistakesIn(aggregates), []);
  assert.deepEqual(mistakesIn([]), []);
  const { definition } = parseDefinition({ entityName: 'entry', UpdateParams: catalog, aggregates });
  assert.deepEqual(definition.aggregates, aggregates);
});

const refused: readonly (readonly [what: string, input: unknown, mistakes: readonly string[]])[] = [
  ['no list', {}, ['/aggregates wrong_type']],
  ['no object', ['status'], ['/aggregates/0 wrong_type']],
  [
    'nothing in it',
    [{}],
    ['/aggregates/0/name invalid_name', '/aggregates/0/group wrong_type', '/aggregates/0/measures wrong_type'],
  ],
  ['another member', [one({ having: 'x' })], ['/aggregates/0/having unknown_field']],
  ['a name with a space', [one({ name: 'a b' })], ['/aggregates/0/name invalid_name']],
  ['a name twice', [one(), one()], ['/aggregates/1/name duplicate']],
  ['six of them', ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => one({ name })), ['/aggregates too_many']],
  ['no fields', [one({ group: [] })], ['/aggregates/0/group wrong_type']],
  [
    'six fields',
    [one({ group: ['status', 'due', 'amount', 'price', 'total', 'created_by'] })],
    ['/aggregates/0/group wrong_type'],
  ],
  ['a name that is no text', [one({ group: [7] })], ['/aggregates/0/group/0 wrong_type']],
  ['an unknown field', [one({ group: ['colour'] })], ['/aggregates/0/group/0 unknown_field']],
  ['the id', [one({ group: ['id'] })], ['/aggregates/0/group/0 unknown_field']],
  ['a field twice', [one({ group: ['status', 'status'] })], ['/aggregates/0/group/1 duplicate']],
  ['parts of time', [one({ group: ['month(due)'] })], ['/aggregates/0/group/0 unknown_field']],
  ...['secret', 'extra', 'tags'].map(
    (name) => [`the field ${name}`, [one({ group: [name] })], ['/aggregates/0/group/0 not_measurable']] as const,
  ),
  ['no measures', [one({ measures: [] })], ['/aggregates/0/measures wrong_type']],
  [
    'eleven measures',
    [one({ measures: Array.from({ length: 11 }, () => 'count') })],
    ['/aggregates/0/measures wrong_type'],
  ],
  ...['min:amount', 'distinct:amount', 'sum', 'sum:', 7].map(
    (measure) =>
      [`the measure ${measure}`, [one({ measures: [measure] })], ['/aggregates/0/measures/0 unknown_measure']] as const,
  ),
  ['a measure twice', [one({ measures: ['count', 'count'] })], ['/aggregates/0/measures/1 duplicate']],
  ['a sum of an unknown field', [one({ measures: ['sum:colour'] })], ['/aggregates/0/measures/0 unknown_field']],
  ['a sum of numbers', [one({ measures: ['sum:price'] })], ['/aggregates/0/measures/0 wrong_type']],
  ['an average of texts', [one({ measures: ['avg:status'] })], ['/aggregates/0/measures/0 wrong_type']],
  ['a sum of a secret', [one({ measures: ['sum:secret'] })], ['/aggregates/0/measures/0 not_measurable']],
];

test('a refusal says which names are fields elsewhere, and are not kept', () => {
  const group = ['month(due)', 'status.tier', 'id', 'created_at', 'colour'];
  const messages: string[] = [];
  checkAggregates([one({ group })], catalog, (_pointer, _code, message) => void messages.push(message));
  const others = 'no part of time, no field over a lookup, no `id` and no `created_at` is kept';
  assert.deepEqual(
    messages,
    group.map((name) => `\`${name}\` is no field of the definition: ${others}`),
  );
});

for (const [what, input, mistakes] of refused)
  test(`a definition whose aggregates have ${what} is refused`, () => {
    assert.deepEqual(mistakesIn(input), mistakes);
    assert.throws(() => parseDefinition({ entityName: 'entry', UpdateParams: catalog, aggregates: input }));
  });
