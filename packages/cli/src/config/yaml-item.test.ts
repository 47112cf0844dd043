import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { changedText, isSame, newText, readContent } from './yaml-item.ts';

const name = fc.oneof(fc.constantFrom('name', 'id', 'on', 'no', '__proto__', '1', 'true', '~'), fc.string());
const { content } = fc.letrec((tie) => ({
  content: fc.oneof(
    { maxDepth: 3 },
    fc.string(),
    fc.string({ unit: 'binary' }).map((text) => text.replaceAll(/[\ud800-\udfff\ufeff]/g, '')),
    fc.constantFrom(
      'yes',
      '1e3',
      '0x1f',
      '2026-01-01',
      'a: b',
      '# no comment',
      '|',
      ' lead',
      'line\nline\n',
      '\n\n x',
      '- a',
    ),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('content'), { maxLength: 4 }),
    fc.dictionary(name, tie('content'), { maxKeys: 4 }),
  ),
}));
/** As JSON has it: without a negative zero or a prototype. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const item = fc.dictionary(name, content, { minKeys: 1, maxKeys: 4 }).map(asJson);

function contentOf(text: string): unknown {
  const found = readContent(text);
  assert.ok('content' in found, JSON.stringify(found));
  return found.content;
}

test('what is written is read as it was, whatever JSON says', () => {
  fc.assert(fc.property(item, (value) => assert.deepEqual(asJson(contentOf(newText(value))), value)));
});

test('a file with another content is read as that content, and is not written for the same one', () => {
  fc.assert(
    fc.property(item, item, (before, after) => {
      const text = newText(before);
      assert.deepEqual(asJson(contentOf(changedText(text, after))), after);
      assert.equal(changedText(text, before), text);
    }),
  );
});

const commented = `# Tickets of the help desk.
definition:
  entityName: ticket # never renamed

  UpdateParams:
    # What the customer sees first.
    - name: title
      mandatory: true
    - name: state   # see the state machine
      enum: [open, closed]
views: {}
`;

test('comments, order and quotes of what stays are kept where one member changes', () => {
  const before = contentOf(commented) as { definition: { UpdateParams: Record<string, unknown>[] } };
  const after = structuredClone(before);
  after.definition.UpdateParams.unshift({ name: 'number', colType: 'int' });
  const title = after.definition.UpdateParams[1];
  assert.ok(title);
  title.mandatory = false;
  const text = changedText(commented, after);
  assert.deepEqual(contentOf(text), after);
  for (const line of [
    '# Tickets of the help desk.',
    '# never renamed',
    '# What the customer sees first.',
    '# see the state machine',
  ])
    assert.ok(text.includes(line), `${line}\n${text}`);
  assert.ok(text.indexOf('# What the customer') < text.indexOf('name: title'), text);
  assert.ok(text.indexOf('name: number') < text.indexOf('# What the customer'), text);
  assert.ok(text.includes('[ open, closed ]') || text.includes('[open, closed]'), text);
});

test('another order of members is no difference', () => {
  assert.ok(isSame({ a: [1, { b: 2, c: 3 }] }, { a: [1, { c: 3, b: 2 }] }));
  for (const other of [{ a: [] }, { a: [1, { b: 2 }] }, { a: [1, { b: 2, c: '3' }] }, [], null, { b: [1] }])
    assert.ok(!isSame({ a: [1, { b: 2, c: 3 }] }, other));
});

test('what JSON cannot say is named', () => {
  const bomb = `a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n`;
  for (const [text, reason] of [
    [bomb, /`&a` is an anchor/],
    ['a: .inf\n', /no number of JSON/],
    ['a: 9007199254740993\n', /more digits/],
    ['a: !secret x\n', /tag/],
    ['? [a, b]\n: c\n', /no text/],
    ['1: a\n', /no text: quote it/],
    ['a: 1\na: 2\n', /unique/],
    ['a: 1\n---\nb: 2\n', /document/],
    ['', /empty/],
    ['a: [1, 2\n', /./],
  ] as const) {
    const found = readContent(text);
    assert.ok('mistakes' in found, text);
    assert.match(found.mistakes.join('; '), reason, text);
  }
});
