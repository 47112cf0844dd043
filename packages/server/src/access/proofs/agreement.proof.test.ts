import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agree, ambiguous, type Distribution, describe, vague } from '../testing/agreement.ts';
import { randomNamedRequest } from '../testing/random-naming.ts';
import { operatorNames } from '../testing/random-policies.ts';

test('agrees with the reference evaluator on 100,000 pairs of policies and a request', () => {
  const seen: Distribution = new Map();
  const found = agree(100_000, 1, seen);
  assert.equal(found, undefined, found === undefined ? '' : describe(found));
  const samples = 20_000;
  for (const outcome of ['allowed', 'explicit_deny', 'implicit_deny', 'allowed, not all fields']) {
    assert.ok((seen.get(outcome) ?? 0) > samples / 20, `${outcome}: ${seen.get(outcome)}`);
  }
  assert.ok((seen.get(ambiguous) ?? 0) > samples / 50, `${ambiguous}: ${seen.get(ambiguous)}`);
  for (const name of [vague.condition, vague.resource]) {
    assert.ok((seen.get(name) ?? 0) > samples / 200, `${name}: ${seen.get(name)}`);
  }
  for (const operator of operatorNames) {
    for (const result of ['holds', 'fails']) {
      const count = ['', 'IfExists'].map((suffix) => seen.get(`${operator}${suffix} ${result}`) ?? 0);
      assert.ok(Math.max(...count) > 20, `${operator} ${result}: ${count}`);
      if (operator === 'Null') continue;
      for (const qualifier of ['ForAnyValue', 'ForAllValues']) {
        const name = `${qualifier}:${operator} ${result}`;
        assert.ok((seen.get(name) ?? 0) > 0, `${name} never came up`);
      }
    }
  }
});

test('agrees on 100,000 pairs where fields have several names', () => {
  const found = agree(100_000, 2, new Map(), randomNamedRequest);
  assert.equal(found, undefined, found === undefined ? '' : describe(found));
});
