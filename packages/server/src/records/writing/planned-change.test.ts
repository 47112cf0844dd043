import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../../lib/problem.ts';
import { type Change, type Condition, Conflict, type Key, type Scope } from '../../store/port.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { SteppedClock } from '../../testing/record-bench.ts';
import { MergedChanges, mergeChanges, type PlannedChange } from './planned-change.ts';

const { store } = await openStore({ kind: 'memory', clock: new SteppedClock() });
let scopes = 0;

/** Of these keys the first two have an item. */
const keys: readonly Key[] = ['stands', 'stands too', 'missing', 'missing too'].map((sk) => ({ pk: 'p', sk }));
const counter: Key = { pk: 'c', sk: 'count' };

async function freshScope(): Promise<{ readonly scope: Scope; readonly version: number }> {
  const scope = store.scope(`org#acme-t${++scopes}`);
  const puts = keys.slice(0, 2).map((key): Change => ({ kind: 'put', ...key, value: 'old', if: 'absent' }));
  const { seq } = await scope.commit(puts);
  return { scope, version: seq };
}

/** The condition of a write on one key; `same` and `other` stand for the version that is there and for another. */
interface Wish {
  readonly key: number;
  readonly kind: 'put' | 'remove' | 'check';
  readonly if: 'absent' | 'present' | 'any' | 'same' | 'other';
}

const wish: fc.Arbitrary<Wish> = fc.record({
  key: fc.nat({ max: keys.length - 1 }),
  kind: fc.constantFrom('put' as const, 'remove' as const, 'check' as const),
  if: fc.constantFrom('absent' as const, 'present' as const, 'any' as const, 'same' as const, 'other' as const),
});
const write = fc.record({
  wishes: fc.uniqueArray(wish, { maxLength: 4, selector: ({ key }) => key }),
  added: fc.option(fc.integer({ min: -2, max: 2 }), { nil: undefined }),
});
const writes = fc.array(write, { minLength: 1, maxLength: 4 });
type Write = typeof write extends fc.Arbitrary<infer W> ? W : never;

function plannedOf({ wishes, added }: Write, index: number, version: number): readonly PlannedChange[] {
  const changes = wishes.map(({ key, kind, if: wanted }): Change => {
    const condition: Condition =
      wanted === 'same' ? { version } : wanted === 'other' ? { version: version + 1000 } : wanted;
    const place = keys[key] ?? counter;
    if (kind === 'put') return { kind, ...place, value: `of ${index}`, if: condition };
    return { kind, ...place, if: condition };
  });
  const more: readonly Change[] = added === undefined ? [] : [{ kind: 'add', ...counter, by: added }];
  return [...changes, ...more].map((change) => ({ change, onConflict: 'replan' }));
}

function holds({ key, if: wanted }: Wish): boolean {
  const existing = key < 2;
  if (wanted === 'any') return true;
  return wanted === 'absent' ? !existing : wanted !== 'other' && existing;
}

/** The outcome of a key that these writes name, or `undefined` where they contradict each other. */
function together(wishes: readonly Wish[]): 'put' | 'remove' | 'none' | undefined {
  const of = (kind: Wish['kind']) => wishes.filter((one) => one.kind === kind);
  const [puts, removes, checks] = [of('put'), of('remove'), of('check')];
  if (puts.length > 1) return undefined;
  if (removes.length > 1 && removes.some((one) => one.if !== 'any')) return undefined;
  if (removes.length > 0 && checks.some((one) => one.if === 'present')) return undefined;
  return puts.length > 0 ? 'put' : removes.length > 0 ? 'remove' : 'none';
}

test('writes that are merged are done together or not at all, whatever each of them names', async () => {
  const seen = { done: 0, refused: 0, contradiction: 0 };
  const property = fc.asyncProperty(writes, async (given) => {
    const { scope, version } = await freshScope();
    const outcome = await commitMerged(
      scope,
      given.map((one, index) => plannedOf(one, index, version)),
    );
    seen[outcome] += 1;
    const items = await scope.get(keys);
    const before = keys.map((_, index) => (index < 2 ? 'old' : undefined));
    if (outcome !== 'done') {
      assert.deepEqual(
        items.map((item) => item?.value),
        before,
      );
      return;
    }
    const wishes = given.flatMap((one) => one.wishes);
    for (const [index, item] of items.entries()) {
      const own = wishes.filter(({ key }) => key === index);
      const removed = own.some(({ kind }) => kind === 'remove');
      // A key that one removes another may be the first to put; every other condition is of the state before.
      for (const one of own)
        assert.ok(holds(one) || (one.kind === 'put' && one.if === 'absent' && removed), JSON.stringify(one));
      const effect = together(own);
      assert.ok(effect !== undefined, JSON.stringify(own));
      if (effect === 'put') assert.match(item?.value ?? '', /^of /);
      else assert.equal(item?.value, effect === 'remove' ? undefined : before[index]);
    }
    const added = given.filter((one) => one.added !== undefined);
    const [sum] = await scope.get([counter]);
    const total = added.reduce((whole, one) => whole + (one.added ?? 0), 0);
    assert.equal(sum?.value, added.length === 0 ? undefined : String(total));
  });
  await fc.assert(property, { numRuns: 3000 });
  for (const count of Object.values(seen)) assert.ok(count > 100, JSON.stringify(seen));
});

test('writes that do not contradict each other and whose conditions hold are done', async () => {
  const property = fc.asyncProperty(writes, async (given) => {
    const wishes = given.flatMap((one) => one.wishes);
    const areFit = keys.every((_, index) => {
      const own = wishes.filter(({ key }) => key === index);
      const [puts, removes] = [own.filter(({ kind }) => kind === 'put'), own.filter(({ kind }) => kind === 'remove')];
      // A put that takes over from a removal has no condition of its own but that.
      const isHandedOver = puts.length === 0 || removes.length === 0 || puts.every((one) => one.if === 'any');
      return together(own) !== undefined && own.every(holds) && isHandedOver;
    });
    fc.pre(areFit);
    const { scope, version } = await freshScope();
    assert.equal(
      await commitMerged(
        scope,
        given.map((one, index) => plannedOf(one, index, version)),
      ),
      'done',
    );
  });
  await fc.assert(property, { numRuns: 1000 });
});

async function commitMerged(
  scope: Scope,
  planned: readonly (readonly PlannedChange[])[],
): Promise<'done' | 'refused' | 'contradiction'> {
  try {
    const merged = new MergedChanges();
    for (const one of planned) merged.add(one);
    await scope.commit(merged.changes.map(({ change }) => change));
    return 'done';
  } catch (error) {
    if (error instanceof Problem && error.code === 'conflict') return 'contradiction';
    assert.ok(error instanceof Conflict, String(error));
    return 'refused';
  }
}

test('of two that want to be the first to take a place the second is refused as it would be alone', () => {
  const taken = () => new Problem('unique_violation', 'taken');
  const place: Change = { kind: 'put', pk: 'unique#a', sk: 'x', value: 'id', if: 'absent' };
  const merged = new MergedChanges();
  merged.add([{ change: place, onConflict: taken }]);
  const refused = (problem: Problem) => new Problem(problem.code, 'at the second operation');
  const second = () => merged.add([{ change: place, onConflict: taken }], refused);
  assert.throws(second, { code: 'unique_violation', message: 'at the second operation' });
});

test('a refusal by the commit names the write that it concerns', () => {
  const taken = () => new Problem('conflict', 'a record with the same key exists');
  const merged = new MergedChanges();
  for (const name of ['first', 'second'])
    merged.add(
      [{ change: { kind: 'put', pk: 'p', sk: name, value: '', if: 'absent' }, onConflict: taken }],
      (problem) => {
        return new Problem(problem.code, `${name}: ${problem.message}`);
      },
    );
  const messages = merged.changes.map(({ onConflict }) => (onConflict === 'replan' ? '' : onConflict().message));
  assert.deepEqual(
    messages,
    ['first', 'second'].map((name) => `${name}: a record with the same key exists`),
  );
});

test('what names no key of its own is kept as often as it is wanted', () => {
  const empty: PlannedChange = { change: { kind: 'check-empty', pk: 'index#a', prefix: 'x' }, onConflict: 'replan' };
  const append: PlannedChange = { change: { kind: 'append', pk: 'log', value: 'x' }, onConflict: 'replan' };
  assert.deepEqual(mergeChanges([empty, append, empty, append]), [empty, append, empty, append]);
});

test('keys that differ in where the partition ends are two', () => {
  const put = (pk: string, sk: string): PlannedChange => ({
    change: { kind: 'put', pk, sk, value: '', if: 'any' },
    onConflict: 'replan',
  });
  assert.equal(mergeChanges([put('a', 'b c'), put('a b', 'c'), put('ab', 'c'), put('a', 'bc')]).length, 4);
});
