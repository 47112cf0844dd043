import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileExpression, ExpressionLanguage } from './compile-expression.ts';
import { compileCondition } from './condition.ts';
import { isMistake } from './grammar.ts';

/** Words that CEL keeps for its grammar, or for other languages. */
const reserved =
  'as break const continue else for function if import let loop namespace package prototype return var void while';
/** Words of its grammar that are no members either. */
const grammatical = 'in true false null';
/** Names of types, functions, macros and variables of a list's filter. */
const predefined =
  'bool bytes cel double duration dyn exists google has int list map math now optional record size string timestamp type uint user';

const surroundings = {
  variables: new Map<string, string | ReadonlyMap<string, string>>([
    ['now', 'google.protobuf.Timestamp'],
    ['user', new Map([['id', 'string']])],
  ]),
  lookups: new Map(),
};

/** Evaluates a source as expression and as condition, where the named field holds `x`, and `other` holds `y`. */
function evaluations(name: string, source: string): readonly unknown[] {
  const fields = new Map([
    [name, 'string'],
    ['other', 'string'],
  ]);
  const values: Readonly<Record<string, string>> = { [name]: 'x', other: 'y' };
  const expression = compileExpression(source, new ExpressionLanguage(fields), ['bool']);
  const condition = compileCondition(source, new ExpressionLanguage(fields, surroundings));
  const request = {
    fields: values,
    lookups: {},
    variables: { now: new Date(0), user: { id: 'u' } },
    sizeOf: () => ({ characters: 1, elements: 0 }),
  };
  return [
    isMistake(expression) ? expression.message : expression.evaluate((field) => values[field]),
    isMistake(condition) ? condition.message : condition.holds(request, { steps: 0 }),
  ];
}

const held = [{ kind: 'value', value: true }, true];

for (const name of [reserved, grammatical, predefined].join(' ').split(' '))
  test(`a field named \`${name}\` leaves the expressions beside it as they are, and is read by brackets`, () => {
    assert.deepEqual(evaluations(name, 'other == "y"'), held);
    assert.deepEqual(evaluations(name, `record["${name}"] == "x" && other == "y"`), held);
    assert.deepEqual(evaluations(name, `record["${name}"] == "y"`), [{ kind: 'value', value: false }, false]);
  });

for (const name of [reserved, predefined].join(' ').split(' '))
  test(`a field named \`${name}\` is a member of the record`, () => {
    assert.deepEqual(evaluations(name, `record.${name} == "x" && has(record.${name})`), held);
  });

const shadowed = ['now', 'record', 'user'];

for (const name of predefined.split(' ').filter((one) => !shadowed.includes(one)))
  test(`a field named \`${name}\` is read by its bare name, and not taken for what CEL calls so`, () => {
    assert.deepEqual(evaluations(name, `${name} == "x" && has(${name}) && ${name}.startsWith("x")`), held);
  });

for (const name of reserved.split(' '))
  test(`an expression with the bare name \`${name}\` is refused with the spelling that reads the field`, () => {
    const message = `\`${name}\` is a reserved word: a field of this name is read as \`record.${name}\``;
    assert.deepEqual(evaluations(name, `other == "y" && ${name} == "x"`), [message, message]);
  });

test('a name between brackets is one that the expression may read, and no other', () => {
  const [mistake] = evaluations('package', 'record["secret"] == "x"');
  assert.equal(mistake, 'there is no field `secret` that it can read');
  const [computed] = evaluations('package', 'record[other] == "x"');
  assert.equal(computed, '`record` is read by its members, such as `record.title`');
});
