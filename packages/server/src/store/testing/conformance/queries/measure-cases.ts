import assert from 'node:assert/strict';
import { never } from '../../../../lib/where.ts';
import type { MeasureRead } from '../../../port.ts';
import { type ConformanceCase, fill, put } from '../bench.ts';
import { countsOf, measure, n, numbered, stock } from './asking.ts';

export const measureCases: readonly ConformanceCase[] = [
  {
    name: 'works out each measure of the values that are of its type',
    async run({ scope }) {
      await stock(scope, [
        ['a', '{"n":9007199254740991,"x":0.1,"t":"b","f":true,"d":"2024-02-29"}'],
        ['b', '{"n":9007199254740991,"x":0.2,"t":"\u{1f600}","f":false,"d":"2023-01-01"}'],
        ['c', '{"n":9007199254740991,"x":-1e15,"t":"\uffff","f":1,"d":"2023-1-1"}'],
        ['d', '{"n":1.5,"x":1e15,"t":"B","d":null}'],
        ['e', '{"n":"7","x":null,"t":7}'],
        ['f', '{"n":-1,"x":"0.5","t":"b"}'],
      ]);
      const t = { path: ['t'], type: 'text' } as const;
      const x = { path: ['x'], type: 'number' } as const;
      const d = { path: ['d'], type: 'date' } as const;
      const f = { path: ['f'], type: 'boolean' } as const;
      const results = async (...measures: MeasureRead['measures']) =>
        (await measure(scope, { measures })).groups[0]?.results;
      assert.deepEqual(
        await results({ kind: 'count' }, { kind: 'sum', ...n }, { kind: 'min', ...n }, { kind: 'max', ...n }),
        [
          { kind: 'count', count: 6 },
          { kind: 'sum', count: 4, sum: 27021597764222972n },
          { kind: 'min', value: -1 },
          { kind: 'max', value: 9007199254740991 },
        ],
      );
      assert.deepEqual(
        await results({ kind: 'min', ...t }, { kind: 'max', ...t }, { kind: 'min', ...d }, { kind: 'max', ...d }),
        [
          { kind: 'min', value: 'B' },
          { kind: 'max', value: '\u{1f600}' },
          { kind: 'min', value: '2023-01-01' },
          { kind: 'max', value: '2024-02-29' },
        ],
      );
      assert.deepEqual(
        await results(
          { kind: 'min', ...f },
          { kind: 'max', ...f },
          { kind: 'distinct', ...f },
          { kind: 'distinct', ...t },
        ),
        [
          { kind: 'min', value: false },
          { kind: 'max', value: true },
          { kind: 'distinct', values: new Set([true, false]) },
          { kind: 'distinct', values: new Set(['b', '\u{1f600}', '\uffff', 'B']) },
        ],
      );
      const [sum, numbers] = (await results({ kind: 'sum', ...x }, { kind: 'distinct', ...x })) ?? [];
      assert.ok(sum?.kind === 'sum' && sum.count === 4 && Math.abs(Number(sum.sum) - 0.3) <= 1e-12 * 2e15);
      assert.deepEqual(numbers, { kind: 'distinct', values: new Set([0.1, 0.2, -1e15, 1e15]) });
      const none = await measure(scope, {
        where: never,
        measures: [
          { kind: 'count' },
          { kind: 'sum', ...n },
          { kind: 'sum', ...x },
          { kind: 'min', ...t },
          { kind: 'distinct', ...t },
        ],
      });
      assert.deepEqual(none.groups, [
        {
          key: [],
          results: [
            { kind: 'count', count: 0 },
            { kind: 'sum', count: 0, sum: 0n },
            { kind: 'sum', count: 0, sum: 0 },
            { kind: 'min', value: undefined },
            { kind: 'distinct', values: new Set() },
          ],
        },
      ]);
    },
  },
  {
    name: 'groups by members of each type, by bounds, and by what has no value of the type',
    async run({ scope }) {
      await stock(scope, [
        ['a', '{"t":"x","n":5,"f":true}'],
        ['b', '{"t":"X","n":10,"f":false}'],
        ['c', '{"t":"x","n":9.5,"f":true}'],
        ['d', '{"t":null,"n":-3,"f":"true"}'],
        ['e', '{"n":20}'],
        ['f', '{"t":"x","n":5,"f":false}'],
      ]);
      const t = { path: ['t'], type: 'text' } as const;
      const groups = async (...group: MeasureRead['group']) => countsOf(await measure(scope, { group }));
      assert.deepEqual(await groups(t), { '["X"]': 1, '["x"]': 3, '[null]': 2 });
      assert.deepEqual(await groups({ path: ['f'], type: 'boolean' }), { '[false]': 2, '[null]': 2, '[true]': 2 });
      assert.deepEqual(await groups(n), { '[-3]': 1, '[10]': 1, '[20]': 1, '[5]': 2, '[null]': 1 });
      assert.deepEqual(await groups({ ...n, bounds: [] }), { '[0]': 5, '[null]': 1 });
      const bounded = { path: ['n'], type: 'number', bounds: [0, 5, 10] } as const;
      assert.deepEqual(await groups(bounded), { '[0]': 1, '[2]': 3, '[3]': 2 });
      assert.deepEqual(await groups({ ...t, bounds: ['X', 'Y'] }), { '[1]': 1, '[2]': 3, '[null]': 2 });
      assert.deepEqual(await groups(t, bounded), { '["X",3]': 1, '["x",2]': 3, '[null,0]': 1, '[null,3]': 1 });
      const bounds = Array.from({ length: 1000 }, (_, at) => at - 500);
      assert.deepEqual(await groups({ ...n, bounds }), { '[498]': 1, '[506]': 2, '[511]': 1, '[521]': 1, '[null]': 1 });
      assert.deepEqual((await measure(scope, { group: [t], where: never })).groups, []);
    },
  },
  {
    name: 'ends a measure by `rowsMax`, or with more groups or distinct values than `groupsMax`, and goes on from `next`',
    async run({ scope }) {
      await numbered(scope);
      const part = await measure(scope, { rowsMax: 4, measures: [{ kind: 'sum', ...n }] });
      assert.deepEqual([part.rows, part.next, part.endedBy], [4, 'k3', 'rows']);
      assert.deepEqual(part.groups[0]?.results, [{ kind: 'sum', count: 4, sum: 6n }]);
      const rest = await measure(scope, { after: 'k3', measures: [{ kind: 'sum', ...n }] });
      assert.deepEqual([rest.rows, rest.next, rest.endedBy], [6, undefined, undefined]);
      assert.deepEqual(rest.groups[0]?.results, [{ kind: 'sum', count: 6, sum: 39n }]);
      assert.equal((await measure(scope, { group: [n], groupsMax: 9 })).endedBy, 'groups');
      assert.equal((await measure(scope, { group: [n], groupsMax: 10 })).endedBy, undefined);
      const distinct = { measures: [{ kind: 'distinct', ...n }] } as const;
      assert.equal((await measure(scope, { ...distinct, groupsMax: 10 })).endedBy, 'groups');
      assert.equal((await measure(scope, { ...distinct, groupsMax: 11 })).endedBy, undefined);
    },
  },
  {
    name: 'sees one snapshot in a measure, whatever is committed beside it',
    async run({ scope }) {
      const value = (amount: number) => ({ value: JSON.stringify({ n: amount, pad: 'x'.repeat(200) }) });
      await fill(
        scope,
        Array.from({ length: 700 }, (_, at) => put('p', `k${String(at).padStart(3, '0')}`, value(1))),
      );
      const read = { measures: [{ kind: 'sum', ...n }], rowsMax: 1000 } as const;
      for (let round = 1; round <= 10; round++) {
        const moving = scope.commit([put('p', 'k000', value(1 - round)), put('p', 'k699', value(1 + round))]);
        const [found] = await Promise.all([measure(scope, read), moving]);
        assert.deepEqual(found.groups[0]?.results, [{ kind: 'sum', count: 700, sum: 700n }]);
      }
    },
  },
];
