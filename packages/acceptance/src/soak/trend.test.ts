import assert from 'node:assert/strict';
import { test } from 'node:test';
import { floorsOf, hasRisen, type Point, settledTrendOf, trendOf, verdictOf } from './trend.ts';

/** The Park-Miller generator, from 0 up to 1. */
function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

/** A point each ten seconds; what is added to the line is like the noise before it, to this share. */
function series(count: number, perHour: number, noise: { chance: () => number; size: number; likeness?: number }) {
  let before = 0;
  return Array.from({ length: count }, (_, index): Point => {
    before = before * (noise.likeness ?? 0) + (noise.chance() - 0.5) * noise.size;
    return { at: index * 10, value: 100 + (perHour * index * 10) / 3600 + before };
  });
}

test('a straight line is recognized, and few points decide nothing', () => {
  const line = series(10, 120, { chance: () => 0.5, size: 0 });
  const { slope, uncertainty } = trendOf(line);
  assert.ok(Math.abs(slope - 120) < 1e-6 && uncertainty < 1e-6, `${slope} ± ${uncertainty}`);
  assert.equal(verdictOf(trendOf(line), 1), 'grows');
  assert.equal(verdictOf(trendOf(series(10, 0, { chance: () => 0.5, size: 0 })), 1), 'flat');
  assert.equal(verdictOf(trendOf(line.slice(0, 3)), 1), 'cannot tell');
  assert.equal(verdictOf(settledTrendOf(line.slice(0, 6)), 1), 'cannot tell');
});

for (const likeness of [0, 0.6])
  test(`of noise that is ${likeness} like the one before, the interval holds the true slope nearly always`, () => {
    const chance = chances(7);
    const runs = 400;
    let missed = 0;
    for (let run = 0; run < runs; run++) {
      const { slope, uncertainty } = trendOf(series(40, 50, { chance, size: 4, likeness }));
      if (Math.abs(slope - 50) > uncertainty) missed += 1;
    }
    assert.ok(missed < runs * 0.1, `${missed} of ${runs}`);
  });

test('a leak is found in noise, and of what is flat it is never said that it grows', () => {
  const chance = chances(3);
  for (let run = 0; run < 50; run++) {
    const noise = { chance, size: 3, likeness: 0.5 };
    assert.equal(verdictOf(settledTrendOf(series(60, 300, noise)), 1), 'grows');
    assert.notEqual(verdictOf(settledTrendOf(series(60, -2, noise)), 1), 'grows');
  }
});

test('a curve that settles is not reported as growth, however clearly it rose', () => {
  const noise = series(60, 0, { chance: chances(5), size: 6 });
  const settling = noise.map(({ at, value }) => ({ at, value: value - 10 * Math.exp(-at / 150) }));
  assert.equal(verdictOf(trendOf(settling), 1), 'grows');
  assert.equal(verdictOf(settledTrendOf(settling), 1), 'cannot tell');
});

test('floors are the least of each stretch', () => {
  const points = [5, 9, 7, 4, 8, 6].map((value, at) => ({ at, value }));
  assert.deepEqual(floorsOf(points, 3), [
    { at: 1, value: 5 },
    { at: 4, value: 4 },
  ]);
  assert.deepEqual(floorsOf([], 3), []);
});

test('a count has risen where it never comes back to where it was', () => {
  const risen = (values: readonly number[]) => hasRisen(values.map((value, at) => ({ at, value })));
  assert.ok(risen([3, 4, 5, 6, 7, 8, 9, 10]));
  assert.ok(!risen([3, 9, 4, 9, 4, 9, 9, 9]));
  assert.ok(!risen([3, 3, 9, 9, 9, 9, 9, 3]));
  assert.ok(!risen([1, 2]));
});
