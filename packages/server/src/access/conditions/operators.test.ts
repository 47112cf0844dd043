import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  conditionOperators,
  existsSuffix,
  type OperandKind,
  setQualifiers,
} from '@freehold/contract/condition-operators';
import { operandsByName, operatorNames, readOperator } from './operators.ts';

test('the operators that are described are those that there are', () => {
  assert.deepEqual(Object.keys(conditionOperators).sort(), [...operatorNames, 'Null'].sort());
  for (const [name, operand] of operandsByName) assert.equal(conditionOperators[name]?.operand, operand, name);
});

test('a described operator is taken with each qualifier that it may have', () => {
  for (const name of operatorNames) {
    for (const full of [name, name + existsSuffix, ...Object.keys(setQualifiers).map((prefix) => prefix + name)])
      assert.ok('kind' in readOperator(full), full);
    for (const prefix of Object.keys(setQualifiers)) assert.ok(!('kind' in readOperator(prefix + name + existsSuffix)));
  }
});

const samples: Readonly<Record<OperandKind, string>> = {
  text: 'a',
  pattern: 'a*',
  number: '1.5',
  date: '2026-03-31',
  boolean: 'true',
  address: '10.0.0.0/8',
};

test('a described operator takes a value of its kind', () => {
  for (const [name, { operand }] of Object.entries(conditionOperators)) {
    const use = readOperator(name);
    if ('kind' in use && use.kind === 'compare') assert.ok('text' in use.operator.readExpected(samples[operand]), name);
  }
});
