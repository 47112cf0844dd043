import assert from 'node:assert/strict';
import { chainHeadKey, linkDigest, noChain, readHead, readLink } from '../../chain.ts';
import type { Append, Scope } from '../../port.ts';
import { append, type Bench, type ConformanceCase, check, contents, put } from './bench.ts';
import { assertConflict } from './commit-cases.ts';

export const chainCases: readonly ConformanceCase[] = [
  {
    name: 'chains what is appended to one partition, also twice by one commit, and leaves other partitions alone',
    async run({ scope }) {
      await scope.commit([chained('log', 'a'), append('plain', 'x'), chained('log', 'b'), chained('other', 'c')]);
      await scope.commit([chained('log', 'd')]);
      assert.deepEqual(await readChain(scope, 'log'), ['a', 'b', 'd']);
      assert.deepEqual(await readChain(scope, 'other'), ['c']);
      assert.deepEqual(
        (await scope.range('plain', { limit: 9 })).map(({ value }) => value),
        ['x'],
      );
    },
  },
  {
    name: 'keeps one unbroken chain among 32 writers, those included that are refused',
    async run({ scope }) {
      await scope.commit([put('p', 'taken')]);
      const writes = Array.from({ length: 32 }, async (_, writer) => {
        for (let turn = 0; turn < 5; turn++) await scope.commit([chained('log', `${writer}-${turn}`)]);
        await assertConflict(scope.commit([chained('log', 'refused'), check('p', 'taken', 'absent')]), 1, 'condition');
      });
      await Promise.all(writes);
      const texts = await readChain(scope, 'log');
      assert.equal(new Set(texts).size, 160);
      assert.ok(!texts.includes('refused'));
    },
  },
  {
    name: 'goes on with a chain after it was opened again',
    needs: 'reopen',
    async run(bench) {
      await bench.scope.commit([chained('log', 'a')]);
      const scope = (await bench.reopen()).store.scope(bench.scope.name);
      await scope.commit([chained('log', 'b')]);
      assert.deepEqual(await readChain(scope, 'log'), ['a', 'b']);
    },
  },
  {
    name: 'refuses commits that would write the head of a chain',
    async run(bench) {
      await bench.scope.commit([chained('log', 'a')]);
      const before = await contents(bench, bench.scope);
      const key = chainHeadKey('log');
      await assert.rejects(bench.scope.commit([put(key.pk, key.sk)]), TypeError);
      await assert.rejects(bench.scope.commit([{ kind: 'remove', ...key, if: 'any' }]), TypeError);
      await assert.rejects(bench.scope.commit([{ kind: 'add', ...key, by: 1 }]), TypeError);
      assert.deepEqual(await contents(bench, bench.scope), before);
    },
  },
  {
    name: 'goes on with a chain that was loaded',
    async run(bench) {
      await bench.scope.commit([chained('log', 'a'), chained('log', 'b')]);
      const items = await contents(bench, bench.scope);
      const head = (await bench.maintenance.scopes(undefined, 1000)).find(({ name }) => name === bench.scope.name);
      assert.ok(head !== undefined);
      await bench.maintenance.load({ ...head, seq: 7 }, items);
      await bench.scope.commit([chained('log', 'c')]);
      assert.deepEqual(await readChain(bench.scope, 'log'), ['a', 'b', 'c']);
    },
  },
];

function chained(pk: string, value: string): Append {
  return { ...append(pk, value), isChained: true };
}

/** The texts of a chain, once every digest and the head are what they have to be. */
async function readChain(scope: Bench['scope'], pk: string): Promise<readonly string[]> {
  let { count, digest } = noChain;
  const texts: string[] = [];
  for (const item of await scope.range(pk, { limit: 1000 })) {
    const link = readLink(item);
    assert.ok(link !== undefined, `\`${item.value}\` is a link`);
    digest = linkDigest(digest, { scope: scope.name, pk, sk: item.sk, text: link.text });
    assert.equal(link.digest, digest);
    count++;
    texts.push(link.text);
  }
  assert.deepEqual(await headOf(scope, pk), { count, digest });
  return texts;
}

async function headOf(scope: Scope, pk: string): Promise<ReturnType<typeof readHead>> {
  const [head] = await scope.get([chainHeadKey(pk)]);
  return readHead(head?.value ?? '');
}
