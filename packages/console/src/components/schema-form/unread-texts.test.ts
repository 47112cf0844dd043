import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unreadOf, whyUnread, withoutUnread, withUnread } from './unread-texts.ts';

const text = (pointer: string, typed = '{{ steps.a }}') => ({ pointer, label: 'Returns', text: typed, mistake: 'no' });

test('a form with a text that is not JSON names the input, until the input holds JSON again', () => {
  const value = { returns: { kept: 1 } };
  const list = withUnread([], text('/returns'), value);
  assert.match(whyUnread(unreadOf(list, value)) ?? '', /“Returns” is not JSON/);
  assert.equal(withUnread(list, text('/returns', '{'), value).length, 1);
  assert.equal(whyUnread(withoutUnread(list, '/returns')), undefined);
  assert.equal(whyUnread([]), undefined);
});

test('a text that is not JSON counts as long as its value is there, also where that is undefined', () => {
  const value = { steps: [{ value: 1 }, { 'a/b': 2 }] };
  const list = ['/returns', '/steps/0/value', '/steps/1/a~1b'].reduce(
    (before, pointer) => withUnread(before, text(pointer), value),
    withUnread([], text(''), value),
  );
  const pointers = (of: unknown) => unreadOf(list, of).map(({ pointer }) => pointer);
  assert.deepEqual(pointers(value), ['', '/returns', '/steps/0/value', '/steps/1/a~1b']);
  // The value is another one.
  assert.deepEqual(pointers({ steps: [{ value: 3 }, { 'a/b': 2 }], returns: 1 }), ['/steps/1/a~1b']);
  // The step is removed, and another one has its place.
  assert.deepEqual(pointers({ steps: [{ 'a/b': 2 }] }), ['/returns']);
  const unset = withUnread([], text('/steps/1/value'), value);
  assert.equal(unreadOf(unset, value).length, 1);
  assert.equal(unreadOf(unset, { steps: [{ value: 1 }] }).length, 0);
});
