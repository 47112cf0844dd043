import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import fc from 'fast-check';
import { keyBounds } from '../key-bounds.ts';
import type { Change, FollowedEntry, Range } from '../port.ts';
import { byBytes, put, putIndex, remove } from '../testing/conformance/bench.ts';
import { SqliteReader } from './reader.ts';
import { prepareSchema } from './schema.ts';
import { SqliteWriter } from './writer.ts';

const now = 1_800_000_000_000;
const total = 150;

/** The outcome of a record after its entry was written. */
const fates = ['stays', 'is removed', 'is made again', 'expires'] as const;
type Fate = (typeof fates)[number];

function keyAt(index: number): string {
  return `k${String(index).padStart(4, '0')}`;
}

function filled(records: readonly { readonly fate: Fate; readonly length: number }[]): SqliteReader {
  const database = new DatabaseSync(':memory:');
  prepareSchema(database);
  const writer = new SqliteWriter(database);
  const commit = (changes: readonly Change[]) => writer.run([{ kind: 'commit', scope: 's', changes }], now);
  const putAt = (sk: string, length: number, isExpired = false): Change =>
    put('p', sk, { value: 'é'.repeat(length), ...(isExpired ? { due: { at: now, queue: 'expire' } } : {}) });
  const named = records.map((record, index) => ({ ...record, sk: keyAt(index) }));
  commit(
    named.flatMap(({ sk, length, fate }) => [putAt(sk, length, fate === 'expires'), putIndex('index#i', sk, 'p', sk)]),
  );
  const gone = named.filter(({ fate }) => fate === 'is removed' || fate === 'is made again');
  if (gone.length > 0) commit(gone.map(({ sk }) => remove('p', sk)));
  const again = gone.filter(({ fate }) => fate === 'is made again');
  if (again.length > 0) commit(again.map(({ sk, length }) => putAt(sk, length)));
  return new SqliteReader(database);
}

const record = fc.record({
  fate: fc.oneof({ weight: 30, arbitrary: fc.constant<Fate>('stays') }, fc.constantFrom(...fates)),
  length: fc.constantFrom(1, 20, 400),
});

const place = fc.nat(total).map(keyAt);
const ranges: fc.Arbitrary<Range> = fc.oneof(
  fc.constant({}),
  fc.constant({ prefix: 'k00' }),
  place.map((after) => ({ after })),
  place.map((before) => ({ before })),
  fc.tuple(place, place).map((both) => {
    const [after = '', before = ''] = both.toSorted();
    return { after, before };
  }),
);

test('finds by an index and by keys what one read of all would, however many items a read is of', () => {
  fc.assert(
    fc.property(
      fc.array(record, { minLength: total, maxLength: total }),
      fc.array(
        fc.record({
          range: ranges,
          isReverse: fc.boolean(),
          limit: fc.oneof(fc.integer({ min: 1, max: 2 * total }), fc.constantFrom(31, 32, 33, 64, 65, 96)),
          bytesMax: fc.constantFrom(1, 900, 9000, Number.POSITIVE_INFINITY),
        }),
        { minLength: 20, maxLength: 20 },
      ),
      (records, reads) => {
        const reader = filled(records);
        const alive = records.flatMap(({ fate, length }, index) =>
          fate === 'stays' || fate === 'is made again' ? [{ sk: keyAt(index), value: 'é'.repeat(length) }] : [],
        );
        for (const { range, ...read } of reads) {
          const expected = readOf(alive, range, read);
          const bounds = { ...keyBounds(range), ...read };
          assert.deepEqual(reader.range('s', { ...bounds, pk: 'p' }, now).map(placed), expected);
          assert.deepEqual(reader.follow('s', { ...bounds, pk: 'index#i' }, now).map(placed), expected);
        }
      },
    ),
    { numRuns: 20 },
  );
});

type Placed = Pick<FollowedEntry, 'sk' | 'value'>;

function placed({ sk, value }: Placed): Placed {
  return { sk, value };
}

function readOf(
  items: readonly Placed[],
  { prefix = '', after = '', before = '~' }: Range,
  { isReverse, limit, bytesMax }: { readonly isReverse: boolean; readonly limit: number; readonly bytesMax: number },
): readonly Placed[] {
  const within = items
    .filter(({ sk }) => sk.startsWith(prefix) && sk > after && sk < before)
    .sort((left, right) => (isReverse ? byBytes(right.sk, left.sk) : byBytes(left.sk, right.sk)));
  let bytes = 0;
  return within.slice(0, limit).filter(({ value }) => {
    const fits = bytes <= bytesMax;
    bytes += Buffer.byteLength(value);
    return fits;
  });
}
