import assert from 'node:assert/strict';
import { type Change, type Committed, Conflict, type Scope } from '../../port.ts';
import { add, append, type ConformanceCase, check, checkEmpty, getOne, put, putIndex, remove } from './bench.ts';

/** A broken adapter is to fail a case, not to keep it going. */
const triesMax = 1000;

const writers = Array.from({ length: 32 }, (_, index) => index);

export const concurrencyCases: readonly ConformanceCase[] = [
  {
    name: 'loses no count among 32 writers and stops all of them at the bound',
    async run({ scope }) {
      const sums: number[] = [];
      const refused = await sumUp(writers.map(() => climb(scope, sums, { by: 1, max: 100 })));
      assert.deepEqual(
        sums.toSorted((left, right) => left - right),
        Array.from({ length: 100 }, (_, index) => index + 1),
      );
      assert.equal(refused, 32);
      sums.length = 0;
      assert.equal(await sumUp(writers.map(() => climb(scope, sums, { by: -3, min: 0 }))), 32);
      assert.equal(sums.length, 33);
      assert.equal((await getOne(scope, 'c', 'n'))?.value, '1');
    },
  },
  {
    name: 'D11: lets exactly one of 64 have the last place below a bound, round after round',
    async run({ scope }) {
      for (let round = 0; round < 10; round++) {
        const count = `n${round}`;
        await scope.commit([add('c', count, 99, { max: 100 })]);
        const takers = Array.from({ length: 64 }, (_, taker) =>
          scope.commit([add('c', count, 1, { max: 100 }), put('taken', `${round}-${taker}`)]),
        );
        const refusals = (await Promise.allSettled(takers)).filter(isRefused);
        assert.equal(refusals.length, 63);
        assert.equal((await getOne(scope, 'c', count))?.value, '100');
        assert.equal(await scope.count('taken', { prefix: `${round}-` }, 100), 1);
      }
    },
  },
  {
    name: 'refuses a commit alone, whatever it is refused for and wherever it stands among those made beside it',
    async run({ scope }) {
      await scope.commit([put('p', 'taken'), add('c', 'full', 5)]);
      const refused: readonly Change[] = [
        put('p', 'taken', { if: 'absent' }),
        check('p', 'taken', { version: 7 }),
        add('c', 'full', 1, { max: 5 }),
        checkEmpty('p', 'taken'),
      ];
      for (const [round, change] of refused.entries())
        for (const place of [0, 1, 15, 31]) {
          const kept = `${round}-${place}-`;
          const commits = writers.map((writer) =>
            scope.commit([put('q', `${kept}${writer}`), ...(writer === place ? [change] : [])]),
          );
          const results = await Promise.allSettled(commits);
          assert.deepEqual(
            results.flatMap((result, writer) => (isRefused(result) ? [writer] : [])),
            [place],
          );
          const found = await scope.range('q', { prefix: kept, limit: 100 });
          const expected = writers.filter((writer) => writer !== place).map((writer) => `${kept}${writer}`);
          assert.deepEqual(found.map(({ sk }) => sk).sort(), expected.sort());
        }
    },
  },
  {
    name: 'holds each commit to what those before it have made of the key that all of them check',
    async run({ scope }) {
      const { seq } = await scope.commit([put('fence', 'key')]);
      const condition = { version: seq };
      const raise = 12;
      const results = await Promise.allSettled(
        writers.map((writer) => {
          const own = put('p', `${writer}`);
          // Others are refused for something else, and their change of the key with them.
          if (writer === 5) return scope.commit([put('fence', 'key'), check('p', 'none', 'present')]);
          if (writer === 6) return scope.commit([remove('fence', 'key'), check('p', 'none', 'present')]);
          const change = writer === raise ? put('fence', 'key', { if: condition }) : check('fence', 'key', condition);
          return scope.commit([own, change]);
        }),
      );
      const refused = results.flatMap((result, writer) => (isRefused(result) ? [writer] : []));
      assert.deepEqual(refused, [5, 6, ...writers.slice(raise + 1)]);
    },
  },
  {
    name: 'lets one of 32 writers win a key that must be absent',
    async run({ scope }) {
      for (const round of ['a', 'b', 'c']) {
        const results = await Promise.allSettled(
          writers.map((writer) => scope.commit([put('p', round, { value: String(writer), if: 'absent' })])),
        );
        const won = results.flatMap((result, writer) => (result.status === 'fulfilled' ? [String(writer)] : []));
        assert.deepEqual(won, [(await getOne(scope, 'p', round))?.value]);
      }
    },
  },
  {
    name: 'makes compare-and-swap by version lose no update',
    async run({ scope }) {
      await scope.commit([put('p', 'n', { value: '0' })]);
      await Promise.all(writers.map(() => increment(scope)));
      assert.equal((await getOne(scope, 'p', 'n'))?.value, '32');
    },
  },
  {
    name: 'gives every commit of 32 writers a number of its own, without gaps',
    async run({ scope }) {
      const rounds = writers.flatMap((writer) => [0, 1, 2].map((round) => `${writer}-${round}`));
      const commits = await Promise.all(rounds.map((sk) => scope.commit([put('p', sk), append('log', sk)])));
      assert.deepEqual(
        commits.map(({ seq }) => seq).toSorted((left, right) => left - right),
        rounds.map((_, index) => index + 1),
      );
      const seqOf = new Map(rounds.map((sk, index) => [sk, commits[index]?.seq]));
      const log = await scope.range('log', { limit: 1000 });
      assert.deepEqual(
        log.map((item) => seqOf.get(item.value)),
        rounds.map((_, index) => index + 1),
      );
      for (const item of await scope.range('p', { limit: 1000 })) assert.equal(item.version, seqOf.get(item.sk));
    },
  },
  {
    name: 'shows a commit to every read that begins after it resolved',
    async run({ scope }) {
      await Promise.all(
        writers.map(async (writer) => {
          for (let round = 0; round < 4; round++) {
            const value = `${writer}-${round}`;
            await scope.commit([put('p', String(writer), { value }), putIndex('index#i', value, 'p', String(writer))]);
            assert.equal((await getOne(scope, 'p', String(writer)))?.value, value);
            assert.equal(await scope.count('index#i', { prefix: `${writer}-` }, 100), round + 1);
          }
        }),
      );
    },
  },
  {
    name: 'reads each call from one snapshot while others write',
    async run({ scope }) {
      const keys = ['a', 'b', 'c', 'd'].map((sk) => ({ pk: 'p', sk }));
      const round = (value: string) => [
        ...keys.map(({ sk }) => put('p', sk, { value })),
        putIndex('index#i', 'first', 'p', Number(value) % 2 === 0 ? 'a' : 'b'),
        putIndex('index#i', 'second', 'p', 'c'),
      ];
      await scope.commit(round('0'));
      let isWriting = true;
      const write = async () => {
        for (let value = 1; value <= 150; value++) await scope.commit(round(String(value)));
      };
      const read = async () => {
        while (isWriting) {
          const got = await scope.get(keys);
          const ranged = await scope.range('p', { limit: 10 });
          const followed = await scope.follow('index#i', { limit: 10 });
          for (const items of [got, ranged, followed]) {
            assert.equal(new Set(items.map((item) => item?.value)).size, 1);
          }
          assert.deepEqual(
            followed.map(({ sk }) => sk),
            ['first', 'second'],
          );
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      const writing = write().finally(() => {
        isWriting = false;
      });
      await Promise.all([writing, read()]);
    },
  },
  {
    name: 'lets background commits wait for every request commit that is queued',
    async run({ scope }) {
      const background = writers.map(() => scope.commit([append('log', 'background')], { priority: 'background' }));
      const request = writers.map(() => scope.commit([append('log', 'request')], { priority: 'request' }));
      const numbers = async (commits: readonly Promise<Committed>[]) =>
        (await Promise.all(commits)).map(({ seq }) => seq);
      assert.ok(Math.max(...(await numbers(request))) < Math.min(...(await numbers(background))));
    },
  },
];

function isRefused(result: PromiseSettledResult<unknown>): result is PromiseRejectedResult {
  return result.status === 'rejected' && result.reason instanceof Conflict;
}

/** Adds until it is refused; returns how often it was. */
async function climb(
  scope: Scope,
  sums: number[],
  { by, ...bounds }: { by: number; min?: number; max?: number },
): Promise<number> {
  for (let tries = 0; tries < triesMax; tries++) {
    try {
      sums.push(...(await scope.commit([add('c', 'n', by, bounds)])).sums);
    } catch (error) {
      assert.ok(error instanceof Conflict && error.reason === 'bound', `expected a bound, got ${error}`);
      return 1;
    }
  }
  throw new Error('a bounded counter was never refused');
}

async function sumUp(counts: readonly Promise<number>[]): Promise<number> {
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

async function increment(scope: Scope): Promise<void> {
  for (let tries = 0; tries < triesMax; tries++) {
    const before = await getOne(scope, 'p', 'n');
    const change = put('p', 'n', { value: String(Number(before?.value) + 1), if: { version: before?.version ?? 0 } });
    try {
      await scope.commit([change]);
      return;
    } catch (error) {
      assert.ok(error instanceof Conflict);
    }
  }
  throw new Error('an update was refused for ever');
}
