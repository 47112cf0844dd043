/** A statement that is only reported changes nothing, wherever it is added and whatever is wrong with it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findEscalation, type HeldPolicy } from '../cover/cover.ts';
import type { CompiledAccess } from '../decide.ts';
import { countPatterns } from '../statement.ts';
import { compileAll, randomRequest, randomSample } from '../testing/agreement.ts';
import { Dice } from '../testing/dice.ts';
import { randomPolicies, randomStatement } from '../testing/random-policies.ts';
import type { ReferenceRequest } from '../testing/reference-evaluator.ts';

interface Trial {
  readonly policies: readonly unknown[];
  /** The same with statements between them that are only reported. */
  readonly reporting: readonly unknown[];
  readonly others: readonly unknown[];
  readonly request: ReferenceRequest;
}

const damages: readonly object[] = [{}, {}, {}, { Sid: '\n' }, { Effect: 'deny' }, { Action: [] }, { Condition: [] }];

const trials: fc.Arbitrary<Trial> = fc.noShrink(fc.integer()).map((seed) => {
  const dice = new Dice(seed);
  const { policies, palette } = randomSample(dice);
  const report = (): unknown => ({ ...randomStatement(dice, palette), Mode: 'report', ...dice.pick(damages) });
  const mixed = (policy: unknown): unknown => {
    if (!Array.isArray(policy)) return policy;
    const between = policy.flatMap((statement: unknown) => [...dice.list(0, 1, report), statement]);
    return [...between, ...dice.list(0, 2, report)];
  };
  return {
    policies,
    reporting: [...policies.map(mixed), ...dice.list(0, 2, () => [report()])],
    others: randomPolicies(dice, palette),
    request: randomRequest(dice, palette),
  };
});

function holds(check: (trial: Trial) => void): void {
  fc.assert(fc.property(trials, check), { numRuns: 2000 });
}

const names = ['name', 'salary', 'status', 'owner', 'note', 'other'];

/** All that is asked of a ruling. */
function describe(access: CompiledAccess, { action, resource, context }: ReferenceRequest) {
  const { record = {}, ...others } = context;
  const pending = { ...others, pending: ['record' as const, 'body' as const] };
  return [
    access.rule(action, resource, () => context),
    access.rule(action, resource, () => pending),
    access.ruleOnSome(action, '/item/order/', () => context),
    access.denials(action, '/item/order/', () => context),
  ].map((ruling) => {
    const evaluated = ruling.evaluate(record, 'r1');
    return {
      outcome: ruling.outcome,
      needs: ruling.needs,
      equalities: ruling.equalities,
      recordFields: ruling.recordFields,
      evaluated: evaluated.outcome,
      isProvisional: evaluated.isProvisional,
      fields: [ruling.fields, ruling.sureFields, ruling.possibleFields, evaluated.fields].map((set) =>
        names.map((name) => set?.has(name)),
      ),
    };
  });
}

test('a ruling is the same with any reported statements added', () => {
  let outcomes = '';
  holds(({ policies, reporting, request }) => {
    const [without, with_] = [compileAll(policies), compileAll(reporting)];
    assert.deepEqual(describe(with_, request), describe(without, request));
    assert.equal(with_.mayDeny(request.action), without.mayDeny(request.action));
    assert.equal(with_.brokenStatements, without.brokenStatements);
    const explained = [with_, without].map((access) => {
      const { matched, near, ...rest } = access.explain(request.action, request.resource, () => request.context);
      return { ...rest, matched: matched.map(withoutPlace), near: near.map(withoutPlace) };
    });
    assert.deepEqual(explained[0], explained[1]);
    outcomes += ` ${describe(without, request)[0]?.outcome}`;
  });
  for (const outcome of ['allowed', 'explicit_deny', 'implicit_deny']) assert.ok(outcomes.includes(outcome));
});

function withoutPlace<One extends { readonly index: number }>({ index: _, ...rest }: One) {
  return rest;
}

test('reported statements count towards no bound', () => {
  holds(({ policies, reporting }) => {
    const counts = [policies, reporting].map((all) => countPatterns(all.map((statements) => ({ statements }))));
    assert.deepEqual(counts[1], counts[0]);
  });
});

test('an escalation is the same with any reported statements added, to what is held and to what is granted', () => {
  const held = (all: readonly unknown[]): readonly HeldPolicy[] =>
    all.map((statements, index) => ({ policyId: `p${index}`, policyName: `policy ${index}`, statements }));
  let found = 0;
  holds(({ policies, reporting, others }) => {
    const plain = findEscalation({ before: [], after: held(others) }, held(policies));
    assert.deepEqual(
      withoutPosition(findEscalation({ before: [], after: held(others) }, held(reporting))),
      withoutPosition(plain),
    );
    const changed = [policies, reporting].map((all) =>
      findEscalation({ before: held(all), after: held(others) }, held(all)),
    );
    assert.deepEqual(withoutPosition(changed[1]), withoutPosition(changed[0]));
    const granted = [policies, reporting].map((all) => findEscalation({ before: [], after: held(all) }, held(others)));
    assert.deepEqual(withoutPosition(granted[1]), withoutPosition(granted[0]));
    if (plain !== undefined) found += 1;
  });
  assert.ok(found > 100 && found < 2000, String(found));
});

function withoutPosition(found: ReturnType<typeof findEscalation>) {
  if (found === undefined || found.kind === 'too_much') return found;
  const { position: _, ...rest } = found;
  return rest;
}

test('an Allow that is reported gives nothing, a Deny that is reported takes nothing, and both are told', () => {
  const request = { action: 'getorder', resource: '/item/order/1', outcome: 'allowed' } as const;
  const context = () => {
    throw new TypeError('not asked for');
  };
  const allow = { Effect: 'Allow', Action: ['get*'], Resource: ['*'] };
  const report = { ...allow, Mode: 'report' };
  assert.equal(compileAll([[report]]).rule('getorder', '/item/order/1', context).outcome, 'implicit_deny');
  const [allowing] = compileAll([[report]]).reports({ ...request, outcome: 'implicit_deny' }, context);
  assert.equal(allowing?.would, 'allow');
  const denied = compileAll([[allow, { ...report, Effect: 'Deny', Sid: 'no' }]]);
  assert.equal(denied.rule('getorder', '/item/order/1', context).outcome, 'allowed');
  const [denying] = denied.reports(request, context);
  assert.deepEqual([denying?.Sid, denying?.index, denying?.would], ['no', 1, 'deny']);
  assert.deepEqual(denied.reports({ ...request, action: 'deleteorder' }, context), []);
});

test('with a member that is not known a statement is enforced whatever its mode', () => {
  const strange = { Effect: 'Deny', Action: ['get*'], Resource: ['*'], Mode: 'report', Until: 'tomorrow' };
  const allow = { Effect: 'Allow', Action: ['*'], Resource: ['*'] };
  assert.equal(
    compileAll([[allow, strange]]).rule('getorder', '/item/order/1', () => {
      throw new TypeError('not asked for');
    }).outcome,
    'explicit_deny',
  );
});
