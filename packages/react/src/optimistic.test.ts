import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { QueryClient } from '@tanstack/react-query';
import { showBeforehand } from './optimistic.ts';
import { entityKey } from './record-keys.ts';
import type { Scope } from './scope.ts';

const scope: Scope = ['freehold', 'https://x', 'acme', 'c', 1, 'main', 'u1'];
const list = entityKey(scope, 'note', 'list', { query: {} });
const pages = entityKey(scope, 'note', 'pages', { query: {} });
const record = entityKey(scope, 'note', 'record', { id: 'a', query: {} });

interface Note {
  readonly id: string;
  readonly version: number;
  readonly title: string;
  readonly text?: string;
  readonly tags?: readonly string[];
}

const a: Note = { id: 'a', version: 1, title: 'a' };
const b: Note = { id: 'b', version: 1, title: 'b', tags: ['x'] };

function cacheOf(t: TestContext, ...notes: readonly Note[]) {
  const client = new QueryClient();
  t.after(() => client.clear());
  const read = (...fresh: readonly Note[]) => {
    client.setQueryData(list, { items: fresh, nextToken: null });
    client.setQueryData(pages, { pages: [{ items: fresh, nextToken: null }], pageParams: [null] });
    const [first] = fresh;
    if (first?.id === 'a') client.setQueryData(record, first);
  };
  read(...notes);
  const change = (id: string, changes: object) => showBeforehand(client, scope, { entity: 'note', id, changes });
  /** Asserts that all reads show the same, and returns that. */
  const shown = () => {
    const { items } = client.getQueryData<{ readonly items: readonly Note[] }>(list) ?? { items: [] };
    const infinite = client.getQueryData<{ readonly pages: readonly unknown[] }>(pages);
    assert.deepEqual(infinite?.pages[0], { items, nextToken: null });
    if (items[0]?.id === 'a') assert.deepEqual(client.getQueryData(record), items[0]);
    return items;
  };
  return { client, read, change, shown };
}

test('a change that is refused after another was made leaves the other as it was made', async (t) => {
  const { read, change, shown } = cacheOf(t, a, b);
  const endA = await change('a', { title: 'a, changed' });
  const endB = await change('b', { title: 'b, changed', tags: ['y'] });
  endB(false);
  const made = { ...b, version: 2, title: 'b, changed', tags: ['y'] };
  read({ ...a, title: 'a, changed' }, made);
  endA(true);
  assert.deepEqual(shown(), [a, made]);
});

test('a change that is refused before another has its answer leaves the other shown', async (t) => {
  const { change, shown } = cacheOf(t, a, b);
  const endA = await change('a', { title: 'a, changed' });
  const endB = await change('b', { tags: ['y'] });
  endA(true);
  assert.deepEqual(shown(), [a, { ...b, tags: ['y'] }]);
  endB(true);
  assert.deepEqual(shown(), [a, b]);
});

for (const order of [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
])
  test(`changes of one field that are refused in the order ${order} end at the value before all of them`, async (t) => {
    const { change, shown } = cacheOf(t, a, b);
    const ends = [];
    for (const title of ['first', 'second', 'third']) ends.push(await change('a', { title, text: title }));
    const left = ['first', 'second', 'third'];
    for (const index of order) {
      ends[index]?.(true);
      left[index] = '';
      const last = left.findLast((title) => title !== '');
      assert.deepEqual(shown(), [last === undefined ? a : { ...a, title: last, text: last }, b]);
    }
  });

test('a refused change takes back its own fields alone', async (t) => {
  const { change, shown } = cacheOf(t, a, b);
  const endTitle = await change('a', { title: 'a, changed' });
  const endText = await change('a', { text: 'new' });
  endTitle(true);
  assert.deepEqual(shown(), [{ ...a, text: 'new' }, b]);
  endText(false);
  assert.deepEqual(shown(), [{ ...a, text: 'new' }, b]);
});

test('a record that was read since the change stays as it was read', async (t) => {
  const { read, change, shown } = cacheOf(t, a, b);
  const end = await change('a', { title: 'wanted' });
  const fresh = { ...a, version: 2, title: 'wanted', text: 'by another caller' };
  read(fresh, b);
  end(true);
  assert.deepEqual(shown(), [fresh, b]);
});

test('a record that was read between two changes is shown as it was read when both are refused', async (t) => {
  const { read, change, shown } = cacheOf(t, a, b);
  const endFirst = await change('a', { title: 'first' });
  const fresh = { ...a, version: 2, title: 'by another caller' };
  read(fresh, b);
  const endSecond = await change('a', { title: 'second' });
  endFirst(true);
  endSecond(true);
  assert.deepEqual(shown(), [fresh, b]);
});

test('a refusal brings nothing back that the cache has forgotten, and shows nothing in reads that came later', async (t) => {
  const { client, change } = cacheOf(t, a, b);
  const end = await change('a', { title: 'a, changed' });
  client.removeQueries();
  const later = entityKey(scope, 'note', 'list', { query: { q: 'a' } });
  client.setQueryData(later, { items: [{ ...a, title: 'a, changed' }], nextToken: null });
  end(true);
  assert.deepEqual(
    client
      .getQueryCache()
      .getAll()
      .map(({ state }) => state.data),
    [{ items: [{ ...a, title: 'a, changed' }], nextToken: null }],
  );
});
