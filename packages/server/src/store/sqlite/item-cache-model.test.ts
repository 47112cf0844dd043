import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { GroupMember } from '../committing/apply-group.ts';
import { type Change, type Key, type ScopeName, Unavailable } from '../port.ts';
import { thinned } from '../testing/quick.ts';
import { ItemCache } from './item-cache.ts';
import { assertFresh, cacheBytes, type Step, stepArbitrary, stepsMax } from './testing/cache-interleavings.ts';

const numRuns = thinned(1000);

function agreement(open: () => ItemCache, endOnFailure = false): Promise<void> {
  const property = fc.asyncProperty(
    fc.array(stepArbitrary, { minLength: stepsMax / 2, maxLength: stepsMax, size: 'max' }),
    (steps) => assertFresh(open(), steps),
  );
  return fc.assert(property, { numRuns, endOnFailure });
}

test('a read through the cache gives what a read of the store gives, beside any groups of commits', async () => {
  await agreement(() => new ItemCache(cacheBytes));
});

const key: Key = { pk: 'p', sk: 'x' };
const read: Step = { kind: 'read', scope: 'a-1', keys: [key] };

function commits(...changes: readonly Change[]): Step {
  return { kind: 'start', members: [{ kind: 'commit', scope: 'a-1', changes }] };
}

/** Every list in which the steps come in their order, with or without a read before, between and behind them. */
function* withReads(steps: readonly Step[]): Generator<readonly Step[]> {
  for (let reads = 0; reads < 2 ** (steps.length + 1); reads++) {
    const isRead = (place: number) => (reads >> place) % 2 === 1;
    yield [
      ...steps.flatMap((step, place) => (isRead(place) ? [read, step] : [step])),
      ...(isRead(steps.length) ? [read] : []),
    ];
  }
}

test('a read at any point of two commits of its key, however they end, is never older than the store', async () => {
  const put: Change = { kind: 'put', ...key, value: 'first', if: 'any' };
  const seconds: readonly Change[] = [
    { kind: 'put', ...key, value: 'second', if: 'any' },
    { kind: 'put', ...key, value: 'refused', if: 'absent' },
    { kind: 'remove', ...key, if: 'present' },
    { kind: 'put', ...key, value: 'expires', if: 'any', due: { at: 1, queue: 'expire' } },
  ];
  const apply = (group: number): Step => ({ kind: 'apply', group });
  const ends = (['answer', 'refusal', 'unknown'] as const).map((end): Step => ({ kind: 'end', group: 1, end }));
  let lists = 0;
  for (const second of seconds)
    for (const end of ends)
      for (const rest of [
        [apply(1), end],
        [end, apply(1)],
        [apply(1), end, { kind: 'wait', milliseconds: 2 } as const],
      ]) {
        const steps = [commits(put), { kind: 'end', group: 0, end: 'answer' } as const, commits(second), ...rest];
        for (const list of withReads(steps)) {
          await assertFresh(new ItemCache(cacheBytes), list);
          lists += 1;
        }
      }
  assert.equal(lists, 4 * 3 * (64 + 64 + 128));
});

/** Caches with one fault each. The model is believed since it finds every one of them. */
const faulty: Readonly<Record<string, new (bytesMax: number) => ItemCache>> = {
  'drops keys when the answer arrives': class extends ItemCache {
    override async run<T>(members: readonly GroupMember[], runGroup: () => Promise<T>): Promise<T> {
      const result = await runGroup();
      await super.run(members, async () => undefined);
      return result;
    }
  },
  'keeps what is read beside a commit': class extends ItemCache {
    override async run<T>(members: readonly GroupMember[], runGroup: () => Promise<T>): Promise<T> {
      await super.run(members, async () => undefined);
      return runGroup();
    }
  },
  'goes on after a group whose outcome is unknown': class extends ItemCache {
    override run<T>(members: readonly GroupMember[], runGroup: () => Promise<T>): Promise<T> {
      return super.run(members, () => runGroup().catch(() => Promise.reject(new Unavailable('lost'))));
    }
  },
  'forgets all but the first commit of a group': class extends ItemCache {
    override run<T>(members: readonly GroupMember[], runGroup: () => Promise<T>): Promise<T> {
      return super.run(members.slice(0, 1), runGroup);
    }
  },
  'forgets what is removed': class extends ItemCache {
    override run<T>(members: readonly GroupMember[], runGroup: () => Promise<T>): Promise<T> {
      const kept = members.map((member) =>
        member.kind === 'commit'
          ? { ...member, changes: member.changes.filter(({ kind }) => kind !== 'remove') }
          : member,
      );
      return super.run(kept, runGroup);
    }
  },
  'forgets what is loaded': class extends ItemCache {
    override run<T>(members: readonly GroupMember[], runGroup: () => Promise<T>): Promise<T> {
      return super.run(
        members.filter(({ kind }) => kind !== 'load'),
        runGroup,
      );
    }
  },
  'has one space for the scopes of an owner': class extends ItemCache {
    override get(scope: ScopeName, ...rest: Parameters<ItemCache['get']> extends [unknown, ...infer R] ? R : never) {
      return super.get(scope.replace(/\d$/, '0'), ...rest);
    }
  },
  'shows what has expired': class extends ItemCache {
    override get(scope: ScopeName, keys: readonly Key[], { from }: Parameters<ItemCache['get']>[2]) {
      return super.get(scope, keys, { now: -1, from });
    }
  },
  'is twice as large as it may be': class extends ItemCache {
    constructor(bytesMax: number) {
      super(2 * bytesMax);
    }
  },
};

for (const [fault, Faulty] of Object.entries(faulty)) {
  test(`the model finds a cache that ${fault}`, async () => {
    await assert.rejects(agreement(() => new Faulty(cacheBytes), true));
  });
}
