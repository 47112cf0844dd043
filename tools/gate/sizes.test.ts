import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { importsOf } from '../imports.ts';
import { readSourceTree, sourcesUnder } from '../source-tree.ts';
import { importedNames } from './imported-names.ts';
import { lateBindings } from './late-bindings.ts';
import { sizesOf } from './sizes.ts';

const server = 'packages/server/src';

test('imports are found in all their forms, without parsing', () => {
  const text = `import fc from 'fast-check';
import ts, { type Node } from 'typescript';
import type { A, B as C } from '../a/port.ts';
import { type D, e } from '@freehold/contract/e';
import * as f from './f.ts';
import './g.ts';
export * from './h.ts';
export { i, type J } from './j.ts';
const k = await import('./k.ts');
let l: import('./l.ts').L;
// import { m } from './m.ts';
`;
  const found = importedNames('packages/server/src/z/z.ts', text);
  const listed = found.map(({ target, names, isExport, isType }) => {
    const written = names.map(({ name, local }) => (name === local ? name : `${name} as ${local}`)).join();
    return [target, written, isExport ? 'export' : 'import', isType ? 'type' : 'value'].join(' ');
  });
  assert.deepEqual(listed, [
    'fast-check default as fc import value',
    'typescript Node,default as ts import value',
    'packages/server/src/a/port.ts A,B as C import type',
    'packages/contract/src/e.ts D,e import value',
    'packages/server/src/z/f.ts * as f import value',
    'packages/server/src/z/g.ts  import value',
    'packages/server/src/z/h.ts * export value',
    'packages/server/src/z/j.ts i,J export value',
    'packages/server/src/z/k.ts  import value',
    'packages/server/src/z/l.ts  import type',
  ]);
});

test('what is found without parsing is what the compiler finds', () => {
  const sources = sourcesUnder(readSourceTree(join(import.meta.dirname, '..', '..')), `${server}/composition`);
  for (const [path, text] of sources) {
    const known = new Set(importsOf(path, text).map(({ target }) => target));
    for (const { target } of importedNames(path, text)) assert.ok(known.has(target), `${path} ${target}`);
    const found = new Set(importedNames(path, text).map(({ target }) => target));
    const missed = [...known].filter((target) => target.startsWith('packages/') && !found.has(target));
    // The programs of threads are named by a text.
    assert.deepEqual(
      missed.filter((target) => !text.includes(`new URL('./${target.split('/').at(-1)}'`)),
      [],
      path,
    );
  }
});

test('names between modules count once for the file that exports them, and those of ports as they are exported', () => {
  const figures = sizesOf(
    new Map([
      [`${server}/a/one.ts`, `import { x, type Y } from '../b/port.ts';\nimport { z } from '../lib/z.ts';\n`],
      [`${server}/a/two.ts`, `import { x as other } from '../b/port.ts';\nimport { own } from './one.ts';\n`],
      [`${server}/a/one.test.ts`, `import { hidden } from '../b/x.ts';\n`],
      [`${server}/a/testing/of.ts`, `import { hidden } from '../b/x.ts';\n`],
      [
        `${server}/b/port.ts`,
        `export { x } from './x.ts';\nexport type { Y, Z } from './y.ts';\nexport interface Own {}\n`,
      ],
      [`${server}/composition/all.ts`, `import { Z } from '../b/port.ts';\n`],
    ]),
  );
  assert.equal(figures['names that modules of the server import from one another'], 2);
  assert.equal(figures['names that the ports of the server export'], 4);
  assert.equal(figures['files of the server'], 4);
  assert.equal(figures['lines of the server'], 8);
});

test('comment lines that begin as a question does are counted, those of code are not', () => {
  const text = '/** What it is. */\n/**\n * A line.\n * How it is.\n */\nconst a = `What`; // Who\n  // The last.\n';
  const figures = sizesOf(new Map([['packages/cli/src/a.test.ts', text]]));
  assert.equal(figures['percent of comment lines that begin with What, Who, How, Where or When'], 50);
});

test('files in a cycle of values count in one of types too', () => {
  const figures = sizesOf(
    new Map([
      ['packages/cli/src/a.ts', `import { b } from './b.ts';\nimport type { C } from './c.ts';\n`],
      ['packages/cli/src/b.ts', `import { a } from './a.ts';\n`],
      ['packages/cli/src/c.ts', `import type { D } from './d.ts';\n`],
      ['packages/cli/src/d.ts', `import { c } from './c.ts';\n`],
    ]),
  );
  assert.equal(figures['files of cli in cycles of values'], 2);
  assert.equal(figures['files of cli in cycles of types'], 4);
});

test('a function that uses a part that is made behind it is a late binding', () => {
  const text = `const top = () => below;
const below = 1;
function compose() {
  const early = 1;
  open({ events: () => events, early: () => early, named: () => own.events });
  const [events, { rest: rules }] = made((rule) => rules(rule));
  const shadowed = [(late) => late, () => { const late = 2; return late; }];
  const late = 1;
}
`;
  assert.deepEqual(lateBindings('compose.ts', text), ['5: events']);
});
