import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition } from '../store/port.ts';
import { openStore } from '../store/testing/open-store.ts';
import { Lease, LeaseLost } from './lease.ts';

const key = { pk: 'lease', sk: 'one' };

async function place() {
  let now = 1_800_000_000_000;
  const clock = { now: () => now };
  const { store } = await openStore({ kind: 'memory', clock });
  const scope = store.scope('s');
  const terms = (node: string, renewAfter: number) => ({
    ...{ scope, clock, node, key, milliseconds: 1000, renewAfter },
    put: (leased: object, condition: Condition) => [
      { kind: 'put', ...key, value: JSON.stringify(leased), if: condition } as const,
    ],
  });
  const stored = async () => (await scope.get([key]))[0];
  const note = (sk: string) => ({ kind: 'put', pk: 'done', sk, value: '1', if: 'any' }) as const;
  const done = async () => (await scope.range('done', { limit: 10 })).map(({ sk }) => sk);
  return { terms, stored, note, done, advance: (milliseconds: number) => (now += milliseconds) };
}

test('of two nodes that found the same one takes a lease, and its commits are held to it and prolong it', async () => {
  const { terms, stored, note, done, advance } = await place();
  const first = await Lease.take(terms('a', 300), undefined);
  assert.equal(await Lease.take(terms('b', 300), undefined), undefined);
  assert.ok(first !== undefined);
  const taken = await stored();
  advance(299);
  await first.commit([note('early')]);
  assert.deepEqual(await stored(), taken);
  advance(1);
  await first.commit([note('late')]);
  assert.deepEqual(JSON.parse((await stored())?.value ?? ''), { by: 'a', until: 1_800_000_001_300 });
  assert.deepEqual(await done(), ['early', 'late']);
});

test('what is done under a lease that another node has taken is refused, whether it is checked or renewed', async () => {
  for (const renewAfter of [0, 300]) {
    const { terms, stored, note, done } = await place();
    const first = await Lease.take(terms('a', renewAfter), undefined);
    const second = await Lease.take(terms('b', renewAfter), await stored());
    assert.ok(first !== undefined && second !== undefined);
    await assert.rejects(first.commit([note('of the first')]), LeaseLost);
    await assert.rejects(first.end({ kind: 'remove', ...key, if: first.condition }), LeaseLost);
    await second.commit([note('of the second')]);
    assert.deepEqual(await done(), ['of the second']);
    assert.equal(await second.end({ kind: 'remove', ...key, if: second.condition }), true);
    assert.equal(await stored(), undefined);
  }
});
