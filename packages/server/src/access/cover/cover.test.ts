import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { thinned } from '../../store/testing/quick.ts';
import { referenceDecision } from '../testing/reference-evaluator.ts';
import { type Escalation, findEscalation, type HeldPolicy } from './cover.ts';

type Patterns = string | readonly string[];

function allow(Action: Patterns, Resource: Patterns = '*'): unknown {
  return { Effect: 'Allow', Action, Resource };
}

function deny(Action: Patterns, Resource: Patterns = '*'): unknown {
  return { Effect: 'Deny', Action, Resource };
}

function policy(statements: unknown, policyId = 'p'): HeldPolicy {
  return { policyId, policyName: `policy ${policyId}`, statements };
}

/** The escalation found when the holder of `author` grants `granted`. */
function granting(granted: readonly unknown[], author: readonly unknown[], steps?: number): Escalation | undefined {
  return findEscalation({ before: [], after: [policy(granted)] }, [policy(author, 'own')], { steps });
}

const everything = allow('*');

const grantable: readonly (readonly [string, readonly unknown[], readonly unknown[]])[] = [
  ['everything by one who may do everything', [everything, allow('get*', '/item/*')], [everything]],
  ['what the author has, to the letter', [allow('getorder', '/item/order/*')], [allow('getorder', '/item/order/*')]],
  ['a part of it', [allow(['getorder', 'get?rder'], '/item/order/7')], [allow('get*', '/item/*')]],
  ['in whatever case the actions are written', [allow('GetOrder')], [allow('gETo*')]],
  ['pairs that different Allows cover', [allow(['getorder', 'listorder'])], [allow('get*'), allow('list*')]],
  ['a Deny of anything', [deny('*')], []],
  ['what no Deny of the author reaches', [allow('get*')], [everything, deny('delete*')]],
  ['what a Deny reaches on other resources alone', [allow('*', '/list/*')], [everything, deny('*', '/item/*')]],
  ['nothing', [], []],
];
for (const [sentence, granted, author] of grantable)
  test(`may be granted: ${sentence}`, () => {
    assert.equal(granting(granted, author), undefined);
  });

const refused: readonly (readonly [string, readonly unknown[], readonly unknown[], Partial<Escalation>])[] = [
  ['anything by one who holds nothing', [allow('getorder')], [], { kind: 'uncovered', action: 'getorder' }],
  ['everything by one who may create', [everything], [allow('create*')], { kind: 'uncovered', action: '*' }],
  [
    'one pattern too many',
    [allow('get*', ['/item/a', '/item/b'])],
    [allow('*', '/item/a')],
    { kind: 'uncovered', resource: '/item/b' },
  ],
  [
    'an action and a resource that no single Allow has together',
    [allow(['getorder', 'listorder'], ['/a', '/b'])],
    [allow('getorder', '/a'), allow('listorder', '/b')],
    { kind: 'uncovered', action: 'getorder', resource: '/b' },
  ],
  ['a resource in another case', [allow('*', '/ITEM/*')], [allow('*', '/item/*')], { kind: 'uncovered' }],
  ['letters that only look like others', [allow('get\u212a*')], [allow('getk*')], { kind: 'uncovered' }],
  [
    'what a Deny of the author overlaps',
    [allow('get*')],
    [everything, deny('*secret')],
    { kind: 'denied', action: 'get*' },
  ],
  [
    'a broken Allow, as far as it may have meant',
    [{ Effect: 'Allow' }],
    [allow('get*')],
    { kind: 'uncovered', action: '*' },
  ],
];
for (const [sentence, granted, author, expected] of refused)
  test(`may not be granted: ${sentence}`, () => {
    const found = granting(granted, author);
    assert.deepEqual({ ...found, ...expected }, found);
  });

test('a broken Allow of the author covers nothing, a broken Deny overlaps everything', () => {
  for (const broken of [
    { Effect: 'Allow', Action: '*', Resource: '*', Condition: [] },
    { Effect: 'Allow', Action: '*', Resource: '*', Sid: 'no\nlabel' },
    { Effect: 'Allow', Action: '*' },
    { Effect: 'allow', Action: '*', Resource: '*' },
    'Allow',
    null,
  ])
    assert.equal(granting([allow('getorder')], [broken])?.kind, 'uncovered', JSON.stringify(broken));
  for (const broken of [
    { Effect: 'Deny', Action: 'deleteorder', Resource: '/x', Condition: [] },
    { Effect: 'Deny', Action: 'deleteorder' },
    { Action: 'deleteorder', Resource: '/x' },
    7,
  ])
    assert.equal(granting([allow('getorder')], [everything, broken])?.kind, 'denied', JSON.stringify(broken));
  assert.equal(findEscalation({ before: [], after: [policy([allow('get*')])] }, [policy('none')])?.kind, 'uncovered');
});

test('names the policy, the statement and the patterns', () => {
  const granted = [allow('get*'), { Sid: 'Wide', Effect: 'Allow', Action: ['Get*', 'Delete*'], Resource: '/item/*' }];
  assert.deepEqual(granting(granted, [allow('get*')]), {
    kind: 'uncovered',
    policyName: 'policy p',
    position: 1,
    Sid: 'Wide',
    action: 'delete*',
    resource: '/item/*',
  });
});

/** The escalation found when the holder of `author` changes a policy, which is his own where `isOwn` says so. */
function changing(
  [before, after]: readonly [readonly unknown[], readonly unknown[]],
  author: readonly unknown[],
  { isOwn = false, isAnew = false } = {},
): Escalation | undefined {
  const held = [policy(author, 'own'), ...(isOwn ? [policy(before)] : [])];
  return findEscalation({ before: [policy(before)], after: [policy(after)], isAnew }, held);
}

test('what stood before need not be covered, unless all is granted again', () => {
  const narrowed = [[everything, allow('get*')], [allow('get*')]] as const;
  assert.equal(changing(narrowed, []), undefined);
  assert.equal(changing([[everything], [everything, deny('delete*')]], []), undefined);
  assert.equal(changing(narrowed, [], { isAnew: true })?.kind, 'uncovered');
  assert.equal(changing(narrowed, [allow('get*')], { isAnew: true }), undefined);
  assert.equal(changing([[allow('get*')], [everything]], [allow('get*')])?.kind, 'uncovered');
});

test('a broken Allow that is mended is granted again', () => {
  const broken = { Effect: 'Allow', Action: '*', Resource: '*', Condition: [] };
  assert.equal(changing([[broken], [everything]], [allow('get*')])?.kind, 'uncovered');
});

test('an Allow that a lifted Deny held back must be covered', () => {
  const freed = [[everything, deny('delete*')], [everything]] as const;
  assert.equal(changing(freed, [allow('get*')])?.kind, 'uncovered');
  assert.equal(changing(freed, [everything]), undefined);
  assert.equal(changing([[allow('get*'), deny('delete*')], [allow('get*')]], []), undefined);
});

test('one whose own permissions a Deny limits may not lift or narrow it', () => {
  const lifting = [[deny('delete*')], []] as const;
  assert.equal(changing(lifting, [everything], { isOwn: true })?.kind, 'lifted');
  assert.equal(changing(lifting, [everything], { isOwn: false }), undefined);
  assert.equal(changing([[deny('delete*')], [deny('deleteorder')]], [everything], { isOwn: true })?.kind, 'lifted');
  assert.equal(
    changing([[deny('delete*')], [deny('delete*', '/delete/order/*')]], [everything], { isOwn: true })?.kind,
    'lifted',
  );
  assert.equal(changing([[deny('delete*')], [deny('*')]], [everything], { isOwn: true }), undefined);
  assert.equal(
    changing([[deny(['deletea', 'deleteb'])], [deny('deleteb'), deny('deletea')]], [], { isOwn: true }),
    undefined,
  );
  assert.equal(changing([[{ Effect: 'Deny', Action: 'getx' }], []], [everything], { isOwn: true })?.kind, 'lifted');
});

const actions = ['getorder', 'getuser', 'listorder', 'deleteorder'];
const resources = ['/item/order/1', '/item/user/1', '/list/order', '/x'];
const few = (...patterns: string[]) => fc.subarray(patterns, { minLength: 1, maxLength: 2 });
const statement = fc
  .record({
    Effect: fc.oneof(
      { weight: 12, arbitrary: fc.constant('Allow') },
      { weight: 4, arbitrary: fc.constant('Deny') },
      { weight: 1, arbitrary: fc.constant('allow') },
    ),
    Action: few('*', 'get*', '*order', 'GetOrder', 'l?st*', 'getuser', 'delete*'),
    Resource: few('*', '/item/*', '/item/?rder/*', '/list/order', '*r*1', '/x'),
    Condition: fc.option(fc.constant([]), { freq: 20, nil: undefined }),
  })
  .map(({ Condition, ...rest }) => (Condition === undefined ? rest : { ...rest, Condition }));
const statements = fc.array(statement, { maxLength: 2 });
/** Mostly people who may do much, else hardly anything would be accepted. */
const authors = fc.oneof(
  statements,
  fc.tuple(statement, statements).map(([first, rest]) => [{ ...first, Effect: 'Deny' }, everything, ...rest]),
  fc
    .subarray(['*order', 'get*', 'getuser', 'l?st*', 'delete*'], { minLength: 2 })
    .map((wide) => [allow(wide), allow('*', ['/x', '/item/*', '*r*1', '/list/order'])]),
);
const requests = actions.flatMap((action) => resources.map((resource) => ({ action, resource })));

test('a write that is no escalation lets through nothing new that its author may not do', () => {
  let accepted = 0;
  fc.assert(
    fc.property(statements, statements, authors, fc.boolean(), (before, after, author, isOwn) => {
      const change = { before: [policy(before)], after: [policy(after)] };
      const held = [policy(author, 'own'), ...(isOwn ? [policy(before)] : [])];
      if (findEscalation(change, held) !== undefined) return;
      const own = held.map((each) => each.statements);
      for (const { action, resource } of requests) {
        const [was, is] = [before, after].map((each) => referenceDecision([each], action, resource));
        if (is === 'allowed' && was !== 'allowed') {
          accepted += 1;
          assert.equal(referenceDecision(own, action, resource), 'allowed', `${action} ${resource}`);
        }
        if (isOwn && was === 'explicit_deny') assert.equal(is, 'explicit_deny', `${action} ${resource}`);
      }
    }),
    { numRuns: thinned(8000) },
  );
  assert.ok(accepted > thinned(150), String(accepted));
});

test('one who may do everything may grant anything', () => {
  fc.assert(
    fc.property(statements, statements, (before, after) => {
      const change = { before: [policy(before)], after: [policy(after)] };
      assert.equal(findEscalation(change, [policy([everything], 'own')]), undefined);
    }),
  );
});

test('a policy that is held in several ways counts once', () => {
  const own = policy([allow('get*')], 'own');
  const change = { before: [], after: [policy([allow('getorder')]), policy([allow('getorder')])] };
  assert.equal(findEscalation(change, [own, own]), undefined);
});

test('patterns that are too many to compare are refused as such', () => {
  const granted = [allow('get*', '/item/*')];
  assert.deepEqual(granting(granted, [everything], 1), { kind: 'too_much' });
  const many = (start: string) => Array.from({ length: 600 }, (_, index) => `${start}*${index}*x*`);
  const crowded = Array.from({ length: 10 }, (_, index) => allow(many('get'), many(`/${index}`)));
  assert.deepEqual(granting([allow(many('get?'), many('/?'))], [...crowded, allow('get*')]), { kind: 'too_much' });
});
