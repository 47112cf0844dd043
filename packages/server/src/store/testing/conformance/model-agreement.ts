import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Change, Conflict, type OpenedStore, type ScopeName } from '../../port.ts';
import { openMemory } from '../open-memory.ts';
import { type Subject, TestClock } from './bench.ts';

/** The arbitraries look at it too: what is due, is due around now. */
const clock = new TestClock();

/** Rejects unless an adapter gives the verdicts, numbers and contents of the model, for any run of commits. */
export async function assertAgreement(subject: Subject, numRuns: number): Promise<void> {
  const { opened, dispose } = await subject.open(clock);
  let runs = 0;
  const property = fc.asyncProperty(fc.array(stepArbitrary, { minLength: 1, maxLength: 12 }), async (steps) => {
    const run = `run#${++runs}`;
    const model = openMemory({ clock });
    for (const step of steps) {
      const [expected, actual] = await Promise.all([take(model, step, run), take(opened, step, run)]);
      assert.deepEqual(actual, expected);
      clock.advance(step.milliseconds);
      assert.deepEqual(await observe(opened, run), await observe(model, run));
    }
  });
  try {
    await fc.assert(property, { numRuns });
  } finally {
    await dispose();
  }
}

/** Commits made side by side, so that they form a group, and the time that passes after them. */
interface Step {
  readonly acts: readonly Act[];
  readonly milliseconds: number;
}

type Act =
  | { readonly kind: 'commit'; readonly scope: string; readonly changes: readonly Change[] }
  | { readonly kind: 'set-state'; readonly scope: string; readonly state: 'open' | 'closed' };

const scopeNames = ['x', 'y'];
const sortKeys = ['a', 'A', 'a#1', 'a#10', 'é', '\uffff', '😀'];

const pkArbitrary = fc.constantFrom('p', 'q');
const indexArbitrary = fc.constantFrom('index#i', 'index#j');
const skArbitrary = fc.constantFrom(...sortKeys);
const conditionArbitrary = fc.oneof(
  { weight: 4, arbitrary: fc.constant('any' as const) },
  { weight: 2, arbitrary: fc.constantFrom('absent' as const, 'present' as const) },
  { weight: 1, arbitrary: fc.record({ version: fc.nat({ max: 6 }) }) },
);
const dueArbitrary = fc.record({
  at: fc.integer({ min: -2, max: 6 }).map((offset) => clock.now() + offset),
  queue: fc.constantFrom('expire' as const, 'work' as const),
});

const changeArbitrary: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: putArbitrary() },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('put-index' as const),
      pk: indexArbitrary,
      sk: skArbitrary,
      target: fc.record({ pk: pkArbitrary, sk: skArbitrary }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('remove' as const, 'check' as const),
      pk: fc.oneof(pkArbitrary, indexArbitrary),
      sk: skArbitrary,
      if: conditionArbitrary,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record(
      {
        kind: fc.constant('add' as const),
        pk: fc.constantFrom('c', 'c', 'p'),
        sk: skArbitrary,
        by: fc.integer({ min: -3, max: 3 }),
        min: fc.integer({ min: -2, max: 0 }),
        max: fc.integer({ min: 0, max: 4 }),
      },
      { requiredKeys: ['kind', 'pk', 'sk', 'by'] },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('tally' as const),
      pk: fc.constantFrom('t', 't', 'p'),
      sk: skArbitrary,
      label: fc.constantFrom('', 'é😀'),
      by: fc
        .array(fc.bigInt({ min: -2n, max: 2n ** 60n }), { minLength: 1, maxLength: 2 })
        .map(([first = 0n, ...rest]) => [BigInt.asIntN(2, first), ...rest]),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('check-empty' as const),
      pk: fc.oneof(pkArbitrary, indexArbitrary),
      prefix: fc.constantFrom('a#', 'a#1', 'é', '😀', 'z'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('check-reads' as const),
      items: fc.array(
        fc.record({
          ...{ pk: fc.oneof(pkArbitrary, indexArbitrary), sk: skArbitrary },
          version: fc.option(fc.nat({ max: 6 }), { nil: undefined }),
        }),
        { maxLength: 1 },
      ),
      parts: fc.array(
        fc.record(
          {
            ...{ pk: fc.oneof(pkArbitrary, indexArbitrary), count: fc.nat({ max: 2 }), newest: fc.nat({ max: 6 }) },
            ...{ prefix: fc.constantFrom('a', '😀'), after: skArbitrary, before: skArbitrary },
            isCut: fc.constant(true as const),
          },
          { requiredKeys: ['pk', 'count'] },
        ),
        { maxLength: 1 },
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('append' as const), pk: fc.constant('log'), value: skArbitrary }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      pk: fc.constantFrom('told', 'told too'),
      value: skArbitrary,
      isChained: fc.constant(true as const),
    }),
  },
);

function putArbitrary(): fc.Arbitrary<Change> {
  return fc.record(
    {
      kind: fc.constant('put' as const),
      pk: pkArbitrary,
      sk: skArbitrary,
      value: fc.constantFrom('', '1', 'é😀'),
      if: conditionArbitrary,
      due: dueArbitrary,
    },
    { requiredKeys: ['kind', 'pk', 'sk', 'value', 'if'] },
  );
}

const stepArbitrary: fc.Arbitrary<Step> = fc.record({
  acts: fc.array(
    fc.oneof(
      {
        weight: 12,
        arbitrary: fc.record({
          kind: fc.constant('commit' as const),
          scope: fc.constantFrom(...scopeNames),
          changes: fc.array(changeArbitrary, { minLength: 1, maxLength: 5 }),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('set-state' as const),
          scope: fc.constantFrom(...scopeNames),
          state: fc.constantFrom('open' as const, 'open' as const, 'closed' as const),
        }),
      },
    ),
    { minLength: 1, maxLength: 6 },
  ),
  milliseconds: fc.nat({ max: 3 }),
});

async function take({ store, maintenance }: OpenedStore, { acts }: Step, run: string): Promise<readonly unknown[]> {
  const results = await Promise.allSettled(
    acts.map((act) => {
      const name = `${run}-${act.scope}`;
      return act.kind === 'commit' ? store.scope(name).commit(act.changes) : maintenance.setState(name, act.state);
    }),
  );
  return results.map((result) => (result.status === 'fulfilled' ? result.value : refusalOf(result.reason)));
}

function refusalOf(error: unknown): readonly unknown[] {
  if (error instanceof Conflict) return [error.name, error.changeIndex, error.reason];
  assert.ok(error instanceof Error);
  return [error.name];
}

/** Everything that can be seen of a run's scopes. */
async function observe({ store, maintenance }: OpenedStore, run: string): Promise<unknown> {
  const names = scopeNames.map((name) => `${run}-${name}`);
  const heads = (await maintenance.scopes(undefined, 100_000)).filter(({ name }) => names.includes(name));
  const dueItems = async (queue: 'expire' | 'work') =>
    (await maintenance.due(queue, clock.now() + 2, 100_000))
      .filter(({ scope }) => names.includes(scope))
      .map(({ scope, item }) => [item.due?.at, scope, item.pk, item.sk, item.version].join(' '))
      .sort();
  const scopes = await Promise.all(names.map((name) => observeScope({ store, maintenance }, name)));
  return { heads, scopes, expire: await dueItems('expire'), work: await dueItems('work') };
}

async function observeScope({ store, maintenance }: OpenedStore, name: ScopeName): Promise<readonly unknown[]> {
  const scope = store.scope(name);
  return Promise.all([
    maintenance.scan(name, undefined, 1000),
    scope.get(['p', 'q', 'index#i'].flatMap((pk) => sortKeys.map((sk) => ({ pk, sk })))),
    scope.range('p', { limit: 3, prefix: 'a' }),
    scope.range('q', { limit: 100, reverse: true, bytesMax: 2 }),
    scope.range('index#i', { limit: 100 }),
    scope.follow('index#i', { limit: 2 }),
    scope.follow('index#j', { limit: 100, reverse: true, after: 'A' }),
    scope.count('p', {}, 3),
    scope.count('index#j', { before: 'é' }, 100),
    scope.range('log', { limit: 100 }),
  ]);
}
