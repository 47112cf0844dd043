import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { comparisons, isQuick } from '../../store/testing/quick.ts';
import { meetsAll } from '../listing/filter.ts';
import { checkAnswer, seen } from './testing/check-answer.ts';
import { questionExpression, questionFilters, questionRecord } from './testing/random-questions.ts';

const { runs, ...limit } = comparisons(isQuick ? 5_000 : 20_000, 12);

test('a question by filters is that of the records that meet them', limit, () => {
  const counts = seen();
  const property = fc.property(questionFilters, questionRecord, (filters, text) => {
    checkAnswer({ conditions: { filters }, holds: (data) => meetsAll(filters, data) }, text, counts);
  });
  fc.assert(property, { numRuns: runs });
  for (const count of Object.values(counts)) assert.ok(count > 100, JSON.stringify(counts));
});

test('a question by an expression is that of the records of which it holds', limit, () => {
  const counts = seen();
  const property = fc.property(questionExpression, questionRecord, (expression, text) => {
    checkAnswer({ conditions: { expression }, holds: (data) => expression.holds(data) }, text, counts);
  });
  fc.assert(property, { numRuns: runs });
  for (const count of Object.values(counts)) assert.ok(count > 100, JSON.stringify(counts));
});
