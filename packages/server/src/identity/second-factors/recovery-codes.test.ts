import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeRecoveryCodes, recoveryHash } from './recovery-codes.ts';

test('makes ten codes of 20 letters, of which no letter looks like another', () => {
  const { codes, hashes } = makeRecoveryCodes();
  assert.deepEqual([new Set(codes).size, new Set(hashes).size], [10, 10]);
  for (const code of codes) assert.match(code, /^([0-9a-z]{5}-){3}[0-9a-z]{5}$/);
  assert.doesNotMatch(codes.join(''), /[1ilo]/);
  assert.deepEqual(codes.map(recoveryHash), hashes);
});

test('a code is the same however it is typed', () => {
  const { codes, hashes } = makeRecoveryCodes();
  const [code = ''] = codes;
  for (const typed of [
    code.toUpperCase(),
    code.replaceAll('-', ''),
    ` ${code.replaceAll('-', ' ')} `,
    code.replaceAll('0', 'O'),
  ])
    assert.equal(recoveryHash(typed), hashes[0]);
  assert.notEqual(recoveryHash(code.slice(1)), hashes[0]);
});
