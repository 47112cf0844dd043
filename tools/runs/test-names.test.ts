import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testNames } from './test-names.ts';

test('the names of tests are listed as they are written, whatever makes them', () => {
  const text = `
    test('a write is answered', async () => {});
    for (const kind of kinds) test(\`a \${kind} of \${org} is kept\`, { skip: false }, () => {});
    test.skip("a \\"quoted\\" name", () => {});
    test(nameOf(1), () => {});
    attest('not a test'); /re/.test('neither');
  `;
  assert.deepEqual(testNames('a.test.ts', text), ['a write is answered', 'a … of … is kept', 'a "quoted" name', '…']);
});
