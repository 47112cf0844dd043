/** Tests the bound of policies of a workspace, while many make the last one at once, on one node and on several. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import { everyInterleaving } from '../records/testing/interleaving.ts';
import type { PolicyBound } from '../records/writing/write-loop.ts';
import type { Store } from '../store/port.ts';
import { openForTest, roundsOn, storeKinds } from '../store/testing/open-test-store.ts';
import { foundWorkspace } from './testing/founded-workspace.ts';

const writers = 32;

function boundOf(max: number): PolicyBound {
  const exceeded = async (used: number) => new Problem('plan_limit_exceeded', 'there is no room', { used });
  return async () => ({ max, exceeded });
}

function policy(name: string) {
  return { name, statements: [{ Effect: 'Allow', Action: ['get*'], Resource: ['*'] }] };
}

async function wasLetIn(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'plan_limit_exceeded') throw error;
    return false;
  }
}

for (const kind of storeKinds) {
  for (const nodes of [1, 2, writers])
    test(`D11: of 32 who make a policy at once on ${nodes} nodes as many get in as there is room for (${kind})`, async (t) => {
      for (let round = 0; round < roundsOn(kind, 4); round++) {
        const { store } = await openForTest(t, kind, systemClock);
        const here = await foundWorkspace(store, systemClock);
        const people = Array.from({ length: nodes }, () => here.as(here.founderId, store, boundOf(5)));
        const outcomes = await Promise.allSettled(
          Array.from({ length: writers }, async (_, index) =>
            people[index % nodes]?.create('aclpolicy', policy(`p${index}`)),
          ),
        );
        const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
        assert.equal(outcomes.length - refused.length, 3);
        for (const { code, details } of refused) assert.deepEqual([code, details.used], ['plan_limit_exceeded', 5]);
        assert.equal((await here.as(here.founderId).all('aclpolicy')).length, 5);
      }
    });

  test(`of two who make the last policy, whichever call of the one the other falls before, one gets in (${kind})`, async (t) => {
    const { store } = await openForTest(t, kind, systemClock);
    const left = new Set<boolean>();
    let workspaces = 0;
    await everyInterleaving('edges', async (interleaving) => {
      const here = await foundWorkspace(store, systemClock, `w${++workspaces}`);
      const make = (on: Store, name: string) =>
        wasLetIn(here.as(here.founderId, on, boundOf(3)).create('aclpolicy', policy(name)));
      const [one, other] = interleaving.stores(store);
      const [inLeft, inRight] = await interleaving.run(
        () => make(one, 'left'),
        () => make(other, 'right'),
      );
      assert.equal(inLeft, !inRight, interleaving.name);
      assert.equal((await here.as(here.founderId).all('aclpolicy')).length, 3, interleaving.name);
      left.add(inLeft);
    });
    assert.deepEqual([...left].sort(), [false, true]);
  });

  test(`a workspace with more policies than it may have changes and loses them, and gets no more (${kind})`, async (t) => {
    const { store } = await openForTest(t, kind, systemClock);
    const here = await foundWorkspace(store, systemClock);
    const ids = await Promise.all(
      ['a', 'b', 'c'].map((name) => here.as(here.founderId).create('aclpolicy', policy(name))),
    );
    const person = here.as(here.founderId, store, boundOf(3));
    const [first = '', second = ''] = ids;
    await assert.rejects(person.create('aclpolicy', policy('d')), { code: 'plan_limit_exceeded' });
    await person.update('aclpolicy', first, policy('renamed'));
    await person.remove('aclpolicy', first);
    await assert.rejects(person.create('aclpolicy', policy('d')), { code: 'plan_limit_exceeded' });
    await person.create('group', { name: 'g', acl_policies: [second] });
  });
}
