import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalidBody, reportedErrors } from './problem.ts';
import { unknownNames } from './unknown-names.ts';

function errors(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    pointer: `/${index}`,
    code: 'wrong_type',
    message: `m${index}`,
  }));
}

test('a refusal names the first hundred mistakes and says whether there are more', () => {
  assert.equal(invalidBody(errors(5)).message, 'm0; m1; m2; m3; m4');
  assert.equal(invalidBody(errors(100)).message, 'm0; m1; m2; m3; m4; and 95 more');
  assert.equal(invalidBody(errors(100)).details.errors?.length, 100);
  assert.equal(invalidBody(errors(101)).message, 'm0; m1; m2; m3; m4; and more than 95 more');
  assert.deepEqual(invalidBody(errors(101)).details.errors, errors(100));
});

test('no more unknown members are looked for than a refusal names, and an entry that says that there are more', () => {
  const input = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, 1]));
  let requestCount = 0;
  const isKnown = (name: string): boolean => {
    requestCount += 1;
    return name === 'k1';
  };
  assert.equal(unknownNames(input, isKnown).length, 101);
  assert.equal(requestCount, 102);
  assert.deepEqual(unknownNames({ k1: 1, k2: 2 }, isKnown), ['k2']);
});

test('a shown name that was cut within a character is well-formed', () => {
  const [warnings] = reportedErrors([{ pointer: '', code: 'c', message: 'a\ud83d' }]);
  assert.equal(warnings?.message, 'a\ufffd');
});
