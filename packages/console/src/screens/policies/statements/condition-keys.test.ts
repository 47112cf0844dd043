import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionOperators, existsSuffix, setQualifiers } from '@freehold/contract/condition-operators';
import { infoOf, keyGroups, meaningOf, operatorOf, operatorsFor, partsOf } from './condition-keys.ts';

test('an operator is taken apart and put together again, whatever it is called', () => {
  for (const base of [...Object.keys(conditionOperators), 'Unknown', ''])
    for (const name of [base, base + existsSuffix, ...Object.keys(setQualifiers).map((prefix) => prefix + base)])
      assert.equal(operatorOf(partsOf(name)), name);
  assert.deepEqual(partsOf('ForAnyValue:StringLike'), {
    qualifier: 'ForAnyValue:',
    base: 'StringLike',
    isIfExists: false,
  });
});

test('every operator is offered once, and says when it holds', () => {
  for (const kind of [undefined, 'text', 'number', 'boolean'] as const) {
    const offered = operatorsFor(kind).flatMap(({ items }) => items);
    assert.deepEqual(offered.toSorted(), Object.keys(conditionOperators).sort());
  }
  assert.equal(
    meaningOf('ForAnyValue:StringNotEquals'),
    'Holds if the value is none of these texts. Of several values: one of the values matches. It does not hold if there is no value.',
  );
  assert.equal(meaningOf('Nope'), 'There is no operator Nope.');
});

test('the type of a field says which operators fit', () => {
  const groups = keyGroups([
    { name: 'amount', colType: 'number' },
    { name: 'status', colType: 'enum', enumValues: ['open', 'closed'] },
    { name: 'tags', colType: 'array' },
  ]);
  assert.equal(infoOf('record.amount', groups)?.kind, 'number');
  assert.deepEqual(infoOf('Record.Before.status', groups)?.values, ['open', 'closed']);
  assert.equal(infoOf('request.body.tags', groups)?.isList, true);
  assert.equal(infoOf('record.created_by', groups)?.kind, 'text');
  assert.equal(infoOf('jwt.other', groups), undefined);
});
