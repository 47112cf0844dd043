import assert from 'node:assert/strict';
import { test } from 'node:test';
import { percentsIn } from './percents.ts';

test('percents are read from a text, each once and the lowest first', () => {
  assert.deepEqual(percentsIn('100, 50 %,50;80'), { percents: [50, 80, 100], fault: undefined });
});

test('a text that is no list of percents says what is wrong', () => {
  for (const [text, fault] of [
    ['', /^100 stays/],
    ['50, 80', /^100 stays/],
    ['0, 100', /from 1 to 100/],
    ['101', /from 1 to 100/],
    ['99.5, 100', /from 1 to 100/],
    ['half, 100', /from 1 to 100/],
    ['1 2 3 4 5 100', /^At most 5/],
  ] as const)
    assert.match(percentsIn(text).fault ?? '', fault, text);
});
