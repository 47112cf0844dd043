import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileAll, randomRequest, randomSample } from '../testing/agreement.ts';
import { Dice } from '../testing/dice.ts';
import { entryHolds } from '../testing/reference-condition.ts';
import { reaches, readByReference, ruleByReference } from '../testing/reference-evaluator.ts';

test('names exactly the statements that match, and near ones with a condition that does not hold', () => {
  const dice = new Dice(1);
  const seen = { matched: 0, near: 0 };
  for (let number = 0; number < 5000; number++) {
    const { palette, policies } = randomSample(dice);
    const statements = readByReference(policies);
    const request = randomRequest(dice, palette);
    const { action, resource, context } = request;
    const description = JSON.stringify({ policies, request });
    const explained = compileAll(policies).explain(action, resource, () => context);
    const reached = statements.filter((statement) => reaches(statement, request));
    const matching = reached.filter(({ entries, effect }) => entries.every((one) => entryHolds(one, effect, context)));
    const failing = reached.filter((statement) => !matching.includes(statement));
    assert.equal(explained.considered, statements.length);
    assert.equal(explained.decision, ruleByReference(statements, request).outcome, description);
    assert.deepEqual(
      effectsOf(explained.matched),
      matching.map(({ effect }) => effect),
      description,
    );
    assert.deepEqual(
      effectsOf(explained.near),
      failing.map(({ effect }) => effect),
      description,
    );
    for (const [index, { failed_condition: failed }] of explained.near.entries()) {
      const { entries = [], effect = 'Allow' } = failing[index] ?? {};
      const blamed = entries.filter((one) => one.key === failed?.key && failed.operator.includes(one.operator));
      assert.ok(
        blamed.some((one) => !entryHolds(one, effect, context)),
        description,
      );
    }
    seen.matched += matching.length;
    seen.near += failing.length;
  }
  assert.ok(seen.matched > 1000 && seen.near > 1000, JSON.stringify(seen));
});

function effectsOf(found: readonly { readonly Effect: string }[]): readonly string[] {
  return found.map(({ Effect }) => Effect);
}
