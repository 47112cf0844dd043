import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type Page, RecordPages } from './record-pages.ts';

interface Answers {
  /** The ids of the list as it is now. */
  ids: readonly string[];
  partialAt: number | undefined;
  error: Error | undefined;
}

/** Pages of 100 out of a list that can change; cursors name the id behind which they go on. */
function listOf(count: number) {
  const answers: Answers = {
    ids: Array.from({ length: count }, (_, index) => `r${String(index).padStart(5, '0')}`),
    partialAt: undefined,
    error: undefined,
  };
  const requests: (string | undefined)[] = [];
  const read = async (token: string | undefined): Promise<Page> => {
    requests.push(token);
    await turn();
    if (answers.error !== undefined) throw answers.error;
    const behind = answers.ids.filter((id) => token === undefined || id > token);
    const size = token === undefined && answers.partialAt !== undefined ? answers.partialAt : 100;
    const items = behind.slice(0, size).map((id) => ({ id, version: 1 }));
    const nexttoken = behind.length > items.length ? (items.at(-1)?.id ?? '') : null;
    return {
      items,
      nexttoken,
      total: answers.ids.length,
      ...(size < 100 ? { partial: true, partial_reason: 'time' } : {}),
    };
  };
  return { answers, requests, pages: new RecordPages(read) };
}

/** Shows a part of the list until nothing more is read for it. */
async function shown(pages: RecordPages, first: number, last: number): Promise<void> {
  let before: unknown;
  do {
    before = pages.state();
    pages.show(first, last);
    for (let round = 0; round < 3; round++) await turn();
  } while (pages.state() !== before);
}

test('reads page after page as one comes near the end, and each once', async () => {
  const { requests, pages } = listOf(250);
  await shown(pages, 0, 20);
  assert.deepEqual(requests, [undefined]);
  assert.equal(pages.state().total, 250);
  await shown(pages, 30, 50);
  assert.deepEqual(requests, [undefined, 'r00099']);
  await shown(pages, 180, 199);
  await shown(pages, 230, 249);
  assert.equal(requests.length, 3);
  assert.deepEqual([pages.state().known, pages.state().isComplete], [250, true]);
  assert.equal(pages.rowAt(249)?.id, 'r00249');
  assert.equal(pages.rowAt(250), undefined);
});

test('keeps a bounded number of records, and reads those again by their cursors that it let go', async () => {
  const { requests, pages } = listOf(10_000);
  for (let last = 20; last < 9_950; last += 60) await shown(pages, last - 20, last);
  assert.equal(pages.state().known, 10_000);
  assert.equal(pages.rows().length, 2_000);
  assert.equal(pages.rowAt(3), undefined);
  const before = requests.length;
  await shown(pages, 150, 260);
  assert.deepEqual(requests.slice(before), ['r00099', 'r00199']);
  assert.equal(pages.rowAt(203)?.id, 'r00203');
  assert.equal(pages.state().known, 10_000);
  assert.equal(pages.rows().length, 2_000);
});

test('stops where the scan budget ended, and goes on when it is asked to', async () => {
  const { answers, requests, pages } = listOf(150);
  answers.partialAt = 7;
  await shown(pages, 0, 20);
  assert.deepEqual([pages.state().known, pages.state().isStopped, pages.state().stoppedBy], [7, true, 'time']);
  await shown(pages, 0, 7);
  assert.equal(requests.length, 1);
  pages.resume();
  await shown(pages, 0, 20);
  assert.deepEqual([pages.state().known, pages.state().stoppedBy, requests.length], [107, undefined, 2]);
});

test('an error is kept and nothing more is read until one tries again', async () => {
  const { answers, requests, pages } = listOf(150);
  answers.error = new Error('away');
  await shown(pages, 0, 20);
  await shown(pages, 0, 20);
  assert.equal(requests.length, 1);
  assert.equal(pages.state().error, answers.error);
  answers.error = undefined;
  pages.resume();
  await shown(pages, 0, 20);
  assert.deepEqual([pages.state().known, pages.state().error], [100, undefined]);
});

test('a refresh reads what is shown again, and forgets what is behind a page that has changed', async () => {
  const { answers, requests, pages } = listOf(250);
  await shown(pages, 0, 90);
  await shown(pages, 100, 249);
  assert.equal(pages.state().known, 250);
  pages.refresh();
  assert.equal(pages.rowAt(3)?.id, 'r00003');
  await shown(pages, 0, 20);
  assert.deepEqual([requests.length, pages.state().known], [4, 250]);
  answers.ids = answers.ids.filter((id) => id !== 'r00003');
  pages.refresh();
  await shown(pages, 0, 20);
  assert.deepEqual([pages.rowAt(3)?.id, pages.state().known, pages.state().total], ['r00004', 100, 249]);
  await shown(pages, 80, 240);
  assert.deepEqual([pages.state().known, pages.state().isComplete], [249, true]);
});

test('the last page grows on a refresh', async () => {
  const { answers, pages } = listOf(3);
  await shown(pages, 0, 3);
  answers.ids = [...answers.ids, 'r00009'];
  pages.refresh();
  await shown(pages, 0, 3);
  assert.deepEqual([pages.state().known, pages.rowAt(3)?.id, pages.state().isComplete], [4, 'r00009', true]);
});

test('a list without records is read again at once, since no row of it is shown', async () => {
  const { answers, requests, pages } = listOf(0);
  await shown(pages, 0, 0);
  assert.deepEqual([pages.state().known, pages.state().isComplete, requests.length], [0, true, 1]);
  const settled = async () => {
    for (let round = 0; round < 4; round++) await turn();
  };
  answers.error = new Error('away');
  pages.refresh();
  await settled();
  assert.deepEqual([requests.length, pages.state().error], [2, answers.error]);
  answers.error = undefined;
  pages.resume();
  await settled();
  assert.deepEqual([requests.length, pages.state().error, pages.state().known], [3, undefined, 0]);
  answers.ids = ['r00000'];
  pages.refresh();
  await settled();
  assert.deepEqual([requests.length, pages.state().known, pages.rowAt(0)?.id], [4, 1, 'r00000']);
});

test('a refresh while a page is read has it read once more', async () => {
  for (const count of [0, 3]) {
    const { answers, requests, pages } = listOf(count);
    pages.show(0, 0);
    pages.refresh();
    answers.ids = [...answers.ids, 'r00009'];
    await shown(pages, 0, 0);
    assert.deepEqual([requests.length, pages.state().known], [2, count + 1]);
  }
});

test('nothing changes once it is closed', async () => {
  const { pages } = listOf(3);
  pages.show(0, 3);
  pages.close();
  for (let round = 0; round < 4; round++) await turn();
  assert.equal(pages.state().known, 0);
});
