import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { RE2JS } from 're2js';
import { parseStatements } from '../statement.ts';
import { damaged } from '../testing/damaged-statement.ts';
import { Dice } from '../testing/dice.ts';
import { randomPalette } from '../testing/random-context.ts';
import { randomStatement } from '../testing/random-policies.ts';
import { statementSchemas } from './statement-schema.ts';

const $defs = statementSchemas((name) => ({ $ref: `#/$defs/${name}` }));
const ajv = new Ajv2020({ allErrors: true });
addFormats.default(ajv);
const fits = ajv.compile({ $ref: '#/$defs/PolicyStatements', $defs });

function isRead(statements: unknown): boolean {
  return 'statements' in parseStatements(statements);
}

test('the schema takes what is read and refuses what is refused, in many statements of any kind', () => {
  const seen = { read: 0, refused: 0 };
  for (let seed = 0; seed < 3000; seed++) {
    const dice = new Dice(seed);
    const sound = randomStatement(dice, randomPalette(dice));
    const statements = [dice.hits(50) ? damaged(dice, sound) : sound];
    const expected = isRead(statements);
    seen[expected ? 'read' : 'refused'] += 1;
    assert.equal(fits(statements), expected, `${JSON.stringify(statements)} ${ajv.errorsText(fits.errors)}`);
  }
  assert.ok(Math.min(seen.read, seen.refused) > 700, JSON.stringify(seen));
});

const sound = { Effect: 'Allow', Action: 'get*', Resource: '*' };
const many = <Item>(length: number, make: (index: number) => Item) => Array.from({ length }, (_, index) => make(index));
const bounds: readonly (readonly [what: string, at: unknown, above: unknown])[] = [
  ['statements', many(50, () => sound), many(51, () => sound)],
  ['a label', [{ ...sound, Sid: 'é'.repeat(128) }], [{ ...sound, Sid: 'é'.repeat(129) }]],
  ['a pattern', [{ ...sound, Action: `get${'a'.repeat(253)}` }], [{ ...sound, Action: `get${'a'.repeat(254)}` }]],
  ['stars', [{ ...sound, Resource: `/${'a**'.repeat(16)}` }], [{ ...sound, Resource: `/${'a**'.repeat(17)}` }]],
  ['fields', [{ ...sound, Fields: many(100, String) }], [{ ...sound, Fields: many(101, String) }]],
  ['a field', [{ ...sound, Fields: ['f'.repeat(64)] }], [{ ...sound, Fields: ['f'.repeat(65)] }]],
  [
    'values',
    [{ ...sound, Condition: { Bool: { 'jwt.a': many(50, () => true) } } }],
    [{ ...sound, Condition: { Bool: { 'jwt.a': many(51, () => true) } } }],
  ],
  [
    'a key',
    [{ ...sound, Condition: { Bool: { [`jwt.${'a'.repeat(252)}`]: true } } }],
    [{ ...sound, Condition: { Bool: { [`jwt.${'a'.repeat(253)}`]: true } } }],
  ],
];

for (const [what, at, above] of bounds)
  test(`the schema has the bound of ${what} by which statements are read`, () => {
    assert.deepEqual([isRead(at), fits(at), isRead(above), fits(above)], [true, true, false, false]);
  });

test('an expression of any language reads the patterns', () => {
  const patterns = [...JSON.stringify($defs).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)];
  assert.ok(patterns.length > 10);
  for (const [, source = '""'] of patterns) RE2JS.compile(String(JSON.parse(source)));
});
