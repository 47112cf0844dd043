import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileAll } from '../testing/agreement.ts';
import { type CaseRequest, decisionCases, toRequest } from '../testing/decision-case.ts';
import { referenceRuling } from '../testing/reference-evaluator.ts';

for (const { name, policies, requests } of decisionCases) {
  test(name, () => {
    const access = compileAll(policies);
    for (const one of requests) {
      const { action, resource, context } = toRequest(one);
      const description = `${action} on ${resource} with ${JSON.stringify(one.context)}`;
      const reference = referenceRuling(policies, { action, resource, context });
      assert.equal(reference.outcome, one.decision, `${description}, by reference`);
      checkFields(one, reference.mayUse, `${description}, by reference`);
      const { outcome, needs, fields } = access.rule(action, resource, () => context);
      assert.equal(outcome, one.decision, description);
      assert.deepEqual(needs, [], description);
      checkFields(one, (field) => fields?.has(field) ?? true, description);
      assert.equal(access.explain(action, resource, () => context).decision, one.decision, `${description}, explained`);
    }
  });
}

function checkFields(
  { usable = [], hidden = [] }: CaseRequest,
  mayUse: (field: string) => boolean,
  description: string,
): void {
  for (const field of usable) assert.ok(mayUse(field), `${description}: ${field} is usable`);
  for (const field of hidden) assert.ok(!mayUse(field), `${description}: ${field} is hidden`);
}
