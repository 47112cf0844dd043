import assert from 'node:assert/strict';
import { test } from 'node:test';
import { itemName } from './kind-content.ts';

test('no two names fall together where letters of both cases are one, and each has room in an archive', () => {
  assert.match(String(itemName.pattern), /^\^\[a-z\]\[a-z0-9_-\]\{0,62\}\$$/);
});
