/** Faults are planted into what promotion writes, and the proof of promotion has to find each. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Change, type Committed, Conflict, type Scope } from '../store/port.ts';
import { MissingBody } from './items/read-items.ts';
import {
  activate,
  blocksStaged,
  crossTwo,
  dieAtEachCall,
  publishAll,
  publishCaller,
  publishSome,
  rollback,
  staged,
  withdrawAll,
} from './testing/proof/attacks.ts';
import type { Request } from './testing/proof/model-state.ts';
import { type Step, takeAll } from './testing/proof/steps.ts';
import type { Planted } from './testing/proof/two-spaces.ts';

type Keyed = Exclude<Change, { readonly kind: 'append' | 'check-empty' | 'check-reads' }>;

function isAt(change: Change, pk: string, sk = ''): change is Keyed {
  return 'sk' in change && change.pk === pk && change.sk.startsWith(sk);
}

/** Other changes than those that were meant, in as many commits. */
function writes(tamper: (changes: readonly Change[]) => readonly (readonly Change[])[]): Planted {
  return (store) => ({
    scope: (name) => {
      const scope = store.scope(name);
      const commit: Scope['commit'] = async (changes, options) => {
        let committed: Committed | undefined;
        for (const some of tamper(changes)) committed = await scope.commit(some, options);
        return committed ?? { seq: 0, sums: [] };
      };
      return {
        name,
        get: (keys) => scope.get(keys),
        range: (pk, read) => scope.range(pk, read),
        follow: (pk, read) => scope.follow(pk, read),
        count: (pk, range, atMost) => scope.count(pk, range, atMost),
        select: (pk, read) => scope.select(pk, read),
        measure: (pk, read) => scope.measure(pk, read),
        commit,
      };
    },
    health: () => store.health(),
    close: () => store.close(),
  });
}

function each(tamper: (change: Change) => Change): Planted {
  return writes((changes) => [changes.map(tamper)]);
}

function without(isLeftOut: (change: Change, all: readonly Change[]) => boolean): Planted {
  return writes((changes) => [changes.filter((change) => !isLeftOut(change, changes))]);
}

function alteredPut(change: Change, alter: (value: Record<string, unknown>) => Record<string, unknown>): Change {
  if (change.kind !== 'put') return change;
  return { ...change, value: JSON.stringify(alter(JSON.parse(change.value) as Record<string, unknown>)) };
}

function isRelease(changes: readonly Change[]): boolean {
  return changes.some((change) => isAt(change, 'deploy;releases'));
}

function unconditional(change: Change): Change {
  return 'if' in change ? ({ ...change, if: 'any' } as Change) : change;
}

const faults: Readonly<Record<string, Planted>> = {
  'what became live stays staged': without(
    (change, all) => isRelease(all) && (isAt(change, 'deploy;staged') || change.kind === 'check-empty'),
  ),
  'a snapshot lacks an item': each((change) =>
    isAt(change, 'deploy;snapshots')
      ? alteredPut(change, (snapshot) => Object.fromEntries(Object.entries(snapshot).slice(1)))
      : change,
  ),
  'a release is noted before it is live': writes((changes) => {
    const isNoted = (change: Change): boolean => isAt(change, 'deploy;releases');
    return isRelease(changes) ? [changes.filter(isNoted), changes.filter((one) => !isNoted(one))] : [changes];
  }),
  'pointers are moved after the release': writes((changes) => {
    const isPointer = (change: Change): boolean => isAt(change, 'config;active');
    return isRelease(changes) ? [changes.filter((one) => !isPointer(one)), changes.filter(isPointer)] : [changes];
  }),
  'one of five configs is left behind': without(
    (change, all) => isRelease(all) && isAt(change, 'config;active', 'apiname#list-'),
  ),
  'publications have one number': each((change) =>
    isAt(change, 'deploy', 'publications') ? { ...change, kind: 'add', by: 0 } : change,
  ),
  'who is retired loses the records': each((change) =>
    isAt(change, 'entity')
      ? alteredPut(change, (row) => (row.state === 'retired' ? { ...row, state: 'removing' } : row))
      : change,
  ),
  'who looks up whom is forgotten': without((change) => isAt(change, 'config', 'references')),
  'an activation takes what others staged again': writes((changes) => [
    isRelease(changes)
      ? changes.map((change) => (isAt(change, 'deploy;staged') ? unconditional(change) : change))
      : changes,
  ]),
  'what is published was compared with what was live before': without(
    (change) => change.kind === 'check' && isAt(change, 'deploy', 'current'),
  ),
  'what is published does not heed what others stage': each((change) =>
    isAt(change, 'deploy', 'staging') ? unconditional(change) : change,
  ),
  'bodies that were withdrawn are live': without(
    (change, all) =>
      !isRelease(all) && (change.kind === 'check-empty' || (isAt(change, 'deploy;staged') && change.kind === 'remove')),
  ),
  'a rollback does not say what it restored': each((change) =>
    isAt(change, 'deploy;releases') ? alteredPut(change, ({ restored: _, ...release }) => release) : change,
  ),
  'a release does not say what was there before': each((change) =>
    isAt(change, 'deploy;releases')
      ? alteredPut(change, (release) => ({
          ...release,
          items: (release.items as readonly { after?: number }[]).map(({ after }) => ({ after })),
        }))
      : change,
  ),
};

/** In its short form: deaths, those pairs that conditions keep apart, and one way through all requests. */
async function prove(planted?: Planted): Promise<void> {
  const origin = await staged(planted);
  await takeAll(
    await origin.copy(),
    [activate, publishSome, rollback, publishAll, withdrawAll, rollback, activate].map(undisturbed),
  );
  await dieAtEachCall(await origin.copy(), activate);
  await crossTwo(await origin.copy(), [publishSome, activate]);
  await crossTwo(await origin.copy(), [publishAll, rollback]);
  await crossTwo(await blocksStaged(planted), [publishCaller, withdrawAll]);
}

function undisturbed(request: Request): Step {
  return { request, death: undefined };
}

test('without a planted fault the proof holds', () => prove());

for (const [fault, planted] of Object.entries(faults))
  test(`the proof finds that ${fault}`, async () => {
    // A fault that the platform finds by itself is found too.
    const found = [assert.AssertionError, MissingBody, Conflict];
    await assert.rejects(prove(planted), (error) => found.some((kind) => error instanceof kind));
  });
