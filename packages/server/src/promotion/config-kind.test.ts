import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { systemEntityNames } from '@freehold/contract/system-entities';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { type ConfigItemKind, configItemKinds } from '../config/config-set.ts';
import { checkSchema } from '../lib/check-schema.ts';
import { kindsOf } from './config-kind.ts';
import { diffJson } from './differences/describe-change.ts';
import { kindCases, kinds, put } from './testing/cases.ts';
import type { Json, KindCases } from './testing/kind-cases.ts';

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictTypes: false, discriminator: false });
addFormats.default(ajv);
const fits = new Map<ConfigItemKind, ValidateFunction>(
  configItemKinds.map((kind) => [kind, ajv.compile(kinds[kind].schema)]),
);

for (const kind of configItemKinds) {
  const { schema, parse, references, describe, widening } = kinds[kind];
  const cases = kindCases[kind];
  const isFit = fits.get(kind) as ValidateFunction;

  test(`${kind}: the registry says what it is, what it needs, what a change means and what it lets in`, () => {
    assert.equal(kinds[kind].kind, kind);
    for (const part of [parse, references, describe, widening]) assert.equal(typeof part, 'function');
    assert.ok(Object.keys(schema).length > 1);
  });

  test(`${kind}: contents that are taken fit the schema, and unknown members are refused wherever they stand`, () => {
    for (const content of variants(cases)) {
      assert.deepEqual(parse(cases.name, content), { content });
      assert.ok(isFit(content), JSON.stringify(isFit.errors));
    }
    for (const pointer of cases.closed) {
      const content = put(cases.content, `${pointer}/surprise`, 1);
      assert.deepEqual(codesOf(parse(cases.name, content)).slice(0, 1), [`${pointer}/surprise unknown_field`]);
      assert.ok(!isFit(content), pointer);
    }
  });

  for (const { at, value, error } of cases.refused)
    test(`${kind}: ${at} cannot be ${JSON.stringify(value)?.slice(0, 60) ?? 'left out'}`, () => {
      const parsed = parse(cases.name, put(cases.content, at, value));
      assert.deepEqual(codesOf(parsed).slice(0, 1), [error]);
      for (const { message } of 'errors' in parsed ? parsed.errors : [])
        assert.match(message, /^[a-z`].*[^.]$/s, `the sentence ${message}`);
    });

  test(`${kind}: the schema of each member has a change here, and each has its sentence`, () => {
    const whole = cases.content as object;
    const changed = cases.changes.flatMap(({ at, value }) => changedMembers(whole, put(whole, at, value) as object));
    assert.deepEqual(
      [...new Set([...changed, ...(cases.identity === undefined ? [] : [cases.identity])])].sort(),
      membersOf(schema).sort(),
    );
    for (const { at, value, says } of cases.changes) {
      const after = put(cases.content, at, value);
      const sentences = describe({ name: cases.name, before: cases.content, after });
      assert.deepEqual(sentences, says, `${at} to ${JSON.stringify(value)}`);
    }
  });

  test(`${kind}: being new and being removed is described`, () => {
    const { name, content } = cases;
    assert.deepEqual(describe({ name, before: undefined, after: content }), cases.added);
    assert.deepEqual(describe({ name, before: content, after: undefined }), cases.removed);
  });

  test(`${kind}: two different contents have a patch and a sentence, and equal ones neither`, () => {
    const some = fc
      .subarray([...cases.changes])
      .map((changes) => changes.reduce<Json>((content, { at, value }) => put(content, at, value), cases.content));
    fc.assert(
      fc.property(some, some, (before, after) => {
        const patch = diffJson(before, after);
        const sentences = describe({ name: cases.name, before, after });
        assert.equal(patch.length > 0, sentences.length > 0, JSON.stringify(patch));
      }),
      { numRuns: 300 },
    );
  });

  test(`${kind}: what it cannot do without is named, each with its place and a reason`, () => {
    const found = references(cases.content, cases.name);
    assert.deepEqual(
      found.map((one) => `${one.pointer} ${one.kind} ${one.name}: ${one.reason}`),
      cases.references,
    );
    for (const { name } of found) assert.ok(!systemEntityNames.includes(name));
  });

  test(`${kind}: only changes that widen access are reported`, () => {
    for (const { at, value, wider } of cases.widening) {
      const change = { name: cases.name, before: cases.content, after: put(cases.content, at, value) };
      assert.deepEqual(widening(change), wider, at);
      assert.deepEqual(widening({ ...change, before: change.after }), [], at);
    }
  });
}

test('each kind is there once, and a platform that lacks one does not start', () => {
  const all = Object.values(kinds);
  assert.deepEqual(Object.keys(kindsOf(all.toReversed())), configItemKinds);
  assert.throws(() => kindsOf(all.slice(1)), /there is no kind `entity`/);
  assert.throws(() => kindsOf([...all, kinds.crew]), /there is more than one kind `crew`/);
});

test('what is checked by a schema is what the schema says, as another library reads it', () => {
  const outcomes = { fit: 0, unfit: 0 };
  for (const kind of ['logicblock', 'event', 'crew'] as const) {
    const isFit = fits.get(kind) as ValidateFunction;
    const { content } = kindCases[kind];
    const place = fc.constantFrom(...pointersOf(content));
    const value = fc.constantFrom(...foreign);
    const changed = fc
      .array(fc.tuple(place, value), { minLength: 1, maxLength: 2 })
      .map((changes) =>
        changes.reduce<Json>(
          (before, [at, one]) => (pointersOf(before).includes(at) ? put(before, at, one) : before),
          content,
        ),
      );
    fc.assert(
      fc.property(changed, (input) => {
        const isTaken = checkSchema(kinds[kind].schema, input).length === 0;
        assert.equal(isTaken, isFit(input), JSON.stringify(isFit.errors));
        outcomes[isTaken ? 'fit' : 'unfit'] += 1;
      }),
      { numRuns: 1500 },
    );
  }
  assert.ok(outcomes.fit > 100 && outcomes.unfit > 100, JSON.stringify(outcomes));
});

test('a schema with a keyword that is not known is no schema to check by', () => {
  assert.throws(() => checkSchema({ allOf: [{ type: 'string' }] }, 'x'), TypeError);
});

test('a content of more bytes than an item may have is refused as a whole', () => {
  const { name, content } = kindCases.logicblock;
  const long = put(
    content,
    '/returns',
    Array.from({ length: 300 }, () => 'a'.repeat(1000)),
  );
  assert.deepEqual(codesOf(kinds.logicblock.parse(name, long)), [' too_long']);
});

/** Values that stand where they do not belong, or just do. */
const foreign: readonly Json[] = [
  undefined,
  null,
  0,
  1,
  1000,
  1001,
  -1,
  1.5,
  true,
  '',
  'a',
  'A',
  'eq',
  'a-b',
  'a\n',
  'á'.repeat(63),
  'a'.repeat(63),
  'a'.repeat(64),
  'a'.repeat(2001),
  'https://example.com/x',
  [],
  ['a'],
  [1],
  [{}],
  Array(101).fill('a'),
  {},
  { a: 1 },
  { A: 'b' },
  { 'a b': 'c' },
];

function variants({ content, changes }: KindCases): readonly Json[] {
  return [content, ...changes.map(({ at, value }) => put(content, at, value))];
}

function codesOf(parsed: ReturnType<(typeof kinds)['event']['parse']>): readonly string[] {
  return 'errors' in parsed ? parsed.errors.map(({ pointer, code }) => `${pointer} ${code}`) : [];
}

function changedMembers(before: object, after: object): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !isDeepStrictEqual(Reflect.get(before, name), Reflect.get(after, name)));
}

/** The members that a content may have, in whichever branch of its schema. */
function membersOf(schema: Readonly<Record<string, unknown>>): string[] {
  const branches = [schema, ...((schema.oneOf ?? schema.anyOf ?? []) as readonly Readonly<Record<string, unknown>>[])];
  return [...new Set(branches.flatMap(({ properties = {} }) => Object.keys(properties as object)))];
}

function pointersOf(value: Json, pointer = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return [pointer];
  const inside = Object.entries(value).flatMap(([member, one]) => pointersOf(one as Json, `${pointer}/${member}`));
  return pointer === '' ? inside : [pointer, ...inside];
}
