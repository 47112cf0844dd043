import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FollowedItem, type FollowedList, type Following, follow, pageMax, showLatest } from './follow.ts';

const item = (kind: string, n: number): FollowedItem => ({
  kind,
  key: `${kind}${n}`,
  at: new Date(n * 1000).toISOString(),
  item: n,
  line: String(n),
});

/** The rounds of a following: what each list answers in each of them, the latest first. */
async function followed(rounds: readonly (() => readonly (readonly FollowedItem[])[])[], count = 20) {
  const shown: string[] = [];
  const warnings: string[] = [];
  const waits: number[] = [];
  let round = 0;
  const lists: readonly FollowedList[] = ['denials', 'runs'].map((name, index) => ({
    name,
    read: async () => rounds[round]?.()[index] ?? [],
  }));
  const following: Following = {
    lists,
    show: ({ key }) => shown.push(key),
    warn: (sentence) => warnings.push(sentence),
    wait: async (milliseconds) => {
      waits.push(milliseconds);
      round += 1;
    },
    mayPass: (error) => error instanceof Error && error.message === 'away',
    isOver: () => round >= rounds.length,
  };
  await follow(following, await showLatest(following, count));
  return { shown, warnings, waits };
}

const away = () => {
  throw new Error('away');
};

test('each item is shown once, the oldest first, over all lists', async () => {
  const { shown } = await followed([
    () => [[item('d', 3), item('d', 1)], [item('r', 2)]],
    () => [
      [item('d', 5), item('d', 3), item('d', 1)],
      [item('r', 4), item('r', 2)],
    ],
    () => [[item('d', 5)], [item('r', 4)]],
  ]);
  assert.deepEqual(shown, ['d1', 'r2', 'd3', 'r4', 'd5']);
});

test('only the latest of what is there already are shown', async () => {
  const rounds = [() => [[item('d', 3), item('d', 2), item('d', 1)], []], () => [[item('d', 4), item('d', 3)], []]];
  assert.deepEqual((await followed(rounds, 1)).shown, ['d3', 'd4']);
  assert.deepEqual((await followed(rounds, 0)).shown, ['d4']);
});

test('a platform that is away is asked again, at longer and longer intervals, and it is said once', async () => {
  const { shown, warnings, waits } = await followed([
    () => [[], []],
    ...Array.from({ length: 6 }, () => away),
    () => [[item('d', 1)], []],
    () => [[item('d', 2)], []],
  ]);
  assert.deepEqual(shown, ['d1', 'd2']);
  assert.deepEqual(warnings, ['away; trying again', 'connected again']);
  assert.deepEqual(waits, [2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 2_000, 2_000]);
});

test('an error that does not pass ends the following', async () => {
  const refused = () => {
    throw new Error('refused');
  };
  await assert.rejects(followed([() => [[], []], refused]), /refused/);
  await assert.rejects(followed([away]), /away/);
});

test('a page full of new items is said to have left some out, and memory has a bound', async () => {
  const page = (start: number) => Array.from({ length: pageMax }, (_, n) => item('d', start + pageMax - n));
  const { shown, warnings } = await followed([
    () => [page(0), []],
    ...Array.from({ length: 10 }, (_, n) => () => [page((n + 1) * pageMax), []]),
  ]);
  assert.equal(new Set(shown).size, shown.length);
  assert.equal(warnings.length, 10);
});
