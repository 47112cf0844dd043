import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccessContext, Pending } from './context/context.ts';
import { compilePolicies } from './decide.ts';
import type { FieldSet } from './field-set.ts';
import type { Ruling } from './ruling.ts';

const variable = (key: string) => `$\u007b${key}}`;
const own = { StringEquals: { 'record.owner': variable('user.id') } };
const open = { StringEquals: { 'record.status': 'open' } };
const closed = { StringEquals: { 'record.status': 'closed' } };

function allow(more: object = {}): object {
  return { Effect: 'Allow', Action: '*', Resource: '*', ...more };
}

function deny(more: object = {}): object {
  return { Effect: 'Deny', Action: '*', Resource: '*', ...more };
}

function context(pending: readonly Pending[]): AccessContext {
  return {
    request: {
      method: 'GET',
      path: '/p',
      pathParameters: { entity: 'order' },
      queryParameters: new Map(),
      ip: '',
      time: 0,
    },
    user: { id: 'u1', email: 'u@x' },
    tenant: { id: 't1', code: 'one' },
    jwt: {},
    pending,
  };
}

function access(statements: readonly object[]) {
  return compilePolicies([{ policyId: 'p', policyName: 'policy', via: { kind: 'direct' }, statements }]);
}

function rule(statements: readonly object[], pending: readonly Pending[] = ['record']): Ruling {
  return access(statements).rule('getorder', '/item/order/7', () => context(pending));
}

function denials(...statements: readonly object[]): Ruling {
  return access(statements).denials('getorder', '/item/order/', () => context([]));
}

const names = ['a', 'b', 'c'];

function list(fields: FieldSet | undefined): string {
  return fields === undefined ? 'all' : names.filter((name) => fields.has(name)).join('');
}

test('an Allow or a Deny that depends on the record leaves open what it may change, and nothing else', () => {
  assert.equal(rule([allow({ Condition: own })]).outcome, 'undecided');
  assert.equal(rule([allow(), allow({ Condition: own })]).outcome, 'allowed');
  assert.equal(rule([allow(), deny({ Condition: own })]).outcome, 'undecided');
  assert.equal(rule([allow(), deny(), deny({ Condition: own })]).outcome, 'explicit_deny');
  assert.equal(rule([deny({ Condition: own })]).outcome, 'implicit_deny');
  assert.equal(rule([allow({ Condition: { ...own, Bool: { 'user.id': true } } })]).outcome, 'implicit_deny');
});

test('where only the fields depend on the record, that is left open too', () => {
  assert.equal(rule([allow({ Fields: ['a'] }), allow({ Condition: own })]).outcome, 'undecided');
  assert.equal(rule([allow(), allow({ Condition: own, Fields: ['a'] })]).outcome, 'allowed');
  assert.equal(rule([allow(), deny({ Condition: own, Fields: ['a'] })]).outcome, 'undecided');
});

test('tells what has to be known, in the order in which it is pending', () => {
  const body = { StringEquals: { 'request.body.x': 'a' } };
  assert.deepEqual(rule([allow({ Condition: own })], ['body', 'record']).needs, ['record']);
  assert.deepEqual(rule([allow({ Condition: own }), allow({ Condition: body })], ['body', 'record']).needs, [
    'body',
    'record',
  ]);
  assert.deepEqual(rule([allow({ Resource: `/item/order/${variable('record.n')}` })], ['body', 'record']).needs, [
    'record',
  ]);
  assert.deepEqual(
    rule([allow({ Condition: { Bool: { 'request.pathParameters.id': true } } })], ['id', 'record']).needs,
    ['id'],
  );
});

test('judges each record by its own', () => {
  const ruling = rule([
    allow({ Condition: own }),
    allow({ Condition: open, Fields: ['a', 'b'] }),
    deny({ Condition: { StringEquals: { 'record.secret': 'true' } } }),
    deny({ Condition: closed, Fields: ['b'] }),
  ]);
  const evaluated = (record: Readonly<Record<string, unknown>>) => {
    const { outcome, fields } = ruling.evaluate(record);
    return outcome === 'allowed' ? list(fields) : outcome;
  };
  assert.equal(evaluated({ owner: 'u1' }), 'all');
  assert.equal(evaluated({ owner: 'u2' }), 'implicit_deny');
  assert.equal(evaluated({ owner: 'u2', status: 'open' }), 'ab');
  assert.equal(evaluated({ owner: 'u1', status: 'closed' }), 'ac');
  assert.equal(evaluated({ owner: 'u1', secret: true }), 'explicit_deny');
  assert.equal(evaluated({ owner: 'u1' }), 'all');
});

test('records for which the same statements take effect share their fields', () => {
  const ruling = rule([allow({ Condition: open, Fields: ['a'] })]);
  assert.equal(ruling.evaluate({ status: 'open', n: 1 }), ruling.evaluate({ status: 'open', n: 2 }));
});

test('what is still pending when a record is evaluated counts against the caller', () => {
  const body = { StringEquals: { 'request.body.x': 'a' } };
  assert.equal(rule([allow({ Condition: body })], ['body', 'record']).evaluate({}).outcome, 'implicit_deny');
  assert.equal(rule([allow(), deny({ Condition: body })], ['body', 'record']).evaluate({}).outcome, 'explicit_deny');
  assert.equal(list(rule([allow(), deny({ Condition: body, Fields: ['a'] })], ['body']).evaluate({}).fields), 'bc');
});

test('sure fields are those of what is sure, else what all that is possible have in common', () => {
  const sure = rule([
    allow({ Fields: ['a', 'b'] }),
    allow({ Condition: own }),
    deny({ Condition: open, Fields: ['b'] }),
  ]);
  assert.deepEqual([list(sure.sureFields), list(sure.possibleFields)], ['a', 'all']);
  const possible = rule([
    allow({ Condition: own, Fields: ['a', 'b'] }),
    allow({ Condition: open, Fields: ['b', 'c'] }),
  ]);
  assert.deepEqual([list(possible.sureFields), list(possible.possibleFields)], ['b', 'abc']);
  const taken = rule([allow({ Condition: own }), deny({ Fields: ['c'] })]);
  assert.deepEqual([list(taken.sureFields), list(taken.possibleFields)], ['ab', 'ab']);
});

test('leaves open what a variable with a default stands for until the record is known', () => {
  const key = variable("record.meta.x, '7'");
  const Condition = { StringEquals: { 'record.owner': key } };
  assert.deepEqual(rule([allow({ Condition })]).equalities, []);
  const twins = { owner: '7', meta: { x: '7', X: null } };
  for (const narrowed of [{ Condition }, { Resource: `/item/order/${key}` }]) {
    const [allowing, denying] = [rule([allow(narrowed)]), rule([allow(), deny(narrowed)])];
    assert.deepEqual([allowing.outcome, denying.outcome], ['undecided', 'undecided']);
    assert.deepEqual([allowing.needs, denying.needs], [['record'], ['record']]);
    assert.equal(allowing.evaluate({ owner: '7' }).outcome, 'allowed');
    assert.equal(allowing.evaluate(twins).outcome, 'implicit_deny');
    assert.equal(denying.evaluate({ owner: '7', meta: { x: '8' } }).outcome, 'allowed');
    assert.equal(denying.evaluate(twins).outcome, 'explicit_deny');
  }
});

test('names an equality only where every Allow that is left demands it', () => {
  const equalities = (...statements: readonly object[]) =>
    rule(statements).equalities.map(({ field, value }) => `${field}=${value}`);
  assert.deepEqual(equalities(allow({ Condition: own })), ['owner=u1']);
  assert.deepEqual(equalities(allow({ Condition: { StringEquals: { ...own.StringEquals, ...open.StringEquals } } })), [
    'owner=u1',
    'status=open',
  ]);
  assert.deepEqual(
    equalities(
      allow({ Condition: { StringEquals: { ...own.StringEquals, ...open.StringEquals } } }),
      allow({ Condition: own }),
    ),
    ['owner=u1'],
  );
  assert.deepEqual(equalities(allow({ Condition: own }), allow({ Condition: open })), []);
  assert.deepEqual(equalities(allow({ Condition: own }), allow({ Fields: ['a'] })), []);
  for (const operator of [
    'StringNotEquals',
    'StringLike',
    'StringEqualsIfExists',
    'ForAnyValue:StringEquals',
    'StringEqualsIgnoreCase',
  ])
    assert.deepEqual(equalities(allow({ Condition: { [operator]: { 'record.owner': 'u1' } } })), [], operator);
  assert.deepEqual(equalities(allow({ Condition: { StringEquals: { 'record.owner': ['u1', 'u2'] } } })), []);
  assert.deepEqual(equalities(allow({ Condition: { StringEquals: { 'record.owner.id': 'u1' } } })), []);
  assert.deepEqual(
    equalities(allow({ Condition: { StringEquals: { 'record.owner': variable('record.other') } } })),
    [],
  );
});

test('Denies alone leave everything that none of them is about', () => {
  assert.equal(denials(allow({ Fields: ['a'] })).outcome, 'allowed');
  assert.equal(denials().fields, undefined);
  assert.equal(
    denials(deny({ Action: 'list*' }), deny({ Resource: '/item/user/*' }), deny({ Resource: '/item/order' })).outcome,
    'allowed',
  );
  assert.equal(denials(deny({ Resource: '/item/*' })).outcome, 'explicit_deny');
  assert.equal(denials(deny({ Resource: '/item/order/*' })).outcome, 'explicit_deny');
  assert.deepEqual(
    [denials(deny({ Fields: ['a'] })).outcome, list(denials(deny({ Fields: ['a'] })).fields)],
    ['allowed', 'bc'],
  );
});

test('Denies on single records are evaluated by id, path and record', () => {
  const ofId = (...statements: readonly object[]) => {
    const ruling = denials(...statements);
    assert.equal(ruling.outcome, 'undecided');
    return ['7', '77', '8'].filter((id) => ruling.evaluate({ owner: `u${id}` }, id).outcome === 'allowed');
  };
  assert.deepEqual(ofId(deny({ Resource: '/item/order/7' })), ['77', '8']);
  assert.deepEqual(ofId(deny({ Resource: '/item/order/7*' })), ['8']);
  assert.deepEqual(ofId(deny({ Resource: '*/7' })), ['77', '8']);
  assert.deepEqual(ofId(deny({ Resource: '/item/?rder/8' })), ['7', '77']);
  assert.deepEqual(ofId(deny({ Resource: `/item/order/${variable('request.pathParameters.id')}` })), []);
  assert.deepEqual(ofId(deny({ Condition: { StringEquals: { 'request.pathParameters.id': '8' } } })), ['7', '77']);
  assert.deepEqual(ofId(deny({ Condition: { StringLike: { 'request.path': '/item/order/7*' } } })), ['8']);
  assert.deepEqual(ofId(deny({ Condition: { StringEquals: { 'record.owner': 'u77' } } })), ['7', '8']);
  const hiding = denials(deny({ Resource: '/item/order/7', Fields: ['a'] }));
  assert.deepEqual(
    [list(hiding.sureFields), list(hiding.evaluate({}, '7').fields), list(hiding.evaluate({}, '8').fields)],
    ['bc', 'bc', 'all'],
  );
});

test('a record whose id alone was open is evaluated on the path of the request', () => {
  const Condition = { StringEquals: { 'request.path': '/p', 'request.pathParameters.id': '7' } };
  const ruling = rule([allow({ Condition, Resource: '/item/*' })], ['id']);
  assert.deepEqual(ruling.needs, ['id']);
  assert.deepEqual([ruling.evaluate({}, '7').outcome, ruling.evaluate({}, '8').outcome], ['allowed', 'implicit_deny']);
});

const mine = { StringEquals: { 'record.before.owner': variable('user.id') } };
const leftOpen = { StringEquals: { 'Record.After.status': 'open' } };

test('no list looks for the value of a field by what is said of a state of the record', () => {
  assert.deepEqual(rule([allow({ Condition: mine })]).equalities, []);
  assert.deepEqual(rule([allow({ Condition: leftOpen })]).equalities, []);
  assert.deepEqual(
    rule([allow({ Condition: { StringEquals: { ...mine.StringEquals, 'record.n': '1' } } })]).equalities,
    [{ field: 'n', value: '1' }],
  );
});

test('while it is open how a write leaves the record, what depends on that counts for the caller, and nothing else', () => {
  const before = { owner: 'u1', status: 'open' };
  const evaluated = (statements: readonly object[], pending: readonly Pending[] = ['record']) => {
    const { outcome, fields, isProvisional } = rule(statements, pending).evaluate(before, undefined, {
      before,
      after: 'open',
    });
    return `${outcome} ${outcome === 'allowed' ? list(fields) : ''}${isProvisional === true ? ' provisional' : ''}`.trim();
  };
  assert.equal(evaluated([allow({ Condition: mine })]), 'allowed all');
  assert.equal(evaluated([allow({ Condition: leftOpen })]), 'allowed all provisional');
  assert.equal(evaluated([allow({ Condition: own }), deny({ Condition: leftOpen })]), 'allowed all provisional');
  assert.equal(
    evaluated([allow({ Condition: own }), deny({ Condition: leftOpen, Fields: ['a'] })]),
    'allowed all provisional',
  );
  assert.equal(evaluated([allow({ Condition: own }), deny({ Condition: mine })]), 'explicit_deny');
  assert.equal(evaluated([allow({ Condition: { ...leftOpen, Bool: { 'record.paid': true } } })]), 'implicit_deny');
  assert.equal(
    evaluated([allow({ Condition: own, Fields: ['a'] }), allow({ Condition: leftOpen })]),
    'allowed all provisional',
  );
  const body = { StringEquals: { 'request.body.x': 'a' } };
  assert.equal(
    evaluated([allow({ Condition: leftOpen }), allow({ Condition: body })], ['record', 'body']),
    'implicit_deny',
  );
});

test('with its states known a record is evaluated for good, each state under its own name', () => {
  const states = { before: { owner: 'u1' }, after: { owner: 'u2', status: 'open' } };
  const evaluated = (condition: object) =>
    rule([allow({ Condition: condition })]).evaluate(states.after, undefined, states).outcome;
  assert.equal(evaluated(mine), 'allowed');
  assert.equal(evaluated(own), 'implicit_deny');
  assert.equal(evaluated({ StringEquals: { 'record.BEFORE.owner': 'u1', 'record.after.owner': 'u2' } }), 'allowed');
  assert.equal(evaluated({ StringEquals: { 'record.before.status': 'open' } }), 'implicit_deny');
});
