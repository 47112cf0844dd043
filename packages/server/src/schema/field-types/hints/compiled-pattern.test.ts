import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passSlices } from '../../../testing/held-time.ts';
import { compiledPattern, compilePatterns } from './pattern-hint.ts';

test('what is repeated too often is refused before it is compiled', () => {
  const texts = [`(${'x'.repeat(490)}){1000}`, '(\\pL{1,1000})'.repeat(39), '((ab){1,20}c){1,40}', 'a{1000}'];
  for (const text of texts) assert.match(String(compiledPattern(text).result), /too large/, text);
  assert.equal(typeof compiledPattern('[ab]{150}').result, 'object');
});

test('the patterns of a definition are compiled once, those of elements too, and held as long as it is', async () => {
  const definition = {
    UpdateParams: [
      { name: 'a', pattern: 'once1' },
      { name: 'b', items: { pattern: 'once2' } },
    ],
  };
  await compilePatterns(definition);
  for (const text of ['once1', 'once2']) assert.equal(compiledPattern(text), compiledPattern(text));
});

test('others are served between the patterns of a definition', async (context) => {
  passSlices(context);
  const patternOf = (field: number) => `(?i)${'\\pL'.repeat(100)}${field}`;
  const definition = { UpdateParams: Array.from({ length: 10 }, (_, field) => ({ pattern: patternOf(field) })) };
  let served = 0;
  const serve = (): void => {
    served += 1;
    if (served < 1000) setImmediate(serve);
  };
  setImmediate(serve);
  await compilePatterns(definition);
  assert.ok(served >= 5, String(served));
  served = 1000;
});

test('what is no definition has no patterns', async () => {
  for (const input of [undefined, null, 1, [], {}, { UpdateParams: 1 }, { UpdateParams: [null, 1, { items: 1 }] }])
    await compilePatterns(input);
});
