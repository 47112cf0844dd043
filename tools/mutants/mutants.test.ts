import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyMutant, mutantsOf } from './mutants.ts';

function faultsIn(text: string): readonly string[] {
  return mutantsOf('a.ts', text).map((mutant) => applyMutant(text, mutant));
}

test('turns operators, conditions, truths, numbers and names round, and leaves out statements and awaits, one at a time', () => {
  const cases: readonly (readonly string[])[] = [
    ['const c = a === b;', 'const c = a !== b;'],
    ['const c = a < b;', 'const c = a <= b;', 'const c = a > b;'],
    ['const c = a && !b;', 'const c = a || !b;', 'const c = a && b;'],
    ['if (a) c = 0;', 'if (false) c = 0;', 'if (true) c = 0;', 'if (a) ;', 'if (a) c = 1;'],
    ['const a = await b;', 'const a = b;'],
    ['a();', ';'],
    ['const c = a ? b : c;', 'const c = !(a) ? b : c;'],
    ['const a = [true, 7];', 'const a = [false, 7];', 'const a = [true, 8];'],
    ["const c = a === 'b';", "const c = a !== 'b';", 'const c = a === "b~";'],
    ['const c = a.some(b);', 'const c = a.every(b);'],
  ];
  for (const [text = '', ...expected] of cases) {
    assert.deepEqual(faultsIn(text), expected, text);
  }
});

test('plants nothing into types, imports, names of members and sentences', () => {
  for (const text of [
    "import { a } from './a.ts';",
    "type A = 'b' | 1 | true;",
    "interface A { readonly b: 'c' }",
    "const a: 'b' | undefined = c;",
    "const a = { 'b-c': d };",
    "throw new Error('field must be there');",
    "const a = `the $\u007bb('c')}`;",
  ]) {
    assert.deepEqual(faultsIn(text), [], text);
  }
});
