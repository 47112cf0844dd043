import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Problem } from '../../lib/problem.ts';
import { type HashCaller, type HashLimits, HashScheduler } from './passwords.ts';

const limits: HashLimits = {
  parallelMax: 1,
  waitingMax: 30,
  perOrgMax: 10,
  perAddressMax: 12,
  perAddressOfOrgMax: 5,
  waitMilliseconds: 10_000,
};

/** Turns of which one hash runs already, and whose hashes end when the test says so. */
function busy(change: Partial<HashLimits> = {}) {
  const turns = new HashScheduler({ ...limits, ...change });
  const served: string[] = [];
  const refused: string[] = [];
  const running: (() => void)[] = [];
  const ask = (name: string, caller: HashCaller, times = 1): void => {
    for (let time = 0; time < times; time++)
      void turns
        .run(caller, () => {
          served.push(name);
          return new Promise<void>((resolve) => running.push(resolve));
        })
        .catch(({ code, details }: Problem) => refused.push(`${name} ${code} ${details.retry_after_seconds}`));
  };
  const end = async (hashes: number): Promise<void> => {
    for (let hash = 0; hash < hashes; hash++) {
      running.shift()?.();
      await new Promise(setImmediate);
    }
  };
  ask('first', { org: 'first', ip: '192.0.2.250' });
  return { turns, served, refused, ask, end, settle: () => new Promise(setImmediate) };
}

const at = (org: string, host = 1): HashCaller => ({ org, ip: `192.0.2.${host}` });

describe('turns at hashing', () => {
  test('what has waited for ten seconds is refused, and its place is free again', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const { ask, end, settle, served, refused } = busy();
    ask('early', at('a'), 5);
    context.mock.timers.tick(9_999);
    ask('late', at('b'));
    await end(1);
    context.mock.timers.tick(1);
    await settle();
    assert.deepEqual(
      refused,
      Array.from({ length: 4 }, () => 'early rate_limited 1'),
    );
    ask('again', at('a'), 5);
    await settle();
    assert.equal(refused.length, 4);
    await end(10);
    context.mock.timers.tick(60_000);
    await settle();
    assert.equal(refused.length, 4, 'what was served is refused no more');
    assert.deepEqual(served.toSorted(), ['again', 'again', 'again', 'again', 'again', 'early', 'first', 'late']);
  });

  test('an org waits for no more than two hashes of a flood of another', async () => {
    const { ask, end, served } = busy();
    ask('flood', at('a'), 5);
    ask('flood', at('a', 2), 5);
    ask('b', at('b', 3));
    await end(3);
    assert.ok(served.includes('b'), served.join());
  });

  test('orgs take turns however much each asks for', async () => {
    const { ask, end, served } = busy();
    for (const [org, host] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ] as const)
      ask(org, at(org, host), 4);
    await end(12);
    for (const start of [1, 4, 7, 10])
      assert.deepEqual(served.slice(start, start + 3).sort(), ['a', 'b', 'c'], served.join());
  });

  test('so do the addresses within an org, and networks of builders, who are of none', async () => {
    const { ask, end, served } = busy();
    ask('flood', at('a'), 5);
    ask('other', at('a', 2));
    ask('builders', { ip: '2001:db8::1' }, 5);
    ask('builder', { ip: '2001:db8:0:1::1' });
    await end(8);
    assert.deepEqual([served.includes('other'), served.includes('builder')], [true, true], served.join());
  });

  test('an address has a part of its org and of all, counted by its network', async () => {
    const { ask, refused, settle } = busy();
    ask('a', { org: 'a', ip: '2001:db8::1' }, 4);
    ask('a', { org: 'a', ip: '2001:db8::2' }, 2);
    ask('b', { org: 'b', ip: '2001:db8::3' }, 5);
    ask('c', { org: 'c', ip: '2001:db8::4' }, 3);
    await settle();
    assert.deepEqual(refused, ['a rate_limited 1', 'c rate_limited 1']);
  });

  test('an org has a part of all that wait', async () => {
    const { ask, refused, settle } = busy();
    for (const host of [1, 2, 3]) ask('a', at('a', host), 4);
    ask('b', at('b', 9));
    await settle();
    assert.deepEqual(refused, ['a rate_limited 1', 'a rate_limited 1']);
  });

  test('where all places are taken, an org that has fewer gets one of the org with most', async () => {
    const { ask, end, refused, served, settle } = busy({ waitingMax: 10 });
    ask('a1', at('a', 1), 5);
    ask('a2', at('a', 2), 3);
    ask('b', at('b', 3), 2);
    ask('c', at('c', 4));
    await settle();
    assert.deepEqual(refused, ['a1 rate_limited 1']);
    await end(20);
    assert.deepEqual([...served].sort(), ['a1', 'a1', 'a1', 'a1', 'a2', 'a2', 'a2', 'b', 'b', 'c', 'first']);
  });

  test('if no org has more than others, the next call is refused as busy', async () => {
    const { ask, refused, settle } = busy({ waitingMax: 2 });
    ask('a', at('a', 1));
    ask('b', at('b', 2));
    ask('c', at('c', 3));
    await settle();
    assert.deepEqual(refused, ['c unavailable 1']);
  });

  test('whatever is served, refused or fails, every place is free again', async () => {
    const { ask, end, refused, turns } = busy({ waitingMax: 6 });
    for (let round = 0; round < 50; round++) {
      ask('a', at('a', 1), 5);
      ask('b', at('b', 2), 5);
      await end(12);
    }
    const fails = () => Promise.reject(new Error('no'));
    for (let round = 0; round < 5; round++) await assert.rejects(turns.run(at('a'), fails), /no/);
    refused.length = 0;
    ask('hold', at('x', 9));
    ask('a', at('a', 1), 5);
    await end(1);
    assert.deepEqual(refused, []);
  });
});
