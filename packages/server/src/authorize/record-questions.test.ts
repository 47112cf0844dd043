import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type AccessContext, compilePolicies, type Ruling } from '../access/port.ts';
import { bothPolicies, type RecordPolicy } from '../records/port.ts';
import { questionOf } from '../records/query/question.ts';
import { checkAnswer, seen } from '../records/query/testing/check-answer.ts';
import { questionRecord, storedEntity } from '../records/query/testing/random-questions.ts';
import { grantOn } from '../records/writing/record-checks.ts';
import { thinned } from '../store/testing/quick.ts';

const caller = '018bcfe5-6800-7000-8000-000000000000';

const context: AccessContext = {
  request: {
    method: 'GET',
    path: '/list/order',
    pathParameters: { entity: 'order' },
    queryParameters: new Map(),
    ip: '10.0.0.1',
    time: 1_700_000_000_000,
  },
  user: { id: caller, email: 'ann@example.com' },
  tenant: { id: 't', code: 'a' },
  jwt: { kind: 'open', amount: 12, kinds: ['open', 'done'] },
  naming: storedEntity.naming,
  pending: ['record'],
};

const fields = ['title', 'caption', 'heading', 'state', 'owner', 'mail', 'minutes', 'rate', 'paid', 'Paid', 'due'];
const others = [
  'tags',
  'extra',
  'code',
  'label',
  'late',
  'size',
  'id',
  'created_by',
  'Owner',
  'gone',
  'STATE',
  'before',
];
const keys = [...fields, ...fields, ...others, 'extra.a'].map((name) => `record.${name}`);
const operators = [
  ...['StringEquals', 'StringNotEquals', 'StringEqualsIfExists', 'ForAnyValue:StringEquals', 'StringEquals'],
  ...[
    'ForAllValues:StringEquals',
    'StringLike',
    'StringNotLike',
    'StringEqualsIgnoreCase',
    'ForAllValues:StringNotEquals',
  ],
];
const orders = ['Equals', 'NotEquals', 'LessThan', 'LessThanEquals', 'GreaterThan', 'GreaterThanEquals'];
const numerics = orders.flatMap((order) => [`Numeric${order}`, `Numeric${order}IfExists`]);
const texts = ['', 'a', 'open', 'done', '12', '1.5', '-1', 'true', 'false', '0', '1e+300', caller, '😀'];
const variables = [
  'user.id',
  'jwt.kind',
  'jwt.amount',
  'jwt.kinds',
  'jwt.missing',
  'record.owner',
  "jwt.missing, 'open'",
];
const variable = fc.constantFrom(...variables).map((name) => `$\u007b${name}}`);
const anyKey = fc.constantFrom(...keys, 'user.id', 'request.pathParameters.id', 'jwt.kind');

const some = <T>(value: fc.Arbitrary<T>) => fc.oneof(value, fc.array(value, { minLength: 1, maxLength: 3 }));
const text = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...texts) }, variable);
const number = fc.constantFrom('-1', '0', '1', '1.5', '12', '0.10', '12.0', '9007199254740993', '-0', 2, 1e300);

const condition = fc
  .oneof(
    { weight: 4, arbitrary: fc.tuple(fc.constantFrom(...operators), anyKey, some(text)) },
    { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...numerics), anyKey, some(number)) },
    fc.tuple(fc.constantFrom('Bool', 'BoolIfExists'), anyKey, some(fc.constantFrom('true', 'false', true))),
    fc.tuple(fc.constant('Null'), anyKey, some(fc.constantFrom('true', 'false'))),
    fc.tuple(fc.constant('DateLessThan'), anyKey, fc.constant('2026-11-23')),
  )
  .map(([operator, key, expected]) => ({ [operator]: { [key]: expected } }));

const statement = fc
  .record({
    Effect: fc.constantFrom('Allow', 'Allow', 'Deny'),
    Action: fc.constant('*'),
    Resource: fc.constantFrom('*', '*', '*', '*', `*/${caller}`, '/list/*', '*/$\u007brecord.owner}'),
    conditions: fc.array(condition, { maxLength: 3 }),
    Fields: fc.constantFrom(undefined, undefined, undefined, ['title'], ['!state', '*']),
  })
  .map(({ conditions, Fields, ...rest }) => ({
    ...rest,
    ...(conditions.length === 0 ? {} : { Condition: Object.assign({}, ...conditions) as object }),
    ...(Fields === undefined ? {} : { Fields }),
  }));

const policies = fc.array(fc.array(statement, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 });

function rulingsOf(attached: readonly unknown[]): readonly Ruling[] {
  const via = { kind: 'direct' } as const;
  const access = compilePolicies(
    attached.map((statements, at) => ({ policyId: `p${at}`, policyName: `p${at}`, via, statements })),
    { statements: 2, texts: 1 },
  );
  const { pending: _, ...alone } = context;
  return [
    access.rule('listorder', '/list/order', () => context),
    access.ruleOnSome('getorder', '/item/order/', () => alone),
    access.denials('getorder', '/item/order/', () => alone),
  ];
}

function policyOf(ruling: Ruling, isOfEach: boolean): RecordPolicy {
  const policy: Pick<RecordPolicy, 'judge' | 'bounds' | 'equalities'> = {
    equalities: [],
    judge: (record) => {
      const judged = ruling.evaluate(record, isOfEach ? record.id : undefined);
      return judged.outcome === 'allowed' ? judged : undefined;
    },
    bounds: (find) => ruling.bounds(find),
  };
  return policy as RecordPolicy;
}

test('a question by policies is that of the records that they allow', () => {
  const counts = seen();
  const property = fc.property(policies, questionRecord, fc.nat({ max: 3 }), (attached, stored, which) => {
    const [listed, ofSome, denials] = rulingsOf(attached).map((ruling, at) => policyOf(ruling, at > 0));
    const rows = [listed, ofSome, denials, bothPolicies(listed, denials)][which];
    assert.ok(rows);
    const holds = (data: Parameters<RecordPolicy['judge']>[0]): boolean =>
      grantOn(rows, storedEntity, data) !== undefined;
    checkAnswer({ conditions: { rows }, holds }, stored, counts);
  });
  fc.assert(property, { numRuns: thinned(8_000) });
  for (const count of Object.values(counts)) assert.ok(count > 100, JSON.stringify(counts));
});

const ownerRule = { Effect: 'Allow', Action: '*', Resource: '*' };

for (const [name, Condition] of [
  ['an owner', { StringEquals: { 'record.owner': '$\u007buser.id}' } }],
  ['one of some values', { StringEquals: { 'record.state': ['open', 'done', '12'] } }],
  ['an owner of the platform and a state', { StringEquals: { 'record.created_by': caller, 'record.state': 'open' } }],
] as const)
  test(`a question by a policy that asks for ${name} is exact`, () => {
    const [listed] = rulingsOf([[{ ...ownerRule, Condition }]]).map((ruling) => policyOf(ruling, false));
    const none = { filters: [], expression: undefined, search: undefined };
    assert.equal(questionOf(storedEntity, { ...none, rows: listed }).isExact, true);
  });

test('a list is the owner of its only element', () => {
  const [rows] = rulingsOf([[{ ...ownerRule, Condition: { StringEquals: { 'record.owner': [caller, '12'] } } }]]).map(
    (ruling) => policyOf(ruling, false),
  );
  assert.ok(rows);
  const nulls = Array.from({ length: 100 }, () => null);
  const counts = seen();
  const owners = [caller, [caller], [null, caller], [...nulls.slice(1), caller], 12, [12], ['12', null]];
  const others = [[...nulls, caller], [caller, caller], [[caller]], { a: caller }, [], [true], null, 'a', [{}]];
  for (const owner of [...owners, ...others]) {
    const holds = (data: Parameters<RecordPolicy['judge']>[0]): boolean =>
      grantOn(rows, storedEntity, data) !== undefined;
    checkAnswer({ conditions: { rows }, holds }, JSON.stringify({ id: caller, owner }), counts);
  }
  assert.deepEqual(counts, { met: owners.length, missed: others.length, unsure: 0 });
});
