import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccessContext } from '../context/context.ts';
import { compileAll } from '../testing/agreement.ts';

const held = 500;
const path = '/item/order/1';

interface Reads {
  readonly context: AccessContext;
  count: number;
}

/** Counts how often conditions read the email of the caller. */
function countedReads(more: Partial<AccessContext> = {}): Reads {
  const reads = { count: 0 };
  const user = {
    id: 'u1',
    get email() {
      reads.count += 1;
      return 'text7';
    },
  };
  const request = { method: 'GET', path, pathParameters: { id: '1' }, queryParameters: new Map(), ip: '', time: 0 };
  return Object.assign(reads, { context: { request, user, tenant: { id: 't1', code: 'one' }, jwt: {}, ...more } });
}

function many(statement: (index: number) => object): readonly object[] {
  return Array.from({ length: held }, (_, index) => ({ Action: 'get*', ...statement(index) }));
}

const kinds = {
  'other resources': (index: number) => ({
    Resource: [`/item/e${index}/*`, `/item/order/${index + 2}`],
    Condition: { StringLike: { 'user.email': `*${index}` } },
  }),
  'other endings': (index: number) => ({
    Resource: [`/*/order/${index + 2}`, `/?tem/*/x${index}`],
    Condition: { StringLike: { 'user.email': `*${index}` } },
  }),
  'other texts': (index: number) => ({
    Resource: '/item/*',
    Condition: { StringEquals: { 'user.email': `other${index}` } },
  }),
} as const;

for (const [name, statement] of Object.entries(kinds))
  for (const Effect of ['Allow', 'Deny'])
    test(`a decision does not look at each of 500 statements: ${Effect}, ${name}`, () => {
      const own = { Effect: 'Allow', Action: 'getorder', Resource: path };
      const access = compileAll([many((index) => ({ Effect, ...statement(index) })), [own]]);
      for (const _ of [1, 2]) {
        const reads = countedReads();
        assert.equal(access.rule('getorder', path, () => reads.context).outcome, 'allowed');
        assert.ok(reads.count <= 1, String(reads.count));
      }
    });

test('a record is not evaluated by each of 500 statements', () => {
  let statusReads = 0;
  const record = {
    owner: 'text7',
    get status() {
      statusReads += 1;
      return 'text7';
    },
  };
  const { context } = countedReads({ pending: ['record'] });
  const ruling = compileAll([
    many((index) => ({
      Effect: 'Allow',
      Resource: '*',
      Condition: { StringEquals: { 'record.status': `text${index}`, 'record.owner': `text${index}` } },
    })),
  ]).rule('getorder', path, () => context);
  assert.equal(ruling.outcome, 'undecided');
  assert.equal(ruling.evaluate(record).outcome, 'allowed');
  assert.ok(statusReads <= 2, String(statusReads));
  assert.equal(ruling.evaluate({ ...record, status: 'text8' }).outcome, 'implicit_deny');
});

for (const Effect of ['Allow', 'Deny'])
  test(`each of several statements that demand the same text is looked at: ${Effect}`, () => {
    const demanding = (text: string, id: string) => {
      const Condition = { StringEquals: { 'user.email': ['text', text] }, StringLike: { 'user.id': id } };
      return { Effect, Action: 'get*', Resource: '/item/*', Condition };
    };
    const others = Array.from({ length: 8 }, (_, index) => demanding(`other${index}`, '*'));
    const own = Effect === 'Deny' ? [{ Effect: 'Allow', Action: '*', Resource: '*' }] : [];
    const holding = Effect === 'Deny' ? 'explicit_deny' : 'allowed';
    const idle = Effect === 'Deny' ? 'allowed' : 'implicit_deny';
    const outcome = (ids: readonly string[], user: Readonly<Record<string, unknown>>) => {
      const alike = ids.map((id) => demanding('text7', id));
      const { context } = countedReads();
      return compileAll([[...others, ...alike], own]).rule('getorder', path, () => ({
        ...context,
        user: user as AccessContext['user'],
      })).outcome;
    };
    const user = { id: 'u1', email: 'text7' };
    for (const ids of [
      ['u*', 'x*', 'y*'],
      ['x*', 'u*', 'y*'],
      ['x*', 'y*', 'u*'],
    ])
      assert.equal(outcome(ids, user), holding, ids.join());
    assert.equal(outcome(['x*', 'y*'], user), idle);
    assert.equal(outcome(['u*'], { id: 'u1' }), idle);
    // Of a value that no String operator reads, a Deny cannot be evaluated, and so takes effect.
    assert.equal(outcome(['u*'], { id: 'u1', email: {} }), Effect === 'Deny' ? 'explicit_deny' : 'implicit_deny');
  });

test('however little may be spent, a Deny that demands a text of many holds', () => {
  const { context } = countedReads();
  const demands = many((index) => ({
    ...{ Effect: 'Deny', Resource: '/item/*' },
    Condition: { StringEquals: { 'user.email': `text${index}` } },
  }));
  const access = compileAll([demands, [{ Effect: 'Allow', Action: '*', Resource: '*' }]]);
  for (let stepsLeft = 0; stepsLeft < 400; stepsLeft++)
    assert.equal(access.rule('getorder', path, () => context, { stepsLeft }).outcome, 'explicit_deny', `${stepsLeft}`);
});

test('what demands no text is looked at beside many statements that do', () => {
  const { context } = countedReads();
  const demands = many((index) => ({
    ...{ Effect: 'Deny', Resource: '/item/*' },
    Condition: { StringEquals: { 'user.email': `other${index}` } },
  }));
  const outcome = (id: string, Resource: string) => {
    const other = { Effect: 'Deny', Action: '*', Resource, Condition: { StringLike: { 'user.id': id } } };
    const access = compileAll([[...demands, other], [{ Effect: 'Allow', Action: '*', Resource: '*' }]]);
    return access.rule('getorder', path, () => context).outcome;
  };
  for (const resource of ['/item/*', path, '/*/order/1', '/item/*/1', `/item/*/$\u007brequest.pathParameters.id}`])
    assert.deepEqual([outcome('u*', resource), outcome('x*', resource)], ['explicit_deny', 'allowed'], resource);
});

test('what the caller alone rules out does not wait for the record', () => {
  const { context } = countedReads({ pending: ['record'] });
  const ruling = compileAll([
    many((index) => ({
      ...{ Effect: 'Allow', Resource: '/item/*' },
      Condition: { StringEquals: { 'record.status': `text${index}` }, StringLike: { 'user.id': 'x*' } },
    })),
  ]).rule('getorder', path, () => context);
  assert.equal(ruling.outcome, 'implicit_deny');
});
