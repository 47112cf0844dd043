/** Properties that hold whatever the policies are, named after the theorems that Cedar is proved to have. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { AccessContext } from '../context/context.ts';
import { type CompiledAccess, compilePolicies } from '../decide.ts';
import { attach, compileAll, randomRequest, randomSample } from '../testing/agreement.ts';
import { Dice } from '../testing/dice.ts';
import { randomPolicies, randomStatement } from '../testing/random-policies.ts';
import type { ReferenceRequest } from '../testing/reference-evaluator.ts';

type Statement = Readonly<Record<string, unknown>>;

interface Trial {
  readonly policies: readonly unknown[];
  /** Policies that draw from the same values. */
  readonly others: readonly unknown[];
  readonly permit: Statement;
  readonly forbid: Statement;
  readonly request: ReferenceRequest;
  readonly dice: Dice;
}

const trials: fc.Arbitrary<Trial> = fc.noShrink(fc.integer()).map((seed) => {
  const dice = new Dice(seed);
  const { policies, palette } = randomSample(dice);
  const { Fields: _, ...forbid } = { Fields: undefined, ...randomStatement(dice, palette), Effect: 'Deny' };
  return {
    policies,
    others: randomPolicies(dice, palette),
    permit: { ...randomStatement(dice, palette), Effect: 'Allow' },
    forbid,
    request: randomRequest(dice, palette),
    dice,
  };
});

function holds(check: (trial: Trial) => void, numRuns = 2000): void {
  fc.assert(fc.property(trials, check), { numRuns });
}

function outcomeOf(access: CompiledAccess, { action, resource, context }: ReferenceRequest): string {
  return access.rule(action, resource, () => context).outcome;
}

function decide(policies: readonly unknown[], request: ReferenceRequest): string {
  return outcomeOf(compileAll(policies), request);
}

test('default_deny: without a statement that matches the answer is no', () => {
  holds(({ request }) => {
    assert.equal(decide([], request), 'implicit_deny');
    assert.equal(decide([[]], request), 'implicit_deny');
  });
});

test('allowed_only_if_explicitly_permitted: Denies alone never allow', () => {
  holds(({ policies, request }) => {
    const denies = policies.map((policy) => (Array.isArray(policy) ? policy.filter(isNoAllow) : policy));
    assert.notEqual(decide(denies, request), 'allowed');
  });
});

function isNoAllow(statement: unknown): boolean {
  return typeof statement !== 'object' || statement === null || Reflect.get(statement, 'Effect') !== 'Allow';
}

test('allowed_iff_explicitly_permitted_and_not_denied', () => {
  const seen = { allowed: 0, denied: 0 };
  holds(({ policies, request }) => {
    const single = policies.flatMap((policy) => (Array.isArray(policy) ? policy.map((one) => [one]) : [policy]));
    const alone = single.map((policy) => decide([policy], request));
    const isDenied = alone.includes('explicit_deny');
    const isPermitted = alone.includes('allowed');
    seen[isPermitted && !isDenied ? 'allowed' : 'denied']++;
    assert.equal(decide(policies, request) === 'allowed', isPermitted && !isDenied);
    assert.equal(decide(policies, request) === 'explicit_deny', isDenied);
  });
  assert.ok(seen.allowed > 200 && seen.denied > 200, JSON.stringify(seen));
});

test('forbid_trumps_permit: a Deny that matches wins over any number of Allows', () => {
  holds(({ policies, permit, forbid, request }) => {
    const everything = { Effect: 'Allow', Action: '*', Resource: '*' };
    if (decide([[forbid]], request) !== 'explicit_deny') return;
    assert.equal(decide([...policies, [everything, permit, forbid, everything]], request), 'explicit_deny');
  });
});

test('order_and_dup_independent', () => {
  holds(({ policies, others, request, dice }) => {
    const all = [...policies, ...others];
    const reversed = all.map((policy) => (Array.isArray(policy) ? policy.toReversed() : policy));
    const at = dice.below(all.length + 1);
    const rearranged = [...reversed.slice(at), ...reversed.slice(0, at), ...all];
    assert.equal(decide(rearranged, request), decide(all, request));
  });
});

test('unchanged_allow_when_add_permit', () => {
  let kept = 0;
  holds(({ policies, permit, request }) => {
    if (decide(policies, request) !== 'allowed') return;
    kept++;
    assert.equal(decide([...policies, [permit]], request), 'allowed');
  });
  assert.ok(kept > 200, String(kept));
});

test('unchanged_deny_when_add_forbid', () => {
  holds(({ policies, forbid, request }) => {
    const before = decide(policies, request);
    const after = decide([...policies, [forbid]], request);
    assert.ok(before === 'allowed' || after !== 'allowed');
    assert.ok(before !== 'explicit_deny' || after === 'explicit_deny');
  });
});

test('what is denied stays denied when a group is added that says nothing about it', () => {
  let unrelated = 0;
  holds(({ policies, others, request }) => {
    const before = decide(policies, request);
    if (before === 'allowed' || decide(others, request) !== 'implicit_deny') return;
    unrelated++;
    const via = { kind: 'group', groupId: 'g', groupName: 'group' } as const;
    const group = others.map((statements, index) => ({ ...attach(statements, index), via }));
    assert.equal(outcomeOf(compilePolicies([...policies.map(attach), ...group]), request), before);
  });
  assert.ok(unrelated > 200, String(unrelated));
});

test('the result depends on statements, action, path and context only, and changes none of them', () => {
  holds(({ policies, others, request, dice }) => {
    const before = structuredClone({ policies, request });
    const used = compileAll(policies);
    const decision = outcomeOf(used, request);
    for (let count = 0; count < 3; count++) outcomeOf(used, randomRequest(dice, randomSample(dice).palette));
    decide(others, request);
    assert.equal(outcomeOf(used, request), decision);
    assert.equal(decide(policies, structuredClone(request)), decision);
    const reattached = policies.map((statements) => ({ ...attach(statements), policyName: 'another' }));
    assert.equal(outcomeOf(compilePolicies(reattached), request), decision);
    assert.deepEqual({ policies, request }, before);
  }, 500);
});

test('the role claim has no influence', () => {
  holds(({ policies, request }) => {
    const { role: _, ...others } = request.context.jwt;
    const decisions = ['admin', '*', 'a', ['a', 'b'], null, true].map((role) =>
      decide(policies, { ...request, context: { ...request.context, jwt: { ...others, role } } }),
    );
    const without = decide(policies, { ...request, context: { ...request.context, jwt: others } });
    assert.deepEqual([...new Set([...decisions, without])], [without]);
  }, 500);
});

test('a key that no statement names flips no decision, whatever its value', () => {
  let tried = 0;
  holds(({ policies, others, request, dice }) => {
    const named = JSON.stringify(policies).toLowerCase();
    const name = dice.pick([
      'status',
      'owner',
      'tags',
      'when',
      'flag',
      'ip',
      'data',
      'extra',
      'constructor',
      '__proto__',
    ]);
    if (named.includes(name)) return;
    tried++;
    const value = dice.pick<unknown>(['a', 1, true, null, [], ['a', 'b'], {}, JSON.stringify(others), '*']);
    assert.equal(
      decide(policies, { ...request, context: withMember(request.context, name, value) }),
      decide(policies, request),
    );
  });
  assert.ok(tried > 500, String(tried));
});

function withMember(context: AccessContext, name: string, value: unknown): AccessContext {
  const member = Object.fromEntries([[name, value]]);
  const { request, record, jwt } = context;
  const body =
    typeof request.body === 'object' && !Array.isArray(request.body) ? { ...request.body, ...member } : member;
  const queryParameters = new Map([...request.queryParameters, [name, String(value)]]);
  return {
    ...context,
    jwt: { ...jwt, ...member },
    record: { ...record, ...member },
    request: { ...request, body, queryParameters },
  };
}

test('stored data of any shape that holds no sound Allow never allows, and never throws', () => {
  const anyPolicies = fc.array(fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue())));
  fc.assert(
    fc.property(anyPolicies, trials, (policies, { request }) => {
      assert.notEqual(decide(policies, request), 'allowed');
    }),
    { numRuns: 1000 },
  );
});

test('a context of any shape never makes a decision throw', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), trials, (record, body, trial) => {
      const { context } = trial.request;
      const odd = { ...context, record, jwt: record, request: { ...context.request, body } };
      assert.match(
        decide(trial.policies, { ...trial.request, context: odd }),
        /^(allowed|explicit_deny|implicit_deny)$/,
      );
    }),
    { numRuns: 1000 },
  );
});
