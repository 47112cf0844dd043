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
  const request = { method: 'GET', path, pathParameters: {}, queryParameters: new Map(), ip: '', time: 0 };
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

test('a record is not judged by each of 500 statements', () => {
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
  assert.equal(ruling.judge(record).outcome, 'allowed');
  assert.ok(statusReads <= 2, String(statusReads));
  assert.equal(ruling.judge({ ...record, status: 'text8' }).outcome, 'implicit_deny');
});
