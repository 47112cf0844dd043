/** Promotion is compared with sets of contents, for all orders of requests and crashes of a process. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { Steps } from '../records/testing/stepped-store.ts';
import type { Store } from '../store/port.ts';
import { openForTest, roundsOn, type StoreKind, storeKinds } from '../store/testing/open-test-store.ts';
import { SteppedClock } from '../testing/record-bench.ts';
import type { ModelState, Request } from './testing/proof/model-state.ts';
import { observe } from './testing/proof/observe.ts';
import { assertSerial, isSame, seenBy, seenOf, serialOrders, starters } from './testing/proof/race.ts';
import { edits, requests } from './testing/proof/requests.ts';
import { type Death, type Step, takeAll } from './testing/proof/steps.ts';
import { assertTruthful } from './testing/proof/truthful.ts';
import { org, TwoSpaces } from './testing/proof/two-spaces.ts';

const deaths: fc.Arbitrary<Death> = fc.record({ calls: fc.nat({ max: 25 }), when: fc.constantFrom('before', 'after') });

function steps(maxLength: number): fc.Arbitrary<readonly Step[]> {
  const death = fc.option(deaths, { nil: undefined, freq: 3 });
  const step = fc.oneof(fc.record({ edit: edits }), fc.record({ request: requests, death }));
  return fc.array(step, { maxLength, size: 'max' });
}

const runs = { memory: 40, sqlite: 16, postgres: 8 };

for (const kind of storeKinds)
  test(`whatever is published, activated and gone back from, and wherever it dies, production is one of the requested sets, and its history says so (${kind})`, async (context) => {
    const property = fc.asyncProperty(steps(30), async (all) => {
      await takeAll(await openSpaces(context, kind), all);
    });
    await fc.assert(property, { numRuns: roundsOn(kind, runs[kind]) });
  });

async function openSpaces(context: TestContext, kind: StoreKind): Promise<TwoSpaces> {
  const clock = new SteppedClock();
  const open = () => openForTest(context, kind, clock);
  return new TwoSpaces({ test: await open(), prod: await open() }, clock);
}

test('of two who ask for something at once, with each order of their calls, it is as if one had asked after the other; a concurrent reader sees one configuration', async () => {
  const turns = fc.array(fc.nat({ max: 20 }), { minLength: 20, maxLength: 100 });
  const property = fc.asyncProperty(
    steps(12),
    fc.array(fc.tuple(requests, requests), { minLength: 1, maxLength: 4 }),
    turns,
    async (all, pairs, order) => {
      const spaces = await TwoSpaces.inMemory();
      let model = await takeAll(spaces, all);
      let turn = 0;
      for (const pair of pairs) {
        await meet(spaces, { model, pair, choose: (waiting) => (order[turn++ % order.length] ?? 0) % waiting });
        model = await observe(spaces);
        await assertTruthful(spaces, model);
      }
    },
  );
  await fc.assert(property, { numRuns: roundsOn('memory', 60) });
});

interface Meeting {
  readonly model: ModelState;
  readonly pair: readonly [Request, Request];
  readonly choose: (waiting: number) => number;
}

async function meet(spaces: TwoSpaces, { model, pair, choose }: Meeting): Promise<void> {
  const turns = new Steps();
  const prod = turns.store(spaces.stores.prod);
  const race = { spaces, requests: pair, prod: [prod, prod] } as const;
  const [one, other] = starters(race);
  let isBusy = true;
  const both = Promise.all([one(), other()]).finally(() => {
    isBusy = false;
  });
  const allowed = serialOrders(model, pair).flatMap(({ live }) => live.map(seenOf));
  const reading = read(spaces, prod, { isBusy: () => isBusy, allowed });
  await turns.run(Promise.all([both, reading]), choose);
  await assertSerial(race, model, await both);
}

interface Reading {
  readonly isBusy: () => boolean;
  readonly allowed: readonly ReadonlyMap<string, string>[];
}

/** A request that takes its time, and then another one. */
async function read(spaces: TwoSpaces, prod: Store, { isBusy, allowed }: Reading): Promise<void> {
  const { configs } = spaces.node({ test: spaces.stores.test, prod });
  while (isBusy()) {
    const seen = await seenBy(prod, await configs.prod.refresh(org));
    assert.ok(
      allowed.some((one) => isSame(one, seen)),
      `a reader saw what never was: ${[...seen].join()}`,
    );
  }
}
