import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachItem } from './each-item.ts';
import { openMemory } from './memory/open-memory.ts';
import { TestClock } from './testing/conformance/bench.ts';

for (const count of [0, 1, 3, 6, 7])
  test(`a walk of ${count} items meets each of them once, in their order`, async () => {
    const scope = openMemory({ clock: new TestClock() }).store.scope('library');
    const places = Array.from({ length: count }, (_, index) => String(index));
    for (const sk of places) await scope.commit([{ kind: 'put', pk: 'shelf', sk, value: '', if: 'absent' }]);
    const met: string[] = [];
    for await (const { sk } of eachItem(scope, 'shelf', 3)) met.push(sk);
    assert.deepEqual(met, places);
  });
