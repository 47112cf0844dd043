import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../lib/problem.ts';
import { longReadTurns } from './long-read-turns.ts';

const of = (owner: string, pk = 'data#r') => ({ owner, pk });

test('an owner has one turn at a time, twenty wait in their order, and the next one is refused', async () => {
  const turns = longReadTurns(Number.POSITIVE_INFINITY);
  const done: number[] = [];
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const use = (index: number, signal?: AbortSignal) =>
    turns.run(
      of('org'),
      async () => {
        await gate;
        done.push(index);
      },
      signal,
    );
  const pending = Array.from({ length: 20 }, (_, index) => use(index));
  const reason = new Error('the caller left');
  const controller = new AbortController();
  const leaving = assert.rejects(use(20, controller.signal), reason);
  await assert.rejects(use(21), {
    code: 'unavailable',
    message: 'at most 20 long reads of an org wait at a time: try again in a moment',
  });
  assert.equal(await turns.run(of('other'), async () => 'at once'), 'at once');
  controller.abort(reason);
  await leaving;
  pending.push(use(22));
  open();
  await Promise.all(pending);
  assert.deepEqual(done, [...Array(20).keys(), 22]);
});

test('of all owners 200 reads are taken, and a read that ends, or whose caller leaves, makes room for another', async () => {
  const turns = longReadTurns(2);
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const reason = new Error('the caller left');
  const controllers = Array.from({ length: 200 }, () => new AbortController());
  const taken = controllers.map(({ signal }, index) => turns.run(of(`org${index % 100}`), () => gate, signal));
  const refused = (owner: string) =>
    assert.rejects(
      turns.run(of(owner), async () => undefined),
      (error) =>
        error instanceof Problem &&
        error.code === 'unavailable' &&
        /at most 200 long reads .* try again/.test(error.message),
    );
  await refused('other');
  controllers[199]?.abort(reason);
  await assert.rejects(taken.pop() ?? Promise.resolve(), reason);
  const other = turns.run(of('other'), async () => 'in its turn');
  await refused('another');
  open();
  await Promise.all(taken);
  assert.equal(await other, 'in its turn');
  assert.equal(await turns.run(of('another'), async () => 'at once'), 'at once');
});

test('from 100 reads on an owner has two, so that a few busy owners leave room for others', async () => {
  const turns = longReadTurns(2);
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const taken = Array.from({ length: 100 }, (_, index) => turns.run(of(`busy${index % 5}`), () => gate));
  await assert.rejects(
    turns.run(of('busy0'), () => gate),
    { code: 'unavailable' },
  );
  for (let at = 0; at < 100; at++) taken.push(turns.run(of(`other${at % 50}`), () => gate));
  await assert.rejects(
    turns.run(of('other'), () => gate),
    { code: 'unavailable' },
  );
  open();
  await Promise.all(taken);
});

test('a read of an index whose turn comes after two seconds is refused, and others are done', async () => {
  let now = 0;
  const turns = longReadTurns(2, () => now);
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const inTime = async (assertInTime: () => void) => {
    assertInTime();
    return 'in time';
  };
  const first = turns.run(of('org'), () => gate);
  const late = assert.rejects(turns.run(of('org', 'index#r'), inTime), {
    code: 'unavailable',
    message: 'the turn of a long read came too late: try again in a moment',
  });
  const ofRecords = turns.run(of('org'), inTime);
  now = 2001;
  const next = turns.run(of('org', 'index#r'), inTime);
  open();
  await Promise.all([first, late]);
  assert.deepEqual(await Promise.all([ofRecords, next]), ['in time', 'in time']);
  assert.equal(await turns.run(of('org'), async () => 'at once'), 'at once');
});
