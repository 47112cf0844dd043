import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { thinned } from '../../store/testing/quick.ts';
import type { AccessContext } from '../context/context.ts';
import { type CompiledAccess, compilePolicies } from '../decide.ts';
import { findEscalation, type HeldPolicy } from './cover.ts';

interface Narrowing {
  readonly Condition?: unknown;
  readonly Fields?: unknown;
}

const variable = (key: string) => `$\u007b${key}}`;
const own = { StringEquals: { 'record.owner': variable('user.id') } };
const open = { StringEquals: { 'record.status': ['open', 'new'] } };

function allow(narrowing: Narrowing = {}, Resource: unknown = '*'): unknown {
  return { Effect: 'Allow', Action: 'get*', Resource, ...narrowing };
}

function deny(narrowing: Narrowing = {}, Resource: unknown = '*'): unknown {
  return { Effect: 'Deny', Action: 'get*', Resource, ...narrowing };
}

function policy(statements: readonly unknown[], policyId = 'p'): HeldPolicy {
  return { policyId, policyName: `policy ${policyId}`, statements };
}

/** The kind of the escalation that one who holds `author` meets when granting `granted`. */
function granting(granted: unknown, ...author: readonly unknown[]): string | undefined {
  return findEscalation({ before: [], after: [policy([granted])] }, [policy(author, 'own')])?.kind;
}

const openOtherwise = { StringEquals: { 'record.status': ['new', 'open', 'new'] } };
const both = { StringEquals: { ...own.StringEquals, ...open.StringEquals } };
const grants: readonly (readonly [what: string, granted: unknown, author: unknown, kind: string | undefined])[] = [
  ['with a condition, by one who has none', allow({ Condition: own }), allow(), undefined],
  ['with the same condition', allow({ Condition: own }), allow({ Condition: own }), undefined],
  ['with the same values in another order', allow({ Condition: openOtherwise }), allow({ Condition: open }), undefined],
  ['without the condition', allow(), allow({ Condition: own }), 'uncovered'],
  ['with another condition', allow({ Condition: open }), allow({ Condition: own }), 'uncovered'],
  ['with a part of the condition', allow({ Condition: own }), allow({ Condition: both }), 'uncovered'],
  ['with a condition that is said to say more', allow({ Condition: both }), allow({ Condition: own }), 'uncovered'],
  ['fields, by one who has all', allow({ Fields: ['a'] }), allow(), undefined],
  ['the same fields', allow({ Fields: ['b', 'a'] }), allow({ Fields: ['a', 'b'] }), undefined],
  ['fewer fields', allow({ Fields: ['ab'] }), allow({ Fields: ['a*', 'b'] }), undefined],
  ['all fields', allow(), allow({ Fields: ['*'] }), 'uncovered'],
  ['another field', allow({ Fields: ['a', 'c'] }), allow({ Fields: ['a', 'b'] }), 'uncovered'],
  ['all but the same', allow({ Fields: ['!a'] }), allow({ Fields: ['!a'] }), undefined],
  ['all but more', allow({ Fields: ['!a*', '!b'] }), allow({ Fields: ['!ab'] }), undefined],
  ['what is excluded', allow({ Fields: ['a*'] }), allow({ Fields: ['*', '!ab'] }), 'uncovered'],
  ['what is not excluded', allow({ Fields: ['c*'] }), allow({ Fields: ['*', '!ab'] }), undefined],
  ['a path of one’s own', allow({}, `/a/${variable('user.id')}`), allow({}, `/a/${variable('user.id')}`), undefined],
  ['a path of one’s own, by a wider one', allow({}, `/a/${variable('user.id')}`), allow({}, '/a/*'), undefined],
  ['by a path of one’s own', allow({}, '/a/u1'), allow({}, `/a/${variable('user.id')}`), 'uncovered'],
  ['by a path of one’s own, any', allow({}, '/a/*'), allow({}, `/a/${variable('user.id')}`), 'uncovered'],
  ['by another variable', allow({}, `/a/${variable('user.id')}`), allow({}, `/a/${variable('jwt.id')}`), 'uncovered'],
];

for (const [what, granted, author, kind] of grants)
  test(`${kind === undefined ? 'may' : 'may not'} be granted: ${what}`, () => {
    assert.equal(granting(granted, author), kind);
  });

test('a Deny of the author stands against a grant under whatever condition and on whatever field', () => {
  for (const narrowing of [{}, { Condition: own }, { Fields: ['a'] }])
    for (const granted of [{}, { Condition: open }, { Fields: ['b'] }])
      assert.equal(granting(allow(granted), allow(), deny(narrowing)), 'denied');
  assert.equal(granting(allow({}, '/a/b/*'), allow(), deny({}, `/a/${variable('user.id')}/*`)), 'denied');
  assert.equal(granting(allow({}, '/c/*'), allow(), deny({}, `/a/${variable('user.id')}/*`)), undefined);
});

test('a Deny that becomes narrower is lifted', () => {
  const changing = (before: unknown, after: unknown) =>
    findEscalation({ before: [policy([before])], after: [policy([after])] }, [policy([before])])?.kind;
  assert.equal(changing(deny(), deny({ Condition: own })), 'lifted');
  assert.equal(changing(deny({ Condition: own }), deny({ Condition: open })), 'lifted');
  assert.equal(changing(deny({ Condition: own }), deny({ Condition: both })), 'lifted');
  assert.equal(changing(deny(), deny({ Fields: ['*'] })), 'lifted');
  assert.equal(changing(deny({ Fields: ['a', 'b'] }), deny({ Fields: ['a'] })), 'lifted');
  assert.equal(changing(deny({ Condition: own }), deny()), undefined);
  assert.equal(changing(deny({ Fields: ['a'] }), deny()), undefined);
  assert.equal(changing(deny({ Fields: ['a'] }), deny({ Fields: ['a', 'b'] })), undefined);
  assert.equal(changing(deny({}, `/a/${variable('user.id')}`), deny({}, '/a/u1')), 'lifted');
});

const narrowing = fc.record(
  {
    Condition: fc.constantFrom(own, open, { StringNotEquals: { 'record.status': 'open' } }),
    Fields: fc.subarray(['a', 'b*', '*', '!a', '!bc'], { minLength: 1 }),
  },
  { requiredKeys: [] },
);
const statement = fc
  .record({
    Effect: fc.constantFrom('Allow', 'Allow', 'Allow', 'Deny'),
    Action: fc.constantFrom('*', 'get*', 'getorder'),
    Resource: fc.constantFrom('*', '/item/*', `/item/${variable('user.id')}`, '/item/u1'),
  })
  .chain((plain) => narrowing.map((more) => ({ ...plain, ...more })));
const statements = fc.array(statement, { maxLength: 2 });

const contexts: readonly AccessContext[] = ['u1', 'u2'].flatMap((id) =>
  ['open', 'closed'].map((status) => ({
    request: { method: '', path: '', pathParameters: {}, queryParameters: new Map(), ip: '', time: 0 },
    user: { id, email: '' },
    tenant: { id: '', code: '' },
    jwt: {},
    record: { owner: 'u1', status },
  })),
);

function fieldsAllowed(access: CompiledAccess, path: string, context: AccessContext): readonly string[] {
  const { outcome, fields } = access.rule('getorder', path, () => context);
  return outcome === 'allowed' ? ['id', 'a', 'b', 'bc', 'c'].filter((name) => fields?.has(name) ?? true) : [];
}

function compile(list: readonly unknown[]): CompiledAccess {
  return compilePolicies([{ ...policy(list), via: { kind: 'direct' } }]);
}

test('a write that is no escalation shows no one more than its author could see in that place', () => {
  let accepted = 0;
  fc.assert(
    fc.property(statements, statements, statements, (before, after, author) => {
      const change = { before: [policy(before)], after: [policy(after)] };
      if (findEscalation(change, [policy(author, 'own')]) !== undefined) return;
      const [was, is, mine] = [compile(before), compile(after), compile(author)];
      for (const path of ['/item/u1', '/item/u2', '/x'])
        for (const context of contexts) {
          const [old, may] = [fieldsAllowed(was, path, context), fieldsAllowed(mine, path, context)];
          const gained: readonly string[] = fieldsAllowed(is, path, context).filter((name) => !old.includes(name));
          accepted += gained.length;
          assert.deepEqual(
            gained.filter((name) => !may.includes(name)),
            [],
          );
        }
    }),
    { numRuns: thinned(20_000) },
  );
  assert.ok(accepted > thinned(1000), String(accepted));
});
