import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { noContext } from './context/context.ts';
import { type AttachedPolicy, type CompiledAccess, compilePolicies } from './decide.ts';
import { referenceDecision } from './testing/reference-evaluator.ts';
import { verbs } from './verbs.ts';

interface AccessRequest {
  readonly action: string;
  readonly resource: string;
}

function attach(statements: unknown, index = 0): AttachedPolicy {
  return { policyId: `p${index}`, policyName: `policy ${index}`, via: { kind: 'direct' }, statements };
}

function compile(policies: readonly unknown[]): CompiledAccess {
  return compilePolicies(policies.map(attach));
}

const anyAction = fc
  .tuple(fc.constantFrom(...verbs), fc.constantFrom('order', 'orders', 'user'))
  .map(([verb, entity]) => verb + entity);
const anyResource = fc
  .tuple(
    fc.constantFrom('/item', '/list', '/delete', '/content'),
    fc.constantFrom('/order', '/orders', '/user', ''),
    fc.constantFrom('', '/1', '/12', '/aab', '/😀', '/a\nb/c'),
  )
  .map((parts) => parts.join(''));
const anyRequest: fc.Arbitrary<AccessRequest> = fc.record({
  action: fc.tuple(anyAction, fc.nat(9)).map(([action, dice]) => (dice === 0 ? action.toUpperCase() : action)),
  resource: anyResource,
});

/** Makes a glob of a text: some of its parts are replaced by a star or by question marks. */
function globOf(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const cut = fc.record({ at: fc.nat(20), length: fc.nat(8), symbol: fc.constantFrom('*', '*', '?') });
  const anyGlob = fc.tuple(texts, fc.array(cut, { maxLength: 2 })).map(([text, cuts]) =>
    cuts
      .reduce<readonly string[]>((letters, { at, length, symbol }) => {
        const from = at % (letters.length + 1);
        const hidden = letters.slice(from, from + length);
        const filling = symbol === '*' ? ['*'] : hidden.map((letter) => (letter === '*' ? '*' : '?'));
        return [...letters.slice(0, from), ...filling, ...letters.slice(from + length)];
      }, Array.from(text))
      .join(''),
  );
  return fc.oneof(
    { weight: 3, arbitrary: anyGlob },
    { weight: 1, arbitrary: fc.constant('*') },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...verbs), fc.constant('*')).map(([verb, star]) => verb + star) },
  );
}

const actionGlobs = fc.array(globOf(anyAction), { minLength: 1, maxLength: 3, size: 'max' });
const resourceGlobs = fc.array(
  globOf(anyResource).map((glob) => (glob.startsWith('/') || glob.startsWith('*') ? glob : `/${glob}`)),
  { minLength: 1, maxLength: 3, size: 'max' },
);

function statementWith(effect: fc.Arbitrary<string>): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  return fc.record({ Effect: effect, Action: actionGlobs, Resource: resourceGlobs });
}
const anyAllow = statementWith(fc.constant('Allow'));
const anyDeny = statementWith(fc.constant('Deny'));
const anySound = statementWith(fc.constantFrom('Allow', 'Allow', 'Allow', 'Deny'));

/** Sound but for one member: taken away, replaced by something unreadable, or added without a meaning. */
const anyBroken = fc
  .tuple(
    anySound,
    fc.constantFrom(
      { Effect: undefined },
      { Effect: 'deny' },
      { Action: undefined },
      { Action: [] },
      { Action: ['*', 5] },
      { Resource: null },
      { Resource: { 0: '*' } },
      { Condition: [] },
      { Sid: 'a b' },
      { Fields: [] },
      { NotAction: '*' },
      'no statement',
    ),
  )
  .map(([sound, change]) => {
    if (typeof change === 'string') return change;
    return Object.fromEntries(Object.entries({ ...sound, ...change }).filter(([, value]) => value !== undefined));
  });
const anyStatement = fc.oneof({ weight: 12, arbitrary: anySound }, { weight: 1, arbitrary: anyBroken });
const anyStatements = fc.array(anyStatement, { maxLength: 3, size: 'max' });
const anyPolicies = fc.array(
  fc.oneof({ weight: 40, arbitrary: anyStatements }, { weight: 1, arbitrary: fc.constantFrom(null, {}, 'x') }),
  { maxLength: 3, size: 'max' },
);
const anySoundPolicies = fc.array(fc.array(anySound, { maxLength: 3, size: 'max' }), { maxLength: 3, size: 'max' });

test('agrees with the reference evaluator on 100,000 requests', () => {
  const seen: Record<string, number> = {};
  const requests = fc.array(anyRequest, { minLength: 25, maxLength: 25 });
  fc.assert(
    fc.property(anyPolicies, requests, (policies, many) => {
      const access = compile(policies);
      for (const { action, resource } of many) {
        const expected = referenceDecision(policies, action, resource);
        seen[expected] = (seen[expected] ?? 0) + 1;
        assert.equal(access.rule(action, resource, noContext).outcome, expected, `${action} on ${resource}`);
      }
    }),
    { numRuns: 4000 },
  );
  for (const outcome of ['allowed', 'explicit_deny', 'implicit_deny']) {
    assert.ok((seen[outcome] ?? 0) > 10_000, JSON.stringify(seen));
  }
});

test('explains what it decides, with exactly the statements that matched', () => {
  fc.assert(
    fc.property(anyPolicies, anyRequest, (policies, { action, resource }) => {
      const access = compile(policies);
      const { decision, matched, considered } = access.explain(action, resource, noContext);
      assert.equal(decision, access.rule(action, resource, noContext).outcome);
      const singles = policies.flatMap((statements) =>
        Array.isArray(statements) ? statements.map((s) => [s]) : [null],
      );
      assert.equal(considered, singles.length);
      const expected = singles.map((single) => referenceDecision([single], action, resource));
      assert.deepEqual(
        matched.map((match) => match.Effect),
        expected.filter((one) => one !== 'implicit_deny').map((one) => (one === 'allowed' ? 'Allow' : 'Deny')),
      );
    }),
    { numRuns: 1000 },
  );
});

test('default deny: without a matching statement the answer is no', () => {
  fc.assert(
    fc.property(
      anyRequest,
      ({ action, resource }) => compile([]).rule(action, resource, noContext).outcome === 'implicit_deny',
    ),
  );
});

test('allowed only if explicitly permitted: Denies alone never allow', () => {
  fc.assert(
    fc.property(fc.array(anyDeny), anyRequest, (denies, { action, resource }) => {
      assert.notEqual(compile([denies]).rule(action, resource, noContext).outcome, 'allowed');
    }),
  );
});

test('allowed if and only if explicitly permitted and not denied', () => {
  fc.assert(
    fc.property(fc.array(anyAllow), fc.array(anyDeny), anyRequest, (allows, denies, { action, resource }) => {
      const isPermitted = compile([allows]).rule(action, resource, noContext).outcome === 'allowed';
      const isDenied = compile([denies]).rule(action, resource, noContext).outcome === 'explicit_deny';
      const isAllowed = compile([allows, denies]).rule(action, resource, noContext).outcome === 'allowed';
      assert.equal(isAllowed, isPermitted && !isDenied);
    }),
    { numRuns: 1000 },
  );
});

test('forbid trumps permit: a matching Deny denies whatever else stands there', () => {
  fc.assert(
    fc.property(anyPolicies, anyRequest, (policies, { action, resource }) => {
      const deny = [{ Effect: 'Deny', Action: action, Resource: resource }];
      assert.equal(compile([...policies, deny]).rule(action, resource, noContext).outcome, 'explicit_deny');
    }),
  );
});

test('order and duplicates change nothing', () => {
  fc.assert(
    fc.property(anyPolicies, anyRequest, fc.nat(), (policies, { action, resource }, turn) => {
      const reversed = policies.map((statements) => (Array.isArray(statements) ? statements.toReversed() : statements));
      const at = turn % (policies.length + 1);
      const rearranged = [...reversed.slice(at), ...reversed.slice(0, at), ...policies];
      assert.equal(
        compile(rearranged).rule(action, resource, noContext).outcome,
        compile(policies).rule(action, resource, noContext).outcome,
      );
    }),
    { numRuns: 1000 },
  );
});

test('how statements are spread over policies, and how policies are held, changes nothing', () => {
  fc.assert(
    fc.property(anySoundPolicies, anyRequest, (policies, { action, resource }) => {
      const via = { kind: 'group', groupId: 'g', groupName: 'group' } as const;
      const inGroup = policies.map((statements, index) => ({ ...attach(statements, index), via }));
      const decision = compile(policies).rule(action, resource, noContext).outcome;
      assert.equal(compilePolicies(inGroup).rule(action, resource, noContext).outcome, decision);
      assert.equal(compile([policies.flat()]).rule(action, resource, noContext).outcome, decision);
      assert.equal(
        compile(policies.flat().map((statement) => [statement])).rule(action, resource, noContext).outcome,
        decision,
      );
    }),
    { numRuns: 500 },
  );
});

test('what is allowed stays allowed when an Allow is added', () => {
  fc.assert(
    fc.property(anyPolicies, anyAllow, anyRequest, (policies, allow, { action, resource }) => {
      fc.pre(compile(policies).rule(action, resource, noContext).outcome === 'allowed');
      assert.equal(compile([...policies, [allow]]).rule(action, resource, noContext).outcome, 'allowed');
    }),
  );
});

test('what is denied stays denied when a Deny is added', () => {
  fc.assert(
    fc.property(anyPolicies, anyDeny, anyRequest, (policies, deny, { action, resource }) => {
      fc.pre(compile(policies).rule(action, resource, noContext).outcome !== 'allowed');
      assert.notEqual(compile([...policies, [deny]]).rule(action, resource, noContext).outcome, 'allowed');
    }),
  );
});

test('what is denied stays denied, in the same way, when a group is added that says nothing about it', () => {
  fc.assert(
    fc.property(anyPolicies, anySoundPolicies, anyRequest, (policies, group, { action, resource }) => {
      const before = compile(policies).rule(action, resource, noContext).outcome;
      fc.pre(before !== 'allowed' && compile(group).rule(action, resource, noContext).outcome === 'implicit_deny');
      assert.equal(compile([...policies, ...group]).rule(action, resource, noContext).outcome, before);
    }),
  );
});

test('never throws and never allows on stored data of any shape that holds no sound Allow', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue()))),
      anyRequest,
      (policies, { action, resource }) => {
        assert.notEqual(compile(policies).rule(action, resource, noContext).outcome, 'allowed');
      },
    ),
    { numRuns: 1000 },
  );
});

test('answers the same after more distinct actions than it keeps in mind', () => {
  const access = compile([
    [{ Effect: 'Allow', Action: 'get*', Resource: '/item/*' }],
    [{ Effect: 'Deny', Action: '*7', Resource: '*' }],
  ]);
  for (let round = 0; round < 2; round++) {
    for (let number = 0; number < 1000; number++) {
      const expected = number % 10 === 7 ? 'explicit_deny' : 'allowed';
      assert.equal(access.rule(`getorder${number}`, '/item/x', noContext).outcome, expected);
    }
  }
});

test('names the policy, how it is held, the statement and the first patterns that matched', () => {
  const via = { kind: 'group', groupId: 'g1', groupName: 'Staff' } as const;
  const broken = { Sid: 'NoDelete', Effect: 'Deny', Action: ['Delete**'], Resource: '/delete/*', Condition: [] };
  const access = compilePolicies([
    attach([{ Sid: 'Read', Effect: 'Allow', Action: ['listorder', 'GET*', '*'], Resource: ['/list/*', '/item/*'] }]),
    { policyId: 'p1', policyName: 'Limits', via, statements: [broken, { Effect: 'Allow', Action: '*' }] },
  ]);
  const direct = { policyId: 'p0', policyName: 'policy 0', via: { kind: 'direct' } };
  assert.deepEqual(access.explain('getorder', '/item/order/1', noContext), {
    decision: 'allowed',
    matched: [{ ...direct, Sid: 'Read', Effect: 'Allow', actionPattern: 'GET*', resourcePattern: '/item/*' }],
    near: [],
    considered: 3,
  });
  const { decision, matched } = access.explain('deleteorder', '/delete/order/1', noContext);
  assert.equal(decision, 'explicit_deny');
  assert.deepEqual(matched, [
    {
      policyId: 'p1',
      policyName: 'Limits',
      via,
      Sid: 'NoDelete',
      Effect: 'Deny',
      actionPattern: 'Delete*',
      resourcePattern: '/delete/*',
      broken: [{ pointer: '/Condition', code: 'invalid_type', message: '`Condition` must be an object of operators' }],
    },
  ]);
  assert.equal(access.brokenStatements, 2);
});
