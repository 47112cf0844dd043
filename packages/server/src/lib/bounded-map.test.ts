import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { thinned } from '../store/testing/quick.ts';
import { BoundedMap } from './bounded-map.ts';

test('forgets the entry that was not used for the longest time', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  assert.equal(map.get('a'), 1);
  map.set('c', 3);
  assert.deepEqual([map.has('a'), map.has('b'), map.has('c')], [true, false, true]);
  map.set('a', 4);
  map.set('d', 5);
  assert.deepEqual([map.get('a'), map.get('c'), map.get('d'), map.size], [4, undefined, 5, 2]);
});

test('refuses a size that is no positive integer', () => {
  for (const size of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => new BoundedMap(size), TypeError);
  }
});

test('behaves as a list kept in the order of use', () => {
  const step = fc.record({
    kind: fc.constantFrom('get', 'get', 'has', 'set', 'set', 'set', 'delete'),
    key: fc.nat(7),
  });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 60, size: 'max' }), (sizeMax, steps) => {
      const map = new BoundedMap<number, number>(sizeMax);
      let model: (readonly [key: number, value: number])[] = [];
      for (const [value, { kind, key }] of steps.entries()) {
        const known = model.find(([other]) => other === key);
        const others = model.filter(([other]) => other !== key);
        if (kind === 'has') assert.equal(map.has(key), known !== undefined);
        else if (kind === 'get') {
          assert.equal(map.get(key), known?.[1]);
          if (known !== undefined) model = [...others, known];
        } else if (kind === 'set') {
          map.set(key, value);
          model = [...others, [key, value] as const].slice(-sizeMax);
        } else {
          assert.equal(map.delete(key), known !== undefined);
          model = others;
        }
        assert.equal(map.size, model.length);
      }
      for (const [key, value] of model) assert.equal(map.get(key), value);
    }),
    { numRuns: thinned(500) },
  );
});

test('keeps what weighs no more than the bound together, and forgets the longest unused first', () => {
  const map = new BoundedMap<string, number>(10, (weight) => weight);
  map.set('a', 4);
  map.set('b', 4);
  map.get('a');
  map.set('c', 3);
  assert.deepEqual([map.get('a'), map.get('b'), map.get('c')], [4, undefined, 3]);
  map.set('a', 7);
  assert.deepEqual([map.get('a'), map.get('c')], [7, 3]);
  map.set('too heavy', 11);
  assert.deepEqual([map.size, map.get('too heavy')], [2, undefined]);
  map.delete('a');
  map.set('d', 7);
  assert.deepEqual([map.get('c'), map.get('d')], [3, 7]);
});
