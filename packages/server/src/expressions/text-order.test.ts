import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { thinned } from '../store/testing/quick.ts';
import { compileExpression, ExpressionLanguage } from './compile-expression.ts';
import { compileCondition } from './condition.ts';
import { isMistake } from './grammar.ts';
import { compileTemplate, compileWhen } from './templates/compile-template.ts';

/** Pairs of these are ordered otherwise by UTF-16 units than by code points. */
const characters = ['', 'a', '\u0001', '\ud7ff', '\ue000', '\ufb00', '\ufffd', '\uffff', '😀', '\u{10ffff}'];
const text = fc.array(fc.constantFrom(...characters), { maxLength: 3 }).map((parts) => parts.join(''));

const holds: Readonly<Record<string, (difference: number) => boolean>> = {
  '<': (difference) => difference < 0,
  '<=': (difference) => difference <= 0,
  '>': (difference) => difference > 0,
  '>=': (difference) => difference >= 0,
};

const types = new Map([
  ['a', 'string'],
  ['b', 'string'],
  ['list', 'list<string>'],
  ['any', 'dyn'],
]);
const language = new ExpressionLanguage(types);

/** The findings of each reader of expressions. */
function readings(source: string, values: Readonly<Record<string, unknown>>): readonly unknown[] {
  const expression = compileExpression(source, language, ['bool']);
  const condition = compileCondition(source, language);
  const scope = { steps: new Map(), record: { kind: 'fields', types } } as const;
  const named = source.replaceAll(/\b(a|b|list|any)\b/g, 'record.$1');
  const when = compileWhen(named, scope);
  const template = compileTemplate(`{{ ${named} }}`, scope, '');
  assert.ok(!isMistake(expression) && !isMistake(condition) && !isMistake(when) && 'evaluate' in template, source);
  const sizeOf = () => ({ characters: 1, elements: 1 });
  const given = { record: values, steps: {}, env: 'test', now: 0 };
  return [
    expression.evaluate((name) => values[name]),
    condition.holds({ fields: values, lookups: {}, variables: {}, sizeOf }, { steps: 0 }),
    when.holds(given),
    template.evaluate(given, { steps: 0 }),
  ];
}

test('every reader of expressions orders texts by their UTF-8 bytes', () => {
  const property = fc.property(text, text, fc.constantFrom(...Object.keys(holds)), (a, b, sign) => {
    const expected = holds[sign]?.(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const values = { a, b, list: [a], any: { member: b } };
    for (const source of [
      `a ${sign} b`,
      `a ${sign} ${JSON.stringify(b)}`,
      `a ${sign} any.member`,
      `(a ${sign} b) == true`,
      `list.exists(one, one ${sign} ${JSON.stringify(b)})`,
      `true ? a ${sign} b : false`,
    ])
      assert.deepEqual(
        readings(source, values),
        [{ kind: 'value', value: expected }, expected, expected, expected],
        source,
      );
  });
  fc.assert(property, { numRuns: thinned(300) });
});

test('values that are no texts are ordered as before, and those of two types not at all', () => {
  const values = { a: 'x', b: 'y', list: ['1'], any: { number: 2, other: 3, flag: true } };
  assert.deepEqual(readings('any.number < any.other', values), [{ kind: 'value', value: true }, true, true, true]);
  const [expression, condition, when] = ['any.number < a', 'any.flag >= any.number'].map((source) => {
    const compiled = compileExpression(source, language, ['bool']);
    assert.ok(!isMistake(compiled));
    return compiled.evaluate((name) => values[name as keyof typeof values]).kind;
  });
  assert.deepEqual([expression, condition, when], ['error', 'error', undefined]);
});

test('no builder calls the functions that order texts', () => {
  for (const source of ['_lt(a, b)', '_ge(a, b)']) {
    const compiled = compileExpression(source, language, ['bool']);
    assert.match(isMistake(compiled) ? compiled.message : '', /^there is no function `_/);
    assert.ok(isMistake(compileWhen(source, { steps: new Map() })));
  }
});
