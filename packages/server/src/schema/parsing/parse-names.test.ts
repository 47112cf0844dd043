import assert from 'node:assert/strict';
import { test } from 'node:test';
import { definitionLimits, type FieldDefinition } from '../definition.ts';
import { checkFieldNames } from './parse-names.ts';

function mistakesOf(...fields: readonly FieldDefinition[]): readonly string[] {
  const mistakes: string[] = [];
  const placed = fields.map((field, index) => ({ field, pointer: `/UpdateParams/${index}` }));
  checkFieldNames(placed, (pointer, code, message) => mistakes.push(`${pointer} ${code}: ${message}`));
  return mistakes;
}

const renamed = { name: 'text', aliases: ['body'], formerNames: ['body', 'note'], storedAs: 'note' };

test('takes a field with aliases, former names and a stored name', () => {
  assert.deepEqual(mistakesOf({ name: 'title' }, renamed), []);
  assert.deepEqual(mistakesOf({ name: 'text', storedAs: 'text@17' }), []);
});

const taken: readonly (readonly [what: string, other: FieldDefinition, mistake: string])[] = [
  [
    'the name',
    { name: 'body' },
    '/UpdateParams/0/aliases/0 duplicate: field `text`: `body` is or was a name of field `body`',
  ],
  [
    'an alias',
    { name: 'x', aliases: ['body'] },
    '/UpdateParams/1/aliases/0 duplicate: field `x`: `body` is or was a name of field `text`',
  ],
  [
    'a former name',
    { name: 'x', aliases: ['note'] },
    '/UpdateParams/1/aliases/0 duplicate: field `x`: `note` is or was a name of field `text`',
  ],
  [
    'the own name',
    { name: 'x', formerNames: ['text'] },
    '/UpdateParams/1/formerNames/0 duplicate: field `x`: `text` is or was a name of field `text`',
  ],
  [
    'the stored name',
    { name: 'x', storedAs: 'note' },
    '/UpdateParams/1/storedAs duplicate: field `x`: `note` is or was a name of field `text`',
  ],
];

for (const [what, other, mistake] of taken)
  test(`refuses ${what} of one field as a name of another, and names both`, () => {
    assert.ok(mistakesOf(renamed, other).includes(mistake), mistakesOf(renamed, other).join('\n'));
  });

test('refuses a field that is defined twice, and names that no field can have', () => {
  assert.deepEqual(mistakesOf({ name: 'a' }, { name: 'a' }), [
    '/UpdateParams/1/name duplicate: field `a` is defined twice',
  ]);
  assert.deepEqual(mistakesOf({ name: 'a', aliases: ['a'] }), [
    '/UpdateParams/0/aliases/0 duplicate: field `a`: `a` is its name',
  ]);
  assert.deepEqual(mistakesOf({ name: 'a', aliases: ['version'] }), [
    '/UpdateParams/0/aliases/0 invalid_name: field `a`: `version` is set by the platform: choose another name, such as `version_value`',
  ]);
  for (const name of ['sortby', 'a_op', 'toString'])
    assert.deepEqual(mistakesOf({ name: 'a', aliases: [name] }), [
      `/UpdateParams/0/aliases/0 invalid_name: field \`a\`: no field can be named \`${name}\`: choose another name, such as \`${name}_value\``,
    ]);
  for (const name of ['1a', 'a-b', '', '__proto__', 'a@1'])
    assert.deepEqual(mistakesOf({ name: 'a', aliases: [name] }), [
      `/UpdateParams/0/aliases/0 invalid_name: field \`a\`: no field can be named \`${name}\``,
    ]);
});

test('refuses an alias that is there twice, and more names than a field may have', () => {
  const { aliasesMax, formerNamesMax } = definitionLimits;
  const numbered = (count: number) => Array.from({ length: count }, (_, index) => `g${index}`);
  assert.deepEqual(mistakesOf({ name: 'a', aliases: ['b', 'b'] }), [
    '/UpdateParams/0/aliases/1 duplicate: field `a`: alias `b` is there twice',
  ]);
  assert.deepEqual(mistakesOf({ name: 'a', aliases: numbered(aliasesMax), formerNames: numbered(formerNamesMax) }), []);
  assert.deepEqual(mistakesOf({ name: 'a', aliases: numbered(aliasesMax + 1) }), [
    `/UpdateParams/0/aliases too_many: field \`a\` may have at most ${aliasesMax} aliases`,
  ]);
  assert.deepEqual(mistakesOf({ name: 'a', aliases: ['b'], formerNames: numbered(formerNamesMax) }), [
    `/UpdateParams/0/name too_many: field \`a\` may have had at most ${formerNamesMax} other names`,
  ]);
});

test('refuses more aliases than an entity may have, and says how many', () => {
  const { aliasesMax, aliasesOfEntityMax } = definitionLimits;
  const fields = Array.from({ length: aliasesOfEntityMax }, (_, index) => ({
    name: `f${index}`,
    aliases: [`g${index}`],
  }));
  assert.deepEqual(mistakesOf(...fields), []);
  assert.deepEqual(mistakesOf(...fields, { name: 'a', aliases: ['b'] }), [
    `/UpdateParams too_many: the fields of an entity may have at most ${aliasesOfEntityMax} aliases together, and each at most ${aliasesMax}`,
  ]);
});
