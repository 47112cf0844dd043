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
      const said = `${action} on ${resource} with ${JSON.stringify(one.context)}`;
      const reference = referenceRuling(policies, { action, resource, context });
      assert.equal(reference.outcome, one.decision, `${said}, by reference`);
      checkFields(one, reference.mayUse, `${said}, by reference`);
      const { outcome, needs, fields } = access.rule(action, resource, () => context);
      assert.equal(outcome, one.decision, said);
      assert.deepEqual(needs, [], said);
      checkFields(one, (field) => fields?.has(field) ?? true, said);
      assert.equal(access.explain(action, resource, () => context).decision, one.decision, `${said}, explained`);
    }
  });
}

function checkFields(
  { usable = [], hidden = [] }: CaseRequest,
  mayUse: (field: string) => boolean,
  said: string,
): void {
  for (const field of usable) assert.ok(mayUse(field), `${said}: ${field} is usable`);
  for (const field of hidden) assert.ok(!mayUse(field), `${said}: ${field} is hidden`);
}
