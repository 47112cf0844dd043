import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Change, Condition, Item, Range, RangeRead, Scope } from '../../../port.ts';
import { Conflict } from '../../../port.ts';
import { Overtaken } from '../../../transaction/read-set.ts';
import { TransactionScope } from '../../../transaction/transaction-scope.ts';
import {
  add,
  type Bench,
  type ConformanceCase,
  check,
  checkEmpty,
  contents,
  put,
  putIndex,
  remove,
  tally,
} from '../bench.ts';
import { SerialScope } from './serial-scope.ts';

/** Of transactions that one workload has beside each other. */
const clientsMax = 6;
/** A broken adapter is to fail a case, not to keep it going. */
const attemptsMax = 200;

type Step =
  | { readonly kind: 'get'; readonly sks: readonly string[] }
  | { readonly kind: 'range'; readonly pk: string; readonly read: RangeRead }
  | { readonly kind: 'follow'; readonly read: RangeRead }
  | { readonly kind: 'count'; readonly pk: string; readonly range: Range; readonly atMost: number }
  | { readonly kind: 'commit'; readonly changes: readonly Planned[] };

/** A change whose value, and whether it is made, depends on what was read. */
interface Planned {
  readonly change: Change;
  readonly isOnlyIfOdd: boolean;
}

type Program = readonly Step[];

/** One client's programs in sequence. `isPlain`: without a transaction, in a commit of its own for each step. */
interface Client {
  readonly programs: readonly Program[];
  readonly pauses: readonly number[];
  readonly isPlain: boolean;
}

const sks = ['a', 'a1', 'b', 'b1', 'c'];
const skArbitrary = fc.constantFrom(...sks);
const pkArbitrary = fc.constantFrom('p', 'index#i');
const rangeArbitrary: fc.Arbitrary<Range> = fc.record(
  { prefix: fc.constantFrom('a', 'b'), after: skArbitrary, before: skArbitrary, reverse: fc.boolean() },
  { requiredKeys: [] },
);
const readArbitrary: fc.Arbitrary<RangeRead> = fc
  .tuple(rangeArbitrary, fc.constantFrom(1, 2, 9), fc.constantFrom(undefined, undefined, 0, 2))
  .map(([range, limit, bytesMax]) => ({ ...range, limit, ...(bytesMax === undefined ? {} : { bytesMax }) }));
const conditionArbitrary: fc.Arbitrary<Condition> = fc.constantFrom('any', 'any', 'any', 'absent', 'present');

const changeArbitrary: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(skArbitrary, conditionArbitrary).map(([sk, condition]) => put('p', sk, { if: condition })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(skArbitrary, conditionArbitrary).map(([sk, condition]) => remove('p', sk, condition)),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(skArbitrary, skArbitrary).map(([sk, target]) => putIndex('index#i', sk, 'p', target)),
  },
  { weight: 1, arbitrary: skArbitrary.map((sk) => remove('index#i', sk, 'any')) },
  { weight: 1, arbitrary: fc.constantFrom(1, 2).map((by) => add('n', 'sum', by)) },
  { weight: 1, arbitrary: fc.constantFrom(1, -1).map((by) => tally('t', 'row', by, 3 * by)) },
  { weight: 1, arbitrary: skArbitrary.map((sk) => check('p', sk, 'absent')) },
  { weight: 1, arbitrary: fc.constantFrom('a', 'b', 'c').map((prefix) => checkEmpty('p', prefix)) },
);

const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('get' as const),
      sks: fc.array(skArbitrary, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('range' as const), pk: pkArbitrary, read: readArbitrary }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('follow' as const), read: readArbitrary }) },
  {
    weight: 2,
    arbitrary: fc.record({
      ...{ kind: fc.constant('count' as const), pk: pkArbitrary, range: rangeArbitrary },
      atMost: fc.constantFrom(0, 1, 2, 9),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      changes: fc.uniqueArray(fc.record({ change: changeArbitrary, isOnlyIfOdd: fc.boolean() }), {
        ...{ minLength: 1, maxLength: 3 },
        selector: ({ change }) => ('sk' in change ? `${change.pk} ${change.sk}` : change.kind),
      }),
    }),
  },
);

const clientArbitrary: fc.Arbitrary<Client> = fc.record({
  programs: fc.array(fc.array(stepArbitrary, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
  pauses: fc.array(fc.nat({ max: 2 }), { minLength: 1, maxLength: 7 }),
  isPlain: fc.boolean(),
});

/** The outcome of a program, and at which place among the commits. */
interface Done {
  readonly seq: number;
  /** Whether the commit is its own, or the commit before it. */
  readonly hasWritten: boolean;
  readonly program: Program;
  readonly seen: readonly unknown[];
}

export const transactionCases: readonly ConformanceCase[] = [
  {
    name: 'lets transactions that meet read and write as if they came one after the other',
    async run(bench) {
      const workload = fc.array(clientArbitrary, { minLength: 2, maxLength: clientsMax });
      const property = fc.asyncProperty(workload, (clients) => assertSerial(bench, clients));
      // The clashes differ from run to run, so a smaller workload that fails would tell no more.
      await fc.assert(property, { numRuns: 40, endOnFailure: true });
    },
  },
];

async function assertSerial(bench: Bench, clients: readonly Client[]): Promise<void> {
  const scope = bench.store.scope(bench.freshName());
  const done = (await Promise.all(clients.map((client) => work(scope, client)))).flat();
  const serial = new SerialScope();
  const order = done.toSorted(
    (left, right) => left.seq - right.seq || Number(right.hasWritten) - Number(left.hasWritten),
  );
  for (const { seq, program, seen } of order) {
    assert.deepEqual(await run(serial, program, async () => {}), seen, `commit ${seq}`);
    serial.settle(seq);
  }
  const sorted = (items: readonly Item[]) => items.map((item) => JSON.stringify([item.pk, item.sk, item])).sort();
  assert.deepEqual(sorted(await contents(bench, scope)), sorted(serial.items));
}

async function work(scope: Scope, { programs, pauses, isPlain }: Client): Promise<readonly Done[]> {
  const done: Done[] = [];
  let turn = 0;
  const pause = async (): Promise<void> => {
    for (let left = pauses[turn++ % pauses.length] ?? 0; left > 0; left--)
      await new Promise((resolve) => setImmediate(resolve));
  };
  for (const program of programs)
    if (!isPlain) done.push(await transact(scope, program, pause));
    else for (const step of program) if (step.kind === 'commit') done.push(...(await commitAlone(scope, step, pause)));
  return done;
}

async function transact(scope: Scope, program: Program, pause: () => Promise<void>): Promise<Done> {
  for (let attempts = 0; attempts < attemptsMax; attempts++) {
    try {
      const transaction = new TransactionScope(scope);
      const seen = await run(transaction, program, pause);
      const { changes, reads } = transaction;
      await pause();
      const { seq } = await scope.commit([reads, ...changes]);
      return { seq, hasWritten: changes.length > 0, program, seen };
    } catch (error) {
      if (!(error instanceof Overtaken) && !(error instanceof Conflict)) throw error;
    }
  }
  throw new Error(`a transaction was overtaken ${attemptsMax} times`);
}

/** Nothing where it was refused. */
async function commitAlone(
  scope: Scope,
  step: Step & { kind: 'commit' },
  pause: () => Promise<void>,
): Promise<readonly Done[]> {
  await pause();
  try {
    const { seq } = await scope.commit(changesOf(step, []));
    return [{ seq, hasWritten: true, program: [step], seen: ['done'] }];
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    return [];
  }
}

/** The reads of a program. What it writes follows from that. */
async function run(scope: Scope, program: Program, pause: () => Promise<void>): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  for (const step of program) {
    await pause();
    seen.push(await take(scope, step, seen));
  }
  return seen;
}

async function take(scope: Scope, step: Step, seen: readonly unknown[]): Promise<unknown> {
  switch (step.kind) {
    case 'get':
      return scope.get(
        [...step.sks.map((sk) => ({ pk: 'p', sk })), { pk: 'index#i', sk: 'a' }, { pk: 'n', sk: 'sum' }].slice(0, 4),
      );
    case 'range':
      return scope.range(step.pk, step.read);
    case 'follow':
      return scope.follow('index#i', step.read);
    case 'count':
      return scope.count(step.pk, step.range, step.atMost);
    case 'commit':
      return scope.commit(changesOf(step, seen)).then(
        () => 'done',
        (error: unknown) => {
          if (error instanceof Conflict) return [error.changeIndex, error.reason];
          throw error;
        },
      );
  }
}

/** Which of the changes are made, and with which values, follows from what was seen. */
function changesOf({ changes }: Step & { kind: 'commit' }, seen: readonly unknown[]): readonly Change[] {
  const { length } = JSON.stringify(seen);
  const made = changes.filter(({ isOnlyIfOdd }) => length % 2 === 1 || !isOnlyIfOdd).map(({ change }) => change);
  return made.map((change) => (change.kind === 'put' ? { ...change, value: String(length % 7) } : change));
}
