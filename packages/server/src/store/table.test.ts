import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Conflict, type Scope } from './port.ts';
import { asRead, DamagedRow, json, removeAsRead, table } from './table.ts';
import { TestClock } from './testing/conformance/bench.ts';
import { openMemory } from './testing/open-memory.ts';

interface Shelf {
  readonly name: string;
  readonly places: number;
  readonly books: readonly string[];
  readonly note?: string;
}

const shelves = table(
  (id: string) => ({ pk: 'shelf', sk: id }),
  json<Shelf>('shelf', { name: 'string', places: 'number', books: 'object' }),
);
const shelf: Shelf = { name: 'first', places: 3, books: ['a'] };

function newScope(): Scope {
  return openMemory({ clock: new TestClock() }).store.scope('library');
}

test('a row is read as it was written, with its version and what is due', async () => {
  const scope = newScope();
  const due = { at: 2_000_000_000_000, queue: 'expire' } as const;
  const { seq } = await scope.commit([shelves.insert('a', shelf, due), shelves.put('b', shelf, { if: 'any' })]);
  assert.deepEqual(await shelves.read(scope, 'a'), { pk: 'shelf', sk: 'a', version: seq, value: shelf, due });
  assert.deepEqual(
    (await shelves.readMany(scope, ['b', 'none', 'a'])).map((row) => row?.sk),
    ['b', undefined, 'a'],
  );
  assert.deepEqual(
    (await shelves.range(scope, 'shelf', { reverse: true, limit: 5 })).map(({ sk, value }) => [sk, value]),
    [
      ['b', shelf],
      ['a', shelf],
    ],
  );
});

test('a row is inserted once, and replaced or removed only as it was read', async () => {
  const scope = newScope();
  const due = { at: 2_000_000_000_000, queue: 'expire' } as const;
  await scope.commit([shelves.insert('a', shelf, due)]);
  const read = await shelves.read(scope, 'a');
  assert.ok(read !== undefined);
  await assert.rejects(scope.commit([shelves.insert('a', shelf)]), Conflict);
  await scope.commit([shelves.replace(read, { ...shelf, places: 4 })]);
  const replaced = await shelves.read(scope, 'a');
  assert.deepEqual([replaced?.value.places, replaced?.due], [4, due]);
  await assert.rejects(scope.commit([shelves.replace(read, shelf)]), Conflict);
  await assert.rejects(scope.commit([removeAsRead(read)]), Conflict);
  await assert.rejects(scope.commit([shelves.put('a', shelf, { if: asRead(undefined) })]), Conflict);
  await scope.commit([shelves.put('a', shelf, { if: asRead(replaced) })]);
  await scope.commit([shelves.remove('a', 'present')]);
  assert.equal(await shelves.read(scope, 'a'), undefined);
});

const damaged: readonly (readonly [text: string, reason: string])[] = [
  ['{', 'is no JSON'],
  ['"text"', 'is not an object'],
  ['null', 'is not an object'],
  ['{"name":"first","books":[]}', 'has no number `places`'],
  ['{"name":"first","places":"3","books":[]}', 'has no number `places`'],
  ['{"name":"first","places":3,"books":null}', 'has no object `books`'],
];
for (const [value, reason] of damaged)
  test(`a stored ${value} is refused as a row: it ${reason}`, async () => {
    const scope = newScope();
    await scope.commit([{ kind: 'put', ...shelves.key('a'), value, if: 'any' }]);
    const refusal = new DamagedRow(`a stored shelf of scope library ${reason}`);
    await assert.rejects(shelves.read(scope, 'a'), { name: refusal.name, message: refusal.message });
    await assert.rejects(shelves.range(scope, 'shelf', { limit: 1 }), { message: refusal.message });
  });
