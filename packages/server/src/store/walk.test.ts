import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestClock } from './testing/conformance/bench.ts';
import { openMemory } from './testing/open-memory.ts';
import { eachItem, walk } from './walk.ts';

for (const count of [0, 1, 3, 6, 7])
  test(`a walk of ${count} items meets each of them once, in their order`, async () => {
    const scope = openMemory({ clock: new TestClock() }).store.scope('library');
    const places = Array.from({ length: count }, (_, index) => String(index));
    for (const sk of places) await scope.commit([{ kind: 'put', pk: 'shelf', sk, value: '', if: 'absent' }]);
    const met: string[] = [];
    for await (const { sk } of eachItem(scope, 'shelf', 3)) met.push(sk);
    assert.deepEqual(met, places);
  });

const places = [1, 2, 3, 4, 5, 6, 7];
const pageBehind = async (after: number | undefined) => places.filter((place) => place > (after ?? 0)).slice(0, 3);
const itself = (place: number) => place;

test('a walk that was ended goes on behind the page that its cursor stands at', async () => {
  const cursor = { after: undefined as number | undefined };
  for await (const page of walk(cursor, pageBehind, itself)) {
    assert.deepEqual(page, [1, 2, 3]);
    break;
  }
  const met: number[] = [];
  for await (const page of walk({ ...cursor }, pageBehind, itself)) met.push(...page);
  assert.deepEqual(met, [4, 5, 6, 7]);
});

test('a caller that moves the cursor back reads the rest of a page again', async () => {
  const cursor = { after: undefined as number | undefined };
  const met: number[] = [];
  for await (const [first = 0] of walk(cursor, pageBehind, itself)) {
    met.push(first);
    cursor.after = first;
  }
  assert.deepEqual(met, places);
});

test('other work of the process is done between two pages', async () => {
  let others = 0;
  const seen: number[] = [];
  for await (const _ of walk({ after: undefined }, pageBehind, itself)) {
    seen.push(others);
    setImmediate(() => others++);
  }
  assert.deepEqual(seen, [0, 1, 2]);
});
