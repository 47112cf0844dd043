import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../lib/problem.ts';
import { type Change, Conflict, type Scope, ScopeClosed } from './port.ts';
import { TestClock } from './testing/conformance/bench.ts';
import { openMemory } from './testing/open-memory.ts';
import { ignoreConflict, refusedChange, transact, tryCommit } from './transact.ts';

const free: Change = { kind: 'check', pk: 'a', sk: 'free', if: 'absent' };
const taken: Change = { kind: 'check', pk: 'a', sk: 'taken', if: 'absent' };
const write: Change = { kind: 'put', pk: 'a', sk: 'written', value: '1', if: 'any' };

async function newScope(): Promise<Scope> {
  const scope = openMemory({ clock: new TestClock() }).store.scope('library');
  await scope.commit([{ kind: 'put', pk: 'a', sk: 'taken', value: '', if: 'absent' }]);
  return scope;
}

async function isWritten(scope: Scope): Promise<boolean> {
  return (await scope.get([{ pk: 'a', sk: 'written' }]))[0] !== undefined;
}

test('what others overtook is planned again, until it stands', async () => {
  const scope = await newScope();
  const refusals: number[] = [];
  let plans = 0;
  const { planned, committed } = await transact(scope, async () => {
    plans += 1;
    if (plans === 1) return 'overtaken';
    return { changes: [free, plans < 4 ? taken : write], plans, refused: (at) => void refusals.push(at) };
  });
  assert.equal(planned.plans, 4);
  assert.equal(committed?.seq, 2);
  assert.deepEqual(refusals, [1, 1]);
  assert.ok(await isWritten(scope));
});

test('a request that others overtake time and again gets that error, and has written nothing', async () => {
  const scope = await newScope();
  for (const [attemptsMax, expected] of [
    [undefined, 16],
    [3, 3],
  ] as const) {
    let plans = 0;
    const plan = async () => {
      plans += 1;
      return { changes: [write, taken] };
    };
    await assert.rejects(
      transact(scope, plan, attemptsMax === undefined ? {} : { attemptsMax }),
      new Problem('conflict', 'concurrent changes kept interfering: try again'),
    );
    assert.equal(plans, expected);
  }
  assert.equal(await isWritten(scope), false);
});

test('a refusal that is final ends it, and so does every fault that is no conflict', async () => {
  const { store, maintenance } = openMemory({ clock: new TestClock() });
  const scope = store.scope('library');
  await scope.commit([{ kind: 'put', pk: 'a', sk: 'taken', value: '', if: 'absent' }]);
  let plans = 0;
  const final = async () => {
    plans += 1;
    return {
      changes: [taken],
      refused: (): never => {
        throw new Problem('last_admin', 'no');
      },
    };
  };
  await assert.rejects(transact(scope, final), new Problem('last_admin', 'no'));
  await maintenance.setState('library', 'closed');
  const plan = async () => {
    plans += 1;
    return { changes: [write] };
  };
  await assert.rejects(transact(scope, plan), ScopeClosed);
  await assert.rejects(tryCommit(scope, [write]), ScopeClosed);
  assert.equal(plans, 2);
});

test('nothing is committed where nothing is to be done', async () => {
  const scope = await newScope();
  const { committed } = await transact(scope, async () => ({ changes: [] }));
  assert.equal(committed, undefined);
  assert.equal((await scope.commit([write])).seq, 2);
});

test('a tried commit returns whether it is stored, and what was refused', async () => {
  const scope = await newScope();
  assert.equal(await refusedChange(scope, [free, taken]), 1);
  assert.equal(await tryCommit(scope, [taken]), false);
  assert.equal(await refusedChange(scope, [free]), undefined);
  assert.equal(await tryCommit(scope, [write]), true);
  ignoreConflict(new Conflict(0, 'condition'));
  assert.throws(() => ignoreConflict(new TypeError()), TypeError);
});
