import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { thinned } from '../../store/testing/quick.ts';
import { diffJson, type PatchOperation } from './describe-change.ts';

const scalar = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.boolean(),
  fc.constantFrom('a', 'b', '', '~/'),
  fc.constant(null),
);
const member = fc.constantFrom('name', 'id', 'a/b', 'm~n', '0', '', 'indexName', 'constructor');
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'medium' }, scalar, tie('list'), tie('object'), tie('named')),
  list: fc.array(tie('value'), { maxLength: 5 }),
  object: fc.dictionary(member, tie('value'), { maxKeys: 4 }),
  named: fc.uniqueArray(fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), a: tie('value') }), {
    selector: ({ name }) => name,
    maxLength: 6,
  }),
}));

/** Without the prototypes that the generators leave out. */
const json = value.map((made): unknown => JSON.parse(JSON.stringify(made)));

test('lists of every form are compared to their end, and not for ever', () => {
  const lists = [
    [],
    [1],
    [1, 1],
    [1, 2, 1],
    [{ name: 'a' }, { name: 'b' }],
    [{ name: 'b' }, { name: 'a' }, { name: 'c' }],
  ];
  const file = JSON.stringify(join(import.meta.dirname, 'describe-change.ts'));
  const program = `import { diffJson } from ${file};
    const lists = ${JSON.stringify(lists)};
    for (const one of lists) for (const other of lists) diffJson(one, other);`;
  // In a process of its own: a loop that does not end lets no timer of this one end it.
  const { status, stderr, error } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    timeout: 60_000,
    encoding: 'utf8',
  });
  assert.equal(error, undefined, `the comparison of two lists does not end: ${error?.message}`);
  assert.equal(status, 0, stderr);
});

test('a patch makes the one of the other, and is empty only where they are equal', () => {
  fc.assert(
    fc.property(json, json, (before, after) => {
      const patch = diffJson(before, after);
      assert.deepEqual(applied(before, patch), after);
      assert.equal(patch.length === 0, isDeepStrictEqual(before, after));
      assert.deepEqual(diffJson(before, after), patch);
    }),
    { numRuns: thinned(3000) },
  );
});

test('elements with names are known by them wherever they stand', () => {
  const named = (...names: readonly string[]) => names.map((name) => ({ name, size: name.length }));
  const cases: readonly (readonly [unknown, unknown, readonly PatchOperation[]])[] = [
    [named('a', 'b'), named('new', 'a', 'b'), [{ op: 'add', path: '/0', value: { name: 'new', size: 3 } }]],
    [named('a', 'b', 'c'), named('b', 'c'), [{ op: 'remove', path: '/0' }]],
    [named('a', 'b', 'c', 'd'), named('b', 'c', 'd', 'a'), [{ op: 'move', from: '/0', path: '/3' }]],
    [named('a', 'b', 'c', 'd'), named('d', 'a', 'b', 'c'), [{ op: 'move', from: '/3', path: '/0' }]],
    [
      { fields: [{ name: 'a' }, { name: 'b', max: 1 }] },
      { fields: [{ name: 'b', max: 2 }] },
      [
        { op: 'remove', path: '/fields/0' },
        { op: 'replace', path: '/fields/0/max', value: 2 },
      ],
    ],
    [['x', 'y'], ['y'], [{ op: 'remove', path: '/0' }]],
  ];
  for (const [before, after, patch] of cases) assert.deepEqual(diffJson(before, after), patch);
});

/** RFC 6902 for the steps that are made here. */
function applied(document: unknown, patch: readonly PatchOperation[]): unknown {
  const root = { '': structuredClone(document) };
  for (const operation of patch) {
    if (operation.op === 'move') put(root, operation.path, taken(root, operation.from));
    else if (operation.op === 'remove') taken(root, operation.path);
    else {
      if (operation.op === 'replace') taken(root, operation.path);
      put(root, operation.path, structuredClone(operation.value));
    }
  }
  return root[''];
}

function taken(root: object, path: string): unknown {
  const { holder, key } = placeOf(root, path);
  assert.ok(Object.hasOwn(holder, key), `there is nothing at ${path}`);
  if (Array.isArray(holder)) return holder.splice(Number(key), 1)[0];
  const found: unknown = Reflect.get(holder, key);
  Reflect.deleteProperty(holder, key);
  return found;
}

function put(root: object, path: string, placed: unknown): void {
  const { holder, key } = placeOf(root, path);
  if (!Array.isArray(holder)) Object.defineProperty(holder, key, { value: placed, ...plain });
  else {
    assert.ok(Number(key) <= holder.length, `${path} lies behind the end`);
    holder.splice(Number(key), 0, placed);
  }
}

const plain = { enumerable: true, configurable: true, writable: true };

function placeOf(root: object, path: string): { readonly holder: object; readonly key: string } {
  const tokens = path.split('/').map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  const key = tokens.at(-1) ?? '';
  let holder = root;
  for (const token of tokens.slice(0, -1)) holder = Reflect.get(holder, token) as object;
  return { holder, key };
}
