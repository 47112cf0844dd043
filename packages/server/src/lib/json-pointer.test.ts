import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pointerTo } from './json-pointer.ts';

test('escapes what has a meaning in pointers, so that no two ways down have one pointer', () => {
  assert.equal(pointerTo(), '');
  assert.equal(pointerTo('a', '0'), '/a/0');
  assert.equal(pointerTo('a/b', '~', '~1', ''), '/a~1b/~0/~01/');
});
