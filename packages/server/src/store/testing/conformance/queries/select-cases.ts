import assert from 'node:assert/strict';
import { always, never, type Where } from '../../../../lib/where.ts';
import type { Selected, SelectRead } from '../../../port.ts';
import { type ConformanceCase, fill, put, putIndex } from '../bench.ts';
import { measure, n, numbered, select, shape, stock, wanted } from './asking.ts';

export const selectCases: readonly ConformanceCase[] = [
  {
    name: 'looks at the part of a partition that is asked for, in either direction',
    async run({ scope }) {
      await stock(scope, [
        ...['a', 'aa', 'ab', 'b', 'é', '\uffff', '\u{1f600}'].map((sk) => [sk, '{"n":1}'] as const),
        ['ac', '{"n":2}'],
      ]);
      await scope.commit([put('another', 'ab', { value: '{"n":1}' })]);
      const where: Where = { kind: 'compare', ...n, operator: 'eq', value: 1 };
      const cases: readonly (readonly [range: Partial<SelectRead>, keys: readonly string[], rows: number])[] = [
        [{}, ['a', 'aa', 'ab', 'b', 'é', '\uffff', '\u{1f600}'], 8],
        [{ reverse: true }, ['\u{1f600}', '\uffff', 'é', 'b', 'ab', 'aa', 'a'], 8],
        [{ prefix: 'a' }, ['a', 'aa', 'ab'], 4],
        [{ prefix: 'a', reverse: true, before: 'ac' }, ['ab', 'aa', 'a'], 3],
        [{ after: 'a', before: 'b' }, ['aa', 'ab'], 3],
        [{ after: 'é', reverse: true }, ['\u{1f600}', '\uffff'], 2],
        [{ after: 'b', before: 'a' }, [], 0],
      ];
      for (const [range, keys, rows] of cases) {
        const found = await select(scope, { ...range, where });
        assert.deepEqual(
          found.entries.map(({ sk }) => sk),
          keys,
        );
        assert.deepEqual([found.rows, found.next, found.endedBy], [rows, undefined, undefined]);
        const { groups, ...end } = await measure(scope, { ...range, where });
        assert.deepEqual(groups[0]?.results, [{ kind: 'count', count: keys.length }]);
        assert.deepEqual(end, { rows, next: undefined });
      }
      const [first] = (await select(scope, { where, limit: 1 })).entries;
      assert.deepEqual(first, { sk: 'a', version: 1, value: '{"n":1}' });
    },
  },
  {
    name: 'ends a select by `limit`, by `bytesMax`, and by `rowsMax` whatever it found, and goes on from `next`',
    async run({ scope }) {
      await numbered(scope);
      const limited = await select(scope, { where: wanted, limit: 2 });
      assert.deepEqual(shape(limited), { keys: ['k0', 'k3'], rows: 4, next: 'k3' });
      assert.deepEqual(shape(await select(scope, { where: wanted, limit: 2, reverse: true })), {
        keys: ['k9', 'k6'],
        rows: 4,
        next: 'k6',
      });
      assert.deepEqual(shape(await select(scope, { where: wanted, limit: 0 })), { keys: [], rows: 0, next: '' });
      assert.deepEqual(shape(await select(scope, { where: wanted, bytesMax: 0 })), {
        keys: ['k0'],
        rows: 1,
        next: 'k0',
      });
      const bytes = Buffer.byteLength(JSON.stringify({ n: 0, wanted: true }));
      const cut = await select(scope, { where: wanted, bytesMax: 2 * bytes });
      assert.deepEqual(shape(cut), { keys: ['k0', 'k3', 'k6'], rows: 7, next: 'k6' });
      const whole = await select(scope, { where: wanted, bytesMax: 4 * bytes });
      assert.deepEqual(shape(whole), { keys: ['k0', 'k3', 'k6', 'k9'], rows: 10, next: undefined });
      for (const where of [wanted, always, never]) {
        const { rows, next, endedBy } = await select(scope, { where, rowsMax: 4 });
        assert.deepEqual([rows, next, endedBy], [4, 'k3', 'rows']);
      }
      const walked: string[] = [];
      let turns = 0;
      for (let after: string | undefined = ''; after !== undefined && turns < 20; turns++) {
        const part: Selected = await select(scope, { where: wanted, rowsMax: 3, ...(after === '' ? {} : { after }) });
        walked.push(...part.entries.map(({ sk }) => sk));
        after = part.next;
      }
      assert.deepEqual([walked, turns], [['k0', 'k3', 'k6', 'k9'], 4]);
    },
  },
  {
    name: 'selects and measures an index partition by its targets, and looks at none that is gone or has expired',
    async run({ scope, clock }) {
      const at = clock.now() + 1000;
      await scope.commit([
        ...['a', 'b', 'c', 'd', 'e'].map((sk) => put('p', sk, { value: `{"n":${sk.charCodeAt(0)}}` })),
        put('p', 'x', { value: '{"n":1}', due: { at, queue: 'expire' } }),
        put('p', 'y', { value: '{"n":2}', due: { at, queue: 'work' } }),
        ...['e', 'gone', 'x', 'c', 'a', 'y', 'd'].map((sk, place) => putIndex('index#i', `${place}`, 'p', sk)),
      ]);
      const read = (options: Partial<SelectRead> = {}) => select(scope, { ...options, pk: 'index#i' });
      assert.deepEqual(await read({ limit: 1 }), {
        entries: [{ sk: '0', version: 1, value: '{"n":101}' }],
        rows: 1,
        next: '0',
      });
      assert.deepEqual(shape(await read()), { keys: ['0', '2', '3', '4', '5', '6'], rows: 6, next: undefined });
      clock.advance(1000);
      await scope.commit([{ kind: 'remove', pk: 'p', sk: 'c', if: 'present' }]);
      await scope.commit([put('p', 'c', { value: '{"n":3}' }), { kind: 'remove', pk: 'p', sk: 'a', if: 'present' }]);
      assert.deepEqual(shape(await read()), { keys: ['0', '3', '5', '6'], rows: 4, next: undefined });
      const odd: Where = { kind: 'in', ...n, values: [3, 101] };
      assert.deepEqual(shape(await read({ where: odd, reverse: true })), {
        keys: ['3', '0'],
        rows: 4,
        next: undefined,
      });
      assert.deepEqual(shape(await read({ where: { kind: 'not', part: odd } })), {
        keys: ['5', '6'],
        rows: 4,
        next: undefined,
      });
      assert.deepEqual(shape(await read({ rowsMax: 2 })), { keys: ['0', '3'], rows: 2, next: '3', endedBy: 'rows' });
      assert.deepEqual(shape(await read({ after: '3' })), { keys: ['5', '6'], rows: 2, next: undefined });
      const measures = [{ kind: 'count' }, { kind: 'sum', ...n }] as const;
      const found = await measure(scope, { pk: 'index#i', measures });
      assert.deepEqual(
        [found.rows, found.groups[0]?.results],
        [
          4,
          [
            { kind: 'count', count: 4 },
            { kind: 'sum', count: 4, sum: 206n },
          ],
        ],
      );
    },
  },
  {
    name: 'looks at no item that has expired',
    async run({ scope, clock }) {
      const at = clock.now() + 1000;
      await scope.commit([
        put('p', 'a', { value: '{"n":1}', due: { at, queue: 'expire' } }),
        put('p', 'b', { value: '{"n":2}', due: { at, queue: 'work' } }),
        put('p', 'c', { value: '{"n":3}' }),
      ]);
      assert.deepEqual(shape(await select(scope, {})), { keys: ['a', 'b', 'c'], rows: 3, next: undefined });
      clock.advance(1000);
      assert.deepEqual(shape(await select(scope, {})), { keys: ['b', 'c'], rows: 2, next: undefined });
      assert.deepEqual(shape(await select(scope, { rowsMax: 1 })), {
        keys: ['b'],
        rows: 1,
        next: 'b',
        endedBy: 'rows',
      });
      assert.deepEqual((await measure(scope, {})).groups[0]?.results, [{ kind: 'count', count: 2 }]);
    },
  },
  {
    name: 'selects and measures many records as it does few',
    async run({ scope }) {
      const key = (at: number) => `k${String(at).padStart(5, '0')}`;
      const numbers = Array.from({ length: 2500 }, (_, at) => at);
      await fill(
        scope,
        numbers.map((at) => put('p', key(at), { value: JSON.stringify({ n: at, wanted: at % 500 === 499 }) })),
      );
      const expected = [key(499), key(999), key(1499), key(1999), key(2499)];
      assert.deepEqual(shape(await select(scope, { where: wanted, rowsMax: 3000 })), {
        keys: expected,
        rows: 2500,
        next: undefined,
      });
      assert.deepEqual(shape(await select(scope, { where: wanted, reverse: true, limit: 3, rowsMax: 3000 })), {
        keys: expected.toReversed().slice(0, 3),
        rows: 1001,
        next: key(1499),
      });
      const cut = await select(scope, { where: wanted, rowsMax: 1700 });
      assert.deepEqual(shape(cut), { keys: expected.slice(0, 3), rows: 1700, next: key(1699), endedBy: 'rows' });
      assert.equal((await select(scope, { limit: 2500, rowsMax: 3000 })).entries.length, 2500);
      const found = await measure(scope, {
        rowsMax: 3000,
        group: [{ path: ['wanted'], type: 'boolean' }],
        measures: [{ kind: 'count' }, { kind: 'sum', ...n }, { kind: 'max', ...n }],
      });
      assert.deepEqual([found.rows, found.next], [2500, undefined]);
      assert.deepEqual(
        found.groups
          .toSorted((left, right) => Number(left.key[0]) - Number(right.key[0]))
          .map(({ results }) => results),
        [
          [
            { kind: 'count', count: 2495 },
            { kind: 'sum', count: 2495, sum: 3116255n },
            { kind: 'max', value: 2498 },
          ],
          [
            { kind: 'count', count: 5 },
            { kind: 'sum', count: 5, sum: 7495n },
            { kind: 'max', value: 2499 },
          ],
        ],
      );
    },
  },
  {
    name: 'ends a select or measure with the reason of its signal',
    async run({ scope }) {
      await numbered(scope);
      const reason = new Error('no longer wanted');
      const signal = AbortSignal.abort(reason);
      await assert.rejects(select(scope, { signal }), reason);
      await assert.rejects(measure(scope, { signal }), reason);
      assert.equal((await select(scope, { signal: new AbortController().signal })).rows, 10);
    },
  },
];
