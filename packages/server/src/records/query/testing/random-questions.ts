/** Random filters and stored records of one entity, of which older definitions left values of other types. */
import fc from 'fast-check';
import { Problem } from '../../../lib/problem.ts';
import type { EntityDefinition, FieldDefinition } from '../../../schema/definition.ts';
import { type CompiledEntity, compileEntity, newEntityState } from '../../../schema/port.ts';
import { withFilter } from '../../filtering/compile-filter.ts';
import type { FilterExpression } from '../../filtering/filter-language.ts';
import { type Filter, operators } from '../../listing/filter.ts';
import { type ListQuery, namedFilter } from '../../listing/list-query.ts';
import type { RecordCall } from '../../writing/write-loop.ts';

const fields: readonly FieldDefinition[] = [
  { name: 'title', storedAs: 'caption', aliases: ['heading'], formerNames: ['caption'] },
  { name: 'state', colType: 'enum', enumValues: ['open', 'done'] },
  { name: 'owner', colType: 'guid' },
  { name: 'mail', colType: 'email' },
  { name: 'page', colType: 'url' },
  { name: 'minutes', colType: 'integer' },
  { name: 'rate', colType: 'number', storedAs: 'rate@2' },
  { name: 'paid', colType: 'boolean' },
  { name: 'due', colType: 'date' },
  { name: 'at', colType: 'datetime' },
  { name: 'tags', colType: 'array' },
  { name: 'counts', colType: 'array', items: { colType: 'integer' } },
  { name: 'friends', colType: 'array', items: { colType: 'guid', lookup: { entity: 'other' } } },
  { name: 'extra', colType: 'json' },
  { name: 'code', colType: 'encrypted' },
  { name: 'label', colType: 'formula', formula: '{title} {state}' },
  { name: 'late', default: 'a', validate: true },
  {
    name: 'size',
    colType: 'integer',
    storedAs: 'size@3',
    convert: { cel: 'int(size)', from: { name: 'size', colType: 'string', storedAs: 'size' } },
  },
  { name: 'Paid', colType: 'string' },
];
const definition: EntityDefinition = { entityName: 'order', UpdateParams: fields };

export const storedEntity: CompiledEntity = compileEntity(definition, 3, {
  ...newEntityState(definition, 3),
  hidden: ['gone', 'STATE', 'caption@4', 'size'],
  fills: [{ field: 'late', id: 3, state: 'filling' }],
});

const guids = ['018bcfe5-6800-7000-8000-000000000000', '018bcfe5-6800-7000-8000-00000000000a'];
const texts = ['', 'a', 'open', 'done', 'opened', 'é', '\uffee', '😀', '12', '1.5', 'true', 'Open', 'ann@example.com'];
const pages = ['https://example.com/', 'https://example.com/a'];
const days = ['2026-11-22', '2026-11-23', '2026-02-31', '+020000-01-01', '-000001-01-01', '2026-1-1'];
const moments = [
  '2026-11-23T00:00:00.000Z',
  '2026-11-23T12:00:00.000Z',
  '2026-11-23T12:00:00Z',
  '2026-13-23T12:00:00.000Z',
  '2026-11-22T24:00:00.000Z',
  '+020000-01-01T00:00:00.000Z',
];
const numbers = [-1, -0, 0, 1, 1.5, 2, 12, 2 ** 53, -(2 ** 60), 1e300, Number.MAX_SAFE_INTEGER];

const text = fc.constantFrom(...texts, ...guids, ...pages, ...days, ...moments);
const scalar: fc.Arbitrary<string | number | boolean> = fc.oneof(text, fc.constantFrom(...numbers), fc.boolean());
const list = fc.array(fc.oneof(scalar, fc.constantFrom(null, ['a'], {})), { maxLength: 3 });
/** One value among as many nulls as it may have beside it, and among one more. */
const alone = fc.tuple(text, fc.constantFrom(0, 99, 100)).map(([one, nulls]) => [...Array(nulls).fill(null), one]);
const any = fc.oneof(scalar, list, alone, fc.constantFrom({}, { a: 'open' }));

/** Values of the type that a field has, for the most part. */
function valuesOf({ colType = 'string', items }: FieldDefinition): fc.Arbitrary<unknown> {
  switch (items === undefined ? colType : `${items.colType}s`) {
    case 'integer':
    case 'number':
      return fc.constantFrom(...numbers);
    case 'boolean':
      return fc.boolean();
    case 'date':
      return fc.constantFrom(...days);
    case 'datetime':
      return fc.constantFrom(...moments);
    case 'guid':
      return fc.constantFrom(...guids);
    case 'array':
      return fc.array(text, { maxLength: 3 });
    case 'integers':
      return fc.array(fc.constantFrom(...numbers), { maxLength: 3 });
    case 'guids':
      return fc.array(fc.constantFrom(...guids), { maxLength: 40 });
    default:
      return text;
  }
}

const members = Object.fromEntries([
  ...fields.map((field) => [
    field.storedAs ?? field.name,
    fc.oneof({ weight: 4, arbitrary: valuesOf(field) }, { weight: 1, arbitrary: any }),
  ]),
  ...['gone', 'STATE', 'caption@4', 'title', 'size'].map((name) => [name, any]),
]);

/** The text that is stored of a record. */
export const questionRecord: fc.Arbitrary<string> = fc.record(members, { requiredKeys: [] }).map((values) =>
  JSON.stringify({
    id: guids[0],
    ...values,
    created_at: moments[1],
    updated_at: moments[1],
    created_by: guids[0],
    updated_by: guids[1],
  }),
);

const names = [...fields.map(({ name }) => name), 'id', 'created_at', 'created_by'];
const questionText = fc.oneof(text, fc.constantFrom(...numbers.map(String), 'true', 'false', 'a\0', '\ud800'));

const questionFilter: fc.Arbitrary<Filter> = fc
  .tuple(
    fc.constantFrom(...names),
    fc.constantFrom(...operators),
    fc.array(questionText, { minLength: 1, maxLength: 2 }),
  )
  .map(([name, operator, values]) => namedFilter(storedEntity, name, { operator, text: values.join(',') }))
  .filter((filter) => 'meets' in filter);

export const questionFilters: fc.Arbitrary<readonly Filter[]> = fc.array(questionFilter, {
  minLength: 1,
  maxLength: 3,
});

const now = Date.parse('2026-11-23T12:00:00Z');
const caller = guids[0] ?? '';

const quoted = text.map((value) => JSON.stringify(value));
const whole = fc.constantFrom('-1', '0', '1', '2', '12', '9007199254740991');
const double = fc.constantFrom('0.0', '-1.0', '1.5', '12.0', '9007199254740993.0', '1e300');
const time = fc.oneof(
  fc.constantFrom('now', 'now - duration("12h")', 'now + duration("1h")', 'created_at'),
  fc.constantFrom(...days.slice(0, 2)).map((day) => `timestamp("${day}T00:00:00Z")`),
  fc.constantFrom(...moments.slice(0, 3)).map((moment) => `timestamp("${moment}")`),
);

interface Side {
  readonly fields: readonly string[];
  readonly constant: fc.Arbitrary<string>;
}

const sides: readonly Side[] = [
  { fields: ['title', 'heading', 'state', 'owner', 'mail', 'label', 'id', 'record.Paid'], constant: quoted },
  { fields: ['owner', 'created_by'], constant: fc.constantFrom('user.id', 'string(1)') },
  { fields: ['minutes', 'size'], constant: whole },
  { fields: ['minutes', 'rate'], constant: double },
  { fields: ['rate'], constant: whole },
  { fields: ['due', 'at', 'created_at', 'updated_at'], constant: time },
  { fields: ['title', 'minutes', 'due'], constant: fc.constantFrom('state', 'rate', 'at') },
];

const compared = fc
  .constantFrom(...sides)
  .chain(({ fields: read, constant }) =>
    fc.tuple(fc.constantFrom(...read), fc.constantFrom('==', '!=', '<', '<=', '>', '>='), constant, fc.boolean()),
  )
  .map(([left, sign, right, isTurned]) => (isTurned ? `${right} ${sign} ${left}` : `${left} ${sign} ${right}`));

const among = fc
  .constantFrom(...sides)
  .chain(({ fields: read, constant }) => fc.tuple(fc.constantFrom(...read), fc.array(constant, { maxLength: 3 })))
  .map(([left, values]) => `${left} in [${values.join(', ')}]`);

const otherTests = fc.oneof(
  fc.constantFrom('paid', 'true', 'false', 'paid == false', 'paid < true', 'size(title) > 2', '1 / minutes == 1'),
  fc.constantFrom('tags.exists(t, t == "a")', 'record.paid', 'size(tags) > 1', '1 in counts', '2.0 in counts'),
  fc.constantFrom(...fields.map(({ name }) => name), 'id', 'created_at').map((name) => `has(record.${name})`),
  quoted.map((value) => `${value} in tags`),
  fc
    .tuple(
      fc.constantFrom('title', 'state', 'late', 'created_by'),
      fc.constantFrom('startsWith', 'endsWith', 'contains'),
      quoted,
    )
    .map(([name, method, part]) => `${name}.${method}(${part})`),
);

const { condition } = fc.letrec<{ condition: string }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 2 },
    { weight: 4, arbitrary: fc.oneof({ weight: 3, arbitrary: compared }, among, otherTests) },
    { weight: 2, arbitrary: fc.tuple(tie('condition'), tie('condition')).map(([a, b]) => `((${a}) && (${b}))`) },
    { weight: 1, arbitrary: fc.tuple(tie('condition'), tie('condition')).map(([a, b]) => `((${a}) || (${b}))`) },
    { weight: 1, arbitrary: tie('condition').map((part) => `!(${part})`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(tie('condition'), tie('condition'), tie('condition'))
        .map(([a, b, c]) => `((${a}) ? (${b}) : (${c}))`),
    },
  ),
}));

/** Undefined where it reads what no filter may, or compares what cannot be compared. */
export function expressionOf(filter: string): FilterExpression | undefined {
  const call = { entity: storedEntity, actor: { userId: caller } };
  try {
    return withFilter(call as RecordCall, { filter } as ListQuery, now).expression;
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

export const questionExpression: fc.Arbitrary<FilterExpression> = condition
  .map(expressionOf)
  .filter((expression) => expression !== undefined);
