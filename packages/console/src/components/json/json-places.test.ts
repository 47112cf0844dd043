import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeOf } from './json-places.ts';

const text = JSON.stringify(
  { entityName: 'order', UpdateParams: [{ name: 'title' }, { name: 'amount', min: 3, 'a/b~c': [true] }] },
  null,
  2,
);

function shown(pointer: string): string {
  const { from, to } = placeOf(text, pointer);
  return text.slice(from, to);
}

test('a pointer leads to the member or the first line of the element that it names', () => {
  assert.equal(shown('/entityName'), '"entityName": "order"');
  assert.equal(shown('/UpdateParams/1/min'), '"min": 3');
  assert.equal(shown('/UpdateParams/0'), '{');
  assert.equal(shown('/UpdateParams/1/a~1b~0c/0'), 'true');
});

test('a pointer to what is missing leads to what would hold it, and to the start where there is nothing', () => {
  assert.equal(shown('/UpdateParams/1/max'), '{');
  assert.equal(shown('/checks/0/cel'), '');
  assert.deepEqual(placeOf('{ "a": ', '/b/c'), { from: 0, to: 0 });
  assert.deepEqual(placeOf('', '/a'), { from: 0, to: 0 });
});
