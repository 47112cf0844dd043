import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Scope, Unavailable } from '../../store/port.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { SteppedClock } from '../../testing/record-bench.ts';
import { createNumbering, numberKey } from './numbering.ts';

const { store } = await openStore({ kind: 'memory', clock: new SteppedClock() });
let scopes = 0;
const freshScope = (): Scope => store.scope(`org#acme-t${++scopes}`);
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

test('numbers are given from 1 on, one after the other, for each request', async () => {
  const numbering = createNumbering();
  const scope = freshScope();
  const given: number[] = [];
  for (let index = 0; index < 20; index++) given.push(await numbering.next(scope, 'order', 'no'));
  assert.deepEqual(given, upTo(20));
});

test('many who ask at once, on several nodes, have a number each, and none is left out', async () => {
  const nodes = [createNumbering(), createNumbering(), createNumbering()];
  const scope = freshScope();
  const pending = upTo(90).map((index) => nodes[index % 3]?.next(scope, 'order', 'no'));
  const given = await Promise.all(pending);
  assert.deepEqual(
    given.map(Number).toSorted((a, b) => a - b),
    upTo(90),
  );
});

test('who asks in the turn in which another is answered is answered too', async () => {
  const numbering = createNumbering();
  const scope = freshScope();
  const askTwice = async (): Promise<readonly number[]> => [
    await numbering.next(scope, 'order', 'a'),
    await numbering.next(scope, 'order', 'b'),
    await numbering.next(scope, 'order', 'b'),
  ];
  const given = await Promise.all(upTo(40).flatMap(() => [askTwice(), Promise.resolve().then(askTwice)]));
  assert.equal(new Set(given.map(([a]) => a)).size, 80);
  assert.equal(new Set(given.flatMap(([, ...b]) => b)).size, 160);
});

test('fields, entities and workspaces count each for itself', async () => {
  const numbering = createNumbering();
  const [scope, other] = [freshScope(), freshScope()];
  const pending = [
    numbering.next(scope, 'order', 'no'),
    numbering.next(scope, 'order', 'other'),
    numbering.next(scope, 'orders', 'no'),
    numbering.next(other, 'order', 'no'),
  ];
  assert.deepEqual(await Promise.all(pending), [1, 1, 1, 1]);
});

test('many concurrent callers ask the store less often than once each', async () => {
  let commits = 0;
  const scope = freshScope();
  const counted: Scope = {
    ...bound(scope),
    commit: (...args) => {
      commits += 1;
      return scope.commit(...args);
    },
  };
  const numbering = createNumbering();
  await Promise.all(upTo(100).map(() => numbering.next(counted, 'order', 'no')));
  assert.equal(commits, 2);
});

test('a failure of the store reaches those who waited for it, and not those who ask later', async () => {
  let isDown = true;
  const scope = freshScope();
  const failing: Scope = {
    ...bound(scope),
    commit: (...args) => (isDown ? Promise.reject(new Unavailable('down')) : scope.commit(...args)),
  };
  const numbering = createNumbering();
  const outcomes = await Promise.allSettled(upTo(5).map(() => numbering.next(failing, 'order', 'no')));
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    upTo(5).map(() => 'rejected'),
  );
  isDown = false;
  assert.equal(await numbering.next(failing, 'order', 'no'), 1);
});

test('the counter is where the purge of an entity looks for it', async () => {
  const scope = freshScope();
  await createNumbering().next(scope, 'order', 'no');
  const [item] = await scope.get([numberKey('order', 'no')]);
  assert.equal(item?.value, '1');
});

function bound(scope: Scope): Scope {
  const { name } = scope;
  return {
    name,
    get: (keys) => scope.get(keys),
    range: (pk, read) => scope.range(pk, read),
    follow: (pk, read) => scope.follow(pk, read),
    count: (pk, range, atMost) => scope.count(pk, range, atMost),
    select: (pk, read) => scope.select(pk, read),
    measure: (pk, read) => scope.measure(pk, read),
    commit: (changes, options) => scope.commit(changes, options),
  };
}
