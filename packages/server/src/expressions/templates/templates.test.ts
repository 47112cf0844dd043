import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMistake } from '../grammar.ts';
import { stepsMax, TemplateError } from './cel-values.ts';
import { compileTemplate, compileWhen, expressionsMax, withoutExpressions } from './compile-template.ts';
import { rootTypes, type TemplateScope, type TemplateValues, type ValueType } from './value-type.ts';

const timestamp = 'google.protobuf.Timestamp';
const fields = (types: Readonly<Record<string, ValueType>>): ValueType => ({
  kind: 'fields',
  types: new Map(Object.entries(types)),
});
const order = fields({
  title: 'string',
  count: 'int',
  price: 'double',
  due: timestamp,
  tags: 'list<string>',
  notes: 'dyn',
  constructor: 'string',
  if: 'string',
  max: 'int',
});
const scope: TemplateScope = {
  record: order,
  steps: new Map([
    ['read', order],
    ['list', fields({ items: { kind: 'list', of: order }, count: 'int' })],
  ]),
  input: 'dyn',
};
const values: TemplateValues = {
  event: { id: 'e1', type: 'order.update' },
  record: {
    title: 'Desk',
    count: 7,
    price: 3,
    due: '2026-11-23T00:00:00.000Z',
    tags: ['red', 'blue'],
    notes: { constructor: { a: 1 }, n: 3, list: [1, 2] },
    constructor: 'c',
    if: 'yes',
    max: 9,
  },
  user: { id: 'u1', email: 'ann@example.org' },
  steps: { read: { title: 'Lamp' }, list: { items: [{ count: 1 }, { count: 2 }], count: 2 } },
  input: { n: 3, items: [{ price: 1.5 }] },
  env: 'test',
  now: Date.parse('2026-11-24T00:00:00Z'),
};

function evaluate(template: unknown, of: TemplateValues = values, effort = { steps: 0 }): unknown {
  const compiled = compileTemplate(template, scope, '/at');
  assert.ok('evaluate' in compiled, JSON.stringify(compiled));
  return compiled.evaluate(of, effort);
}

function errorOf(template: unknown, of: TemplateValues = values): TemplateError {
  try {
    evaluate(template, of);
  } catch (error) {
    assert.ok(error instanceof TemplateError, String(error));
    return error;
  }
  assert.fail(`${JSON.stringify(template)} has a value`);
}

function problemsOf(template: unknown): readonly string[] {
  const compiled = compileTemplate(template, scope, '/at');
  return 'evaluate' in compiled ? [] : compiled.map(({ pointer, code, message }) => `${pointer} ${code} ${message}`);
}

test('a text that is one expression keeps its type, and becomes text in a longer one', () => {
  const cases: readonly (readonly [template: unknown, value: unknown])[] = [
    ['no template', 'no template'],
    ['{{record.title}}', 'Desk'],
    [' {{ record.price }} ', 3],
    ['{{record.price / 2}}', 1.5],
    ['{{record.count / 2}}', 3],
    ['{{input.n / 2}}', 1.5],
    ['{{record.tags}}', ['red', 'blue']],
    ['{{record.notes}} of {{record.title}}', '{"constructor":{"a":1},"n":3,"list":[1,2]} of Desk'],
    ['{{record.price}}{{record.title}}', '3Desk'],
    ['{{now}}', '2026-11-24T00:00:00.000Z'],
    ['{{record.due + duration("36h")}}', '2026-11-24T12:00:00.000Z'],
    ['{{now - record.due}}', '86400s'],
    ['{{user.email.contains("@")}}', true],
    ['{{steps.read.title + "!"}}', 'Lamp!'],
    ['{{read.title}}', 'Lamp'],
    ['{{steps.list.items.exists(i, i.count == 2)}}', true],
    ['{{steps.list.items[1].count + 1}}', 3],
    ['{{input.items[input.n - 3].price}}', 1.5],
    ['{{"red" in record.tags ? "r" : "n"}}', 'r'],
    ['{{input.n in [1, 3]}}', true],
    ['{{has(input.other) || has(record.due)}}', true],
    ['{{{{record.title}} is {{ "}}" }}', '{{record.title}} is }}'],
    [
      { a: ['{{record.title}}', 1, null], '{{x}}': true },
      { a: ['Desk', 1, null], '{{x}}': true },
    ],
  ];
  for (const [template, value] of cases) assert.deepEqual(evaluate(template), value, JSON.stringify(template));
});

test('a value that is absent is null as a whole and empty in a text, and a condition with it is false', () => {
  for (const source of [
    'input.none',
    'before.title',
    'tenant.id',
    'input.n.more',
    'record.tags[2]',
    'steps.read.count + 1',
  ])
    assert.deepEqual([evaluate(`{{${source}}}`), evaluate(`<{{${source}}}>`)], [null, '<>'], source);
  assert.equal(evaluate('{{!(input.none > 1)}}'), true);
  assert.equal(evaluate('{{input.none > 1 || input.n > 1}}'), true);
  assert.equal(evaluate('{{1 / 0 == 1 ? "a" : "b"}}'), 'b');
});

test('names, members and types are checked where they are known, at the character of the mistake', () => {
  const mistakes: readonly (readonly [template: unknown, problem: RegExp])[] = [
    ['{{record.nope}}', /^\/at invalid_expression at character 3: there is no field `nope` that it can read$/],
    ['a {{has(record.nope)}}', /at character 9: there is no field `nope`/],
    [{ 'a/b': ['{{record.title + 1}}'] }, /^\/at\/a~1b\/0 invalid_expression at character 3: .* `string \+ int`$/],
    ['{{record.title.size}}', /there is no field `size`/],
    ['{{steps.later.title}}', /there is no step `later` before this one/],
    ['{{nope}}', /there is no name `nope`/],
    ['{{process}}', /there is no name `process`/],
    ['{{record.title', /at character 1: an expression has no `}}` at its end/],
    ['{{}}', /at character 3: it ends before it is complete/],
    ['{{ {"a": 1} }}', /maps and optional members are not supported/],
    ['{{ record.title.matches("(a+)+b") }}', /there is no function `matches`/],
    ['{{ record.tags.exists(a, record.tags.exists(b, a == b)) }}', /`exists` cannot stand in another quantifier/],
    ['{{ [1, 2].all(i, true) }}', /`all` is asked of a list/],
    ['{{ (record.title + "a").size }}', /a member is read of a value that has a name/],
    ['{{ b"ab" }}', /bytes and unsigned numbers are not supported/],
    ['{{ size(1, 2) }}', /`size` takes 1 arguments/],
    [`{{"${'x'.repeat(1000)}"}}`, /it is longer than 1000 characters/],
    [`{{${'1+'.repeat(150)}1}}`, /it has more than 200 parts/],
    [Array(expressionsMax + 1).fill('{{1}}'), /^\/at too_many it has more than 200 expressions$/],
  ];
  for (const [template, problem] of mistakes)
    assert.match(problemsOf(template)[0] ?? '', problem, JSON.stringify(template));
});

test('a condition gives bool, and one that asks too much of a record is false', () => {
  const when = compileWhen('record.count > 5 && before.count != record.count', {
    record: order,
    before: order,
    steps: new Map(),
  });
  assert.ok(!isMistake(when));
  assert.equal(when.holds(values), false);
  assert.equal(when.holds({ ...values, before: { count: 6 } }), true);
  assert.deepEqual(compileWhen('record.count', scope), {
    message: 'it gives a value of the type `int`, not bool',
    at: 0,
  });
  assert.deepEqual(compileWhen('{{ record.count > 5 }}', scope), {
    message: 'a condition is written without braces',
    at: 0,
  });
  const wide = compileWhen('input.list.all(i, true)', scope);
  assert.ok(!isMistake(wide));
  assert.equal(wide.holds({ ...values, input: { list: Array(1000).fill(0) } }), true);
  assert.equal(wide.holds({ ...values, input: { list: Array(stepsMax).fill(0) } }), false);
});

test('L07 every element that a quantifier asks of is charged, also where its condition is empty, and all expressions of a template share a budget', () => {
  for (const condition of ['true', 'false || true', 'i == i', '!false']) {
    let read = 0;
    const list = new Proxy(Array(10_000_000).fill(1), {
      get: (of, name, receiver) => {
        if (typeof name === 'string' && /^\d/.test(name)) read += 1;
        return Reflect.get(of, name, receiver);
      },
      has: () => true,
    });
    const error = errorOf(`{{input.list.all(i, ${condition})}}`, { ...values, input: { list } });
    assert.equal(error.code, 'expression_too_costly');
    assert.ok(read <= stepsMax * 1.1, `${read} elements`);
  }
  const many = { ...values, input: { list: Array(5000).fill(1) } };
  assert.equal(evaluate('{{input.list.all(i, true)}}', many), true);
  assert.equal(errorOf(Array(100).fill('{{input.list.all(i, true)}}'), many).code, 'expression_too_costly');
});

test('L08 every function ends within the budget on hostile operands, and makes no text beyond its bound', () => {
  const texts = ['<script'.repeat(50_000), '('.repeat(350_000), ' '.repeat(350_000), '9'.repeat(350_000)];
  const operands = [1e7, -1, 1e308, Number.NaN, null, true, [], {}, '', ...texts];
  const calls = [
    'size(a)',
    'int(a)',
    'double(a)',
    'string(a)',
    'timestamp(a)',
    'duration(a)',
    'a + a',
    'a - a',
    'a * a',
  ];
  const methods = ['size', 'lowerAscii', 'upperAscii', 'trim', 'getFullYear', 'getDayOfYear', 'getHours'];
  const searches = ['contains', 'startsWith', 'endsWith'].map((name) => `a.${name}(b)`);
  const sources = [
    ...calls,
    ...methods.map((name) => `a.${name}()`),
    ...searches,
    'a == b',
    'a in b',
    'a < b',
    'a + b + a + b',
  ];
  for (const source of sources)
    for (const a of operands)
      for (const b of [a, ...texts]) {
        const template = `{{${source.replaceAll(/\b([ab])\b/g, 'input.$1')}}}`;
        const effort = { steps: 0 };
        try {
          const value = evaluate(template, { ...values, input: { a, b } }, effort);
          assert.ok(typeof value !== 'string' || value.length <= 350_000, source);
          assert.ok(effort.steps <= stepsMax, source);
        } catch (error) {
          assert.ok(error instanceof TemplateError, `${source}: ${String(error)}`);
        }
      }
});

test('L10 whatever a record holds is data: it is never called, and hides no function', () => {
  const hostile = {
    ...values,
    record: { ...(values.record as object), notes: JSON.parse('{"__proto__": {"admin": true}, "call": {"apply": 1}}') },
    input: {
      size: 'mine',
      has: 'mine',
      toString: 'mine',
      valueOf: { n: 1 },
      boxed: new String('s'),
      f: () => 'called',
    },
  };
  const cases: readonly (readonly [template: string, value: unknown])[] = [
    ['{{record.max + 1}}', 10],
    ['{{record.if}}', 'yes'],
    ['{{record.constructor}}', 'c'],
    ['{{record.notes.admin}}', null],
    ['{{record.notes.toString}}', null],
    ['{{record.notes["__proto__"].admin}}', true],
    ['{{record.notes.call.apply}}', 1],
    ['{{record.notes == record.notes}}', true],
    ['{{size(input.size)}}', 4],
    ['{{input.toString + "!"}}', 'mine!'],
    ['{{input.f}}', null],
    ['{{input.f == input.f}}', null],
    ['{{input.constructor}}', null],
    ['{{input.__proto__}}', null],
    ['{{steps.constructor}}', undefined],
    ['{{input.toString()}}', undefined],
    ['{{input.f()}}', undefined],
    ['{{constructor}}', undefined],
    ['{{__proto__}}', undefined],
  ];
  for (const [template, value] of cases)
    if (value === undefined) assert.equal(problemsOf(template).length, 1, template);
    else assert.deepEqual(evaluate(template, hostile), value, template);
  assert.equal(({} as Record<string, unknown>).admin, undefined);
});

test('what expressions give is encoded, and stays a text, where a template is compiled so', () => {
  const scope = { steps: new Map() };
  const values = { steps: {}, input: { a: 'x/y', b: 1, c: null, d: { e: '&' } }, env: 'test', now: 0 };
  for (const [text, expected] of [
    ['/{{input.a}}/{{ input.b }}', '/x%2Fy/1'],
    ['{{input.a}}', 'x%2Fy'],
    [' {{ input.b }} ', '1'],
    ['{{ input.c }}/{{ input.absent }}', '/'],
    ['{{ input.d }}', '%7B%22e%22%3A%22%26%22%7D'],
    ['{{{{/{{ "{{" }}', '{{/%7B%7B'],
    ['/a b', '/a b'],
  ] as const) {
    const template = compileTemplate(text, scope, '', encodeURIComponent);
    assert.ok('evaluate' in template, text);
    assert.equal(template.evaluate(values, { steps: 0 }), expected, text);
  }
});

test('a text without its expressions has something in their places', () => {
  assert.equal(withoutExpressions('/{{ a }}/{{"}}"}}?{{{{', 'x'), '/x/x?{{');
  assert.equal(withoutExpressions(' {{ a }} ', 'x'), 'x');
  assert.equal(typeof withoutExpressions('/{{ a', 'x'), 'object');
});

test('K08: no name of an expression leads to a secret', () => {
  assert.deepEqual([...rootTypes({ steps: new Map() }).keys()].toSorted(), [
    ...['before', 'env', 'event', 'input', 'now', 'record', 'steps', 'tenant', 'user'],
  ]);
  for (const name of ['secrets', 'secret', 'vault', 'process', 'this'])
    assert.ok(!('evaluate' in compileTemplate(`{{ ${name}.stripe }}`, { steps: new Map() }, '')), name);
});
