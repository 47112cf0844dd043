import assert from 'node:assert/strict';
import { test } from 'node:test';
import { always, assertWhere, never, type Where } from './where.ts';
import {
  allOfBounds,
  anyOfBounds,
  atMost,
  exactly,
  isExact,
  notBounds,
  unknownBounds,
  type WhereBounds,
} from './where-bounds.ts';

const is = (value: number): Where => ({ kind: 'compare', path: ['n'], type: 'number', operator: 'eq', value });
const one = exactly(is(1));
const two = exactly(is(2));

function sizeOf(where: Where): number {
  return where.kind === 'and' || where.kind === 'or' ? where.parts.length : 1;
}

test('what is made of exact conditions is exact, and of others as close as they are', () => {
  for (const bounds of [allOfBounds([one, two]), anyOfBounds([one, two]), notBounds(one)]) assert.ok(isExact(bounds));
  assert.deepEqual(allOfBounds([one, unknownBounds]), { above: is(1), below: never });
  assert.deepEqual(anyOfBounds([one, unknownBounds]), { above: always, below: is(1) });
  assert.deepEqual(notBounds(atMost(one)), { above: always, below: { kind: 'not', part: is(1) } });
});

test('a condition that no engine can be asked for is not known', () => {
  assert.equal(exactly({ kind: 'exists', path: ['a b'], type: 'text' }), unknownBounds);
  assert.equal(exactly({ kind: 'prefix', path: ['a'], value: '\0' }), unknownBounds);
});

test('conditions that are too many for a tree leave some of them out', () => {
  const many: readonly WhereBounds[] = Array.from({ length: 600 }, (_, at) => exactly(is(at)));
  const all = allOfBounds(many);
  const any = anyOfBounds(many);
  for (const { above, below } of [all, any, notBounds(all), notBounds(any)]) {
    assertWhere(above);
    assertWhere({ kind: 'and', parts: [above, { kind: 'not', part: below }] });
  }
  assert.ok(sizeOf(all.above) > 100);
  assert.equal(all.below, never);
  assert.deepEqual(any.above, always);
  assert.ok(sizeOf(any.below) > 100);
});

test('a tree that is too deep is not known', () => {
  let deep = one;
  for (let at = 0; at < 100; at++) deep = at % 2 === 0 ? allOfBounds([deep, two]) : anyOfBounds([deep, two]);
  assertWhere(deep.above);
  assertWhere(deep.below);
});
