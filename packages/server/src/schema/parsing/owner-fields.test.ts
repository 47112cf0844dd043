import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import { parseDefinition, withOwnerFields } from '../parse-definition.ts';

function owners(...names: readonly unknown[]) {
  return names.map((name) => ({
    ownerFieldName: name,
    gpkTemplate: `org#{org};owner#{${String(name)}}`,
    gskTemplate: 'order#{id}',
  }));
}

const order = { entityName: 'order', UpdateParams: [{ name: 'title' }, { name: 'seller', colType: 'string' }] };

test('an owner that is no field is added behind the others as a guid, and named in a warning', () => {
  const sent = { ...order, ownerIndexes: owners('owner_id', 'seller', 'created_by', 'user_id') };
  const { input, warnings } = withOwnerFields(sent);
  const { definition } = parseDefinition(input);
  const added = ['owner_id', 'user_id'].map((name) => ({ name, colType: 'guid' }));
  assert.deepEqual(definition, { ...sent, UpdateParams: [...order.UpdateParams, ...added] });
  assert.deepEqual(
    warnings.map((warning) => /`(\w+)` is added as a `guid`/.exec(warning)?.[1]),
    ['owner_id', 'user_id'],
  );
});

test('a definition without a catalog gets one', () => {
  const { input } = withOwnerFields({ entityName: 'order', ownerIndexes: owners('owner_id') });
  assert.deepEqual(parseDefinition(input).definition.UpdateParams, [{ name: 'owner_id', colType: 'guid' }]);
});

const refused: readonly unknown[] = [
  ...['id', 'created_at', 'updated_at', 'updated_by', 'version'],
  ...['owner', 'view', 'title_op', 'org', 'tenant_id', 'tenant_code'],
  ...['toString', '__proto__', '', 'a b', 'a'.repeat(64), 1, null, undefined],
];

for (const name of refused)
  test(`the owner ${String(name)} is refused as before`, () => {
    const sent = { ...order, ownerIndexes: owners(name) };
    assert.deepEqual(withOwnerFields(sent), { input: sent, warnings: [] });
    assert.throws(() => parseDefinition(sent), Problem);
  });

test('another name of a field is no new field', () => {
  const fields = [{ name: 'seller_id', colType: 'guid', aliases: ['a'], formerNames: ['b', 'c'], storedAs: 'c' }];
  for (const name of ['a', 'b', 'c']) {
    const sent = { entityName: 'order', UpdateParams: fields, ownerIndexes: owners(name) };
    assert.equal(withOwnerFields(sent).input, sent);
  }
});

test('what cannot be read stays as it is', () => {
  const inputs = [undefined, null, [], 1, order, { ownerIndexes: 1 }, { ...order, ownerIndexes: [null, 1, {}] }];
  for (const input of [...inputs, { UpdateParams: {}, ownerIndexes: owners('owner_id') }])
    assert.equal(withOwnerFields(input).input, input);
  assert.throws(() => parseDefinition(withOwnerFields({ ...order, ownerIndexes: [{}] }).input), Problem);
});
