import assert from 'node:assert/strict';
import { test } from 'node:test';
import { interceptStore } from '../intercepted-store.ts';
import { Conflict, limits, type Scope, TooLarge } from '../port.ts';
import { add, check, checkEmpty, getOne, put, remove, sortKeys, TestClock } from '../testing/conformance/bench.ts';
import { openMemory } from '../testing/open-memory.ts';
import { Overtaken, TooManyReads } from './read-set.ts';
import { TransactionScope } from './transaction-scope.ts';

function openScope(): { readonly scope: Scope; readonly calls: string[] } {
  const calls: string[] = [];
  const { store } = openMemory({ clock: new TestClock() });
  const noted = interceptStore(store, (operation, call) => {
    calls.push(operation.name);
    return call();
  });
  return { scope: noted.scope('s'), calls };
}

test('what a transaction writes is stored by its commit alone', async () => {
  const { scope } = openScope();
  await scope.commit([put('p', 'a'), put('p', 'b')]);
  const transaction = new TransactionScope(scope);
  await transaction.commit([put('p', 'c'), remove('p', 'a'), add('n', 'sum', 2)]);
  await transaction.commit([add('n', 'sum', 3), { kind: 'append', pk: 'log', value: 'x' }]);
  assert.deepEqual(await sortKeys(transaction, 'p'), ['b', 'c']);
  assert.equal((await getOne(transaction, 'n', 'sum'))?.value, '5');
  assert.deepEqual([await sortKeys(scope, 'p'), await getOne(scope, 'n', 'sum')], [['a', 'b'], undefined]);
  await scope.commit([transaction.reads, ...transaction.changes]);
  assert.deepEqual(
    [await sortKeys(scope, 'p'), await sortKeys(scope, 'log')].map(({ length }) => length),
    [2, 1],
  );
  assert.equal((await getOne(scope, 'n', 'sum'))?.value, '5');
});

test('a commit that is refused leaves the transaction as it was', async () => {
  const { scope } = openScope();
  await scope.commit([put('p', 'a')]);
  const transaction = new TransactionScope(scope);
  await transaction.commit([put('p', 'b', { value: 'own' })]);
  for (const refused of [check('p', 'b', 'absent'), put('p', 'a', { if: 'absent' })])
    await assert.rejects(transaction.commit([put('q', 'x'), refused]), Conflict);
  await assert.rejects(transaction.commit([put('p', 'b'), put('q', 'x'), checkEmpty('p')]), Conflict);
  assert.equal((await getOne(transaction, 'p', 'b'))?.value, 'own');
  assert.deepEqual(await sortKeys(transaction, 'q'), []);
});

test('what is read twice is the same twice, or the transaction is overtaken', async () => {
  const { scope } = openScope();
  await scope.commit([put('p', 'a'), put('p', 'b')]);
  const reads: readonly ((of: Scope) => Promise<unknown>)[] = [
    (of) => of.get([{ pk: 'p', sk: 'a' }]),
    (of) => of.range('p', { limit: 9 }),
    (of) => of.count('p', {}, 9),
  ];
  for (const [index, read] of reads.entries()) {
    const transaction = new TransactionScope(scope);
    await read(transaction);
    await read(transaction);
    await scope.commit([put('p', 'a'), put('p', `new${index}`)]);
    await assert.rejects(read(transaction), Overtaken);
  }
});

test('a part that was counted up to one number is counted up to another one, also where own writes hide items', async () => {
  const { scope } = openScope();
  await scope.commit(['a', 'b', 'c', 'd'].map((sk) => put('p', sk)));
  const transaction = new TransactionScope(scope);
  assert.deepEqual([await transaction.count('p', {}, 2), await transaction.count('p', {}, 3)], [2, 3]);
  await transaction.commit([remove('p', 'a')]);
  assert.deepEqual([await transaction.count('p', {}, 2), await transaction.count('p', {}, 9)], [2, 3]);
  await transaction.assertReads();
  await scope.commit([remove('p', 'c'), remove('p', 'd')]);
  await assert.rejects(transaction.assertReads(), Overtaken);
});

test('a condition that knows more than the transaction has read shows that it is overtaken', async () => {
  const { scope } = openScope();
  await scope.commit([put('fence', 'a')]);
  const transaction = new TransactionScope(scope);
  await assert.rejects(transaction.commit([check('fence', 'a', { version: 7 }), put('p', 'a')]), Conflict);
  await transaction.commit([check('fence', 'a', { version: 1 }), put('p', 'a')]);
  await scope.commit([put('fence', 'a')]);
  await assert.rejects(transaction.commit([check('fence', 'a', { version: 2 }), put('p', 'b')]), Overtaken);
});

test('what was read at once needs no check, and what was read one after the other does', async () => {
  const { scope, calls } = openScope();
  await scope.commit([put('p', 'a'), put('p', 'b')]);
  calls.length = 0;
  const transaction = new TransactionScope(scope);
  await transaction.get([
    { pk: 'p', sk: 'a' },
    { pk: 'p', sk: 'b' },
  ]);
  await transaction.assertReads();
  assert.deepEqual(calls, ['get']);
  await transaction.count('p', {}, 5);
  await transaction.assertReads();
  assert.deepEqual(calls, ['get', 'count', 'commit']);
  await scope.commit([put('p', 'c')]);
  await assert.rejects(transaction.assertReads(), Overtaken);
});

test('reads and writes have bounds', async () => {
  const { scope } = openScope();
  await scope.commit(Array.from({ length: 9 }, (_, index) => put('p', `k${index}`)));
  const reading = new TransactionScope(scope, 12);
  await reading.get(Array.from({ length: 12 }, (_, index) => ({ pk: 'p', sk: `k${index}` })));
  await assert.rejects(reading.get([{ pk: 'p', sk: 'x' }]), TooManyReads);
  await assert.rejects(new TransactionScope(scope, 12).range('p', { limit: 20 }), TooManyReads);
  const writing = new TransactionScope(scope);
  const value = 'x'.repeat(limits.valueBytesMax);
  for (const sk of ['a', 'b', 'c', 'd']) await writing.commit([put('q', sk, { value })]);
  await writing.commit([put('q', 'a', { value: '' }), put('q', 'e', { value: 'x' })]);
  await assert.rejects(writing.commit([put('q', 'f', { value })]), TooLarge);
  const many = new TransactionScope(scope);
  await many.commit(Array.from({ length: limits.changesMax - 1 }, (_, index) => put('q', `k${index}`)));
  await assert.rejects(many.commit([put('r', 'a'), put('r', 'b')]), TooLarge);
});

test('sums are not known before the commit, and have no bounds', async () => {
  const { scope } = openScope();
  const transaction = new TransactionScope(scope);
  const committed = await transaction.commit([add('n', 'sum', 1)]);
  assert.throws(() => committed.sums, TypeError);
  await assert.rejects(transaction.commit([add('n', 'sum', 1, { max: 5 })]), TypeError);
});
