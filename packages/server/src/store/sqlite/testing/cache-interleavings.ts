/** Runs of reads and commits through a cache, on a store whose steps a test takes one by one. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { GroupMember } from '../../committing/apply-group.ts';
import { type Change, type Key, OutcomeUnknown, type ScopeName, Unavailable } from '../../port.ts';
import { MemoryEngine } from '../../testing/open-memory.ts';
import type { ItemCache } from '../item-cache.ts';

export const cacheBytes = 2500;

/** The way a group of commits ends. After `unknown` it may take effect at any later step. */
type End = 'answer' | 'refusal' | 'unknown';

export type Step =
  | { readonly kind: 'read'; readonly scope: ScopeName; readonly keys: readonly Key[] }
  | { readonly kind: 'start'; readonly members: readonly GroupMember[] }
  /** The group takes effect. */
  | { readonly kind: 'apply'; readonly group: number }
  | { readonly kind: 'end'; readonly group: number; readonly end: End }
  | { readonly kind: 'wait'; readonly milliseconds: number };

interface Group {
  readonly members: readonly GroupMember[];
  readonly whenRun: PromiseWithResolvers<void>;
  readonly ended: Promise<unknown>;
  isApplied: boolean;
  isEnded: boolean;
  isLost: boolean;
}

export const stepsMax = 120;

/** Rejects where a read through the cache gives anything else than a read of the store does at that moment. */
export async function assertFresh(cache: ItemCache, steps: readonly Step[]): Promise<void> {
  const run = new CacheRun(cache);
  for (const step of steps) {
    await run.take(step);
    assert.ok(cache.bytes >= 0 && cache.bytes <= cacheBytes, `a cache takes ${cache.bytes} bytes`);
  }
  await run.end();
}

class CacheRun {
  readonly #cache: ItemCache;
  readonly #store = new MemoryEngine();
  readonly #groups: Group[] = [];
  #now = 0;

  constructor(cache: ItemCache) {
    this.#cache = cache;
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'read':
        return this.#read(step.scope, step.keys);
      case 'start':
        return this.#start(step.members);
      case 'apply':
        return this.#apply(this.#groupAt(step.group));
      case 'end':
        return this.#end(this.#groupAt(step.group), step.end);
      case 'wait':
        this.#now += step.milliseconds;
    }
  }

  async end(): Promise<void> {
    for (const group of this.#groups) await this.#end(group, 'answer');
  }

  #groupAt(position: number): Group | undefined {
    return this.#groups[position % Math.max(1, this.#groups.length)];
  }

  #read(scope: ScopeName, keys: readonly Key[]): void {
    const from = (missing: readonly Key[]) => this.#store.get(scope, missing, this.#now);
    assert.deepEqual(this.#cache.get(scope, keys, { now: this.#now, from }), from(keys));
  }

  #start(members: readonly GroupMember[]): void {
    const whenRun = Promise.withResolvers<void>();
    const ended = this.#cache.run(members, () => whenRun.promise).catch(() => undefined);
    this.#groups.push({ members, whenRun, ended, isApplied: false, isEnded: false, isLost: false });
  }

  async #apply(group: Group | undefined): Promise<void> {
    if (group === undefined || group.isApplied || (group.isEnded && !group.isLost)) return;
    group.isApplied = true;
    await this.#store.runGroup(group.members, this.#now);
  }

  async #end(group: Group | undefined, end: End): Promise<void> {
    if (group === undefined || group.isEnded) return;
    // A store answers what has taken effect, and refuses what has not.
    if (end === 'answer') await this.#apply(group);
    const isRefused = end === 'refusal' && !group.isApplied;
    group.isEnded = true;
    group.isLost = end !== 'answer' && !isRefused;
    if (isRefused) group.whenRun.reject(new Unavailable('full'));
    else if (group.isLost) group.whenRun.reject(new OutcomeUnknown('lost'));
    else group.whenRun.resolve();
    await group.ended;
  }
}

const scopes = ['a-1', 'a-2', 'b-1'];
const keys: readonly Key[] = [
  { pk: 'p', sk: 'x' },
  { pk: 'p', sk: 'y' },
  { pk: 'q', sk: 'x' },
];
/** Where the first appends to a partition are written. */
const appended: readonly Key[] = [1, 2].map((seq) => ({ pk: 'p', sk: `${String(seq).padStart(16, '0')}-0000` }));

const scopeArbitrary = fc.constantFrom(...scopes);
const keyArbitrary = fc.constantFrom(...keys);
const conditionArbitrary = fc.constantFrom('any' as const, 'any' as const, 'present' as const, 'absent' as const);

const changeArbitrary: fc.Arbitrary<Change> = fc.oneof(
  fc
    .record({
      key: keyArbitrary,
      value: fc
        .tuple(fc.constantFrom('1', 'é', '😀'), fc.constantFrom(1, 300, 500))
        .map(([unit, times]) => unit.repeat(times)),
      if: conditionArbitrary,
      at: fc.option(fc.nat({ max: 6 }), { nil: undefined }),
    })
    .map(({ key, value, if: condition, at }): Change => {
      const put = { kind: 'put' as const, ...key, value, if: condition };
      return at === undefined ? put : { ...put, due: { at, queue: 'expire' } };
    }),
  fc.record({ key: keyArbitrary, if: conditionArbitrary }).map(({ key, if: condition }): Change => {
    return { kind: 'remove', ...key, if: condition };
  }),
  keyArbitrary.map(({ sk }): Change => ({ kind: 'add', pk: 'counter', sk, by: 1, max: 3 })),
  fc.constant<Change>({ kind: 'append', pk: 'p', value: 'appended' }),
  fc.constant<Change>({ kind: 'append', pk: 'log', value: 'linked', isChained: true }),
);

const memberArbitrary: fc.Arbitrary<GroupMember> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      scope: scopeArbitrary,
      changes: fc.array(changeArbitrary, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ scope: scopeArbitrary, key: keyArbitrary }).map(({ scope, key }): GroupMember => {
      const items = [{ ...key, version: 7, value: 'loaded' }];
      return { kind: 'load', scope, head: { seq: 7, state: 'open' }, items };
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('set-state' as const),
      scope: scopeArbitrary,
      state: fc.constantFrom('open' as const, 'closed' as const),
    }),
  },
);

const readKeyArbitrary = fc.oneof(
  { weight: 8, arbitrary: keyArbitrary },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...appended,
      { pk: 'counter', sk: 'x' },
      { pk: 'chain', sk: 'log' },
      // As a key of another place reads where its parts are joined carelessly.
      { pk: 'p\0x', sk: 'y' },
    ),
  },
);

const groupNumber = fc.nat({ max: 11 });

export const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      scope: scopeArbitrary,
      keys: fc.array(readKeyArbitrary, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('start' as const),
      members: fc.array(memberArbitrary, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('apply' as const), group: groupNumber }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      group: groupNumber,
      end: fc.oneof(
        { weight: 20, arbitrary: fc.constant('answer' as const) },
        { weight: 4, arbitrary: fc.constant('refusal' as const) },
        { weight: 1, arbitrary: fc.constant('unknown' as const) },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), milliseconds: fc.nat({ max: 4 }) }) },
);
