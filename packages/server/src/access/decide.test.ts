import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { thinned } from '../store/testing/quick.ts';
import { noContext } from './context/context.ts';
import { compilePolicies } from './decide.ts';
import {
  agreeWithReference,
  anyAllow,
  anyDeny,
  anyPolicies,
  anyRequest,
  anySoundPolicies,
  attach,
  compile,
} from './testing/any-policies.ts';
import { referenceDecision } from './testing/reference-evaluator.ts';

test('agrees with the reference evaluator', () => agreeWithReference(10_000));

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
    { numRuns: thinned(1000) },
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
    { numRuns: thinned(1000) },
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
    { numRuns: thinned(1000) },
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
    { numRuns: thinned(500) },
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
    { numRuns: thinned(1000) },
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
    matched: [{ ...direct, index: 0, Sid: 'Read', Effect: 'Allow', actionPattern: 'GET*', resourcePattern: '/item/*' }],
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
      index: 0,
      Sid: 'NoDelete',
      Effect: 'Deny',
      actionPattern: 'Delete*',
      resourcePattern: '/delete/*',
      broken: [{ pointer: '/Condition', code: 'invalid_type', message: '`Condition` must be an object of operators' }],
    },
  ]);
  assert.equal(access.brokenStatements, 2);
});
