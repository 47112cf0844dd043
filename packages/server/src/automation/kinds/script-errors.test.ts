import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scriptErrors } from './script-errors.ts';

test('a script is the body of a function, and a mistake is told with its line', () => {
  for (const body of [
    'return 1',
    '',
    '// only a comment',
    'const f = async () => await 1;\nreturn f()',
    'return "{{ x }}"',
  ])
    assert.deepEqual(scriptErrors(body, '/source'), [], body);
  const mistake = (message: string) => [{ pointer: '/source', code: 'invalid_script', message }];
  assert.deepEqual(
    scriptErrors('const a = 1;\n\nreturn a a', '/source'),
    mistake("at line 3: Unexpected identifier 'a'"),
  );
  for (const body of [
    '}), (function () {',
    'return 1 } + function () {',
    '/*',
    'import x from "fs"',
    'with (a) {}',
    'await 1',
  ])
    assert.deepEqual(
      scriptErrors(body, '/source').map(({ code }) => code),
      ['invalid_script'],
      body,
    );
});

test('a script is parsed and not run', () => {
  assert.deepEqual(scriptErrors('globalThis.wasRun = 1; for (;;);', '/source'), []);
  assert.ok(!('wasRun' in globalThis));
  assert.equal(scriptErrors('['.repeat(16_000), '/source').length, 1);
});
