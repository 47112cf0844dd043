/** The limits of an org's configuration, while many add the last of it at once, on one node and on several. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createConfigReader } from '../config/config-reader.ts';
import type { ConfigGate } from '../config/config-set.ts';
import { systemClock } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import { everyInterleaving } from '../records/testing/interleaving.ts';
import type { Store } from '../store/port.ts';
import { openForTest, roundsOn, type StoreKind, storeKinds } from '../store/testing/open-test-store.ts';
import type { ConfigSize } from '../tenancy/quota.ts';
import { createEntityAdmin, type EntityAdmin } from './entity-admin.ts';
import { configSize } from './entity-rows.ts';

const writers = 32;
const auditContext = { at: '', actor: { kind: 'org_user', id: 'ann' }, request_id: '' } as const;

/** Lets in what does not grow, and what there is room for. */
function gateOf(limits: Partial<ConfigSize>): ConfigGate {
  return async (_orgCode, { before, after }) => {
    for (const cap of ['entities', 'indexes'] as const)
      if (after[cap] > before[cap] && after[cap] > (limits[cap] ?? after[cap]))
        throw new Problem('plan_limit_exceeded', `there is no room for ${after[cap]} ${cap}`, { used: before[cap] });
  };
}

/** A node with caches of its own. */
function adminOn(store: Store, limits: Partial<ConfigSize>): EntityAdmin {
  const clock = systemClock;
  const configs = createConfigReader({ store, clock });
  return createEntityAdmin({ store, configs, clock, wake: () => undefined, auditContext, gate: gateOf(limits) });
}

async function sizeOf(store: Store, orgCode = 'acme'): Promise<ConfigSize> {
  return configSize(await createConfigReader({ store, clock: systemClock }).refresh(orgCode));
}

function definition(entityName: string, indexed: readonly string[] = []) {
  return { entityName, UpdateParams: ['title', ...indexed].map((name) => ({ name, index: indexed.includes(name) })) };
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

async function openStore(t: TestContext, kind: StoreKind): Promise<Store> {
  return (await openForTest(t, kind, systemClock)).store;
}

for (const kind of storeKinds) {
  for (const nodes of [1, 2, writers])
    test(`D11: of 32 who define an entity at once on ${nodes} nodes as many get in as there is room for (${kind})`, async (t) => {
      for (let round = 0; round < roundsOn(kind, 4); round++) {
        const store = await openStore(t, kind);
        const admins = Array.from({ length: nodes }, () => adminOn(store, { entities: 4 }));
        await admins[0]?.define('acme', definition('first'));
        const outcomes = await Promise.allSettled(
          Array.from({ length: writers }, async (_, index) =>
            admins[index % nodes]?.define('acme', definition(`e${index}`)),
          ),
        );
        const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
        assert.equal(outcomes.length - refused.length, 3);
        for (const { code, details } of refused) assert.deepEqual([code, details.used], ['plan_limit_exceeded', 4]);
        assert.equal((await sizeOf(store)).entities, 4);
      }
    });

  test(`of two who define the last entity, whichever call of the one the other falls before, one gets in (${kind})`, async (t) => {
    const store = await openStore(t, kind);
    const left = new Set<boolean>();
    let orgs = 0;
    await everyInterleaving('edges', async (interleaving) => {
      const org = `o${++orgs}`;
      await adminOn(store, {}).define(org, definition('first'));
      const [one, other] = interleaving.stores(store);
      const [inLeft, inRight] = await interleaving.run(
        () => wasLetIn(adminOn(one, { entities: 2 }).define(org, definition('left'))),
        () => wasLetIn(adminOn(other, { entities: 2 }).define(org, definition('right'))),
      );
      assert.equal(inLeft, !inRight, interleaving.name);
      assert.equal((await sizeOf(store, org)).entities, 2, interleaving.name);
      left.add(inLeft);
    });
    assert.deepEqual([...left].sort(), [false, true]);
  });

  test(`of two who take the last indexes, whichever call of the one the other falls before, one gets in (${kind})`, async (t) => {
    const store = await openStore(t, kind);
    const left = new Set<boolean>();
    let orgs = 0;
    await everyInterleaving('edges', async (interleaving) => {
      const org = `o${++orgs}`;
      for (const name of ['left', 'right']) await adminOn(store, {}).define(org, definition(name));
      const limits = { indexes: (await sizeOf(store, org)).indexes + 2 };
      const grow = (on: Store, name: string) =>
        wasLetIn(adminOn(on, limits).change(org, { api: `create-${name}`, body: definition(name, ['a', 'b']) }));
      const [one, other] = interleaving.stores(store);
      const [inLeft, inRight] = await interleaving.run(
        () => grow(one, 'left'),
        () => grow(other, 'right'),
      );
      assert.equal(inLeft, !inRight, interleaving.name);
      assert.deepEqual(await sizeOf(store, org), { entities: 2, ...limits }, interleaving.name);
      left.add(inLeft);
    });
    assert.deepEqual([...left].sort(), [false, true]);
  });
}

test('an index counts from when it is asked for until it is not, whatever the platform has made of it', async (t) => {
  const store = await openStore(t, 'memory');
  const admin = adminOn(store, {});
  await admin.define('acme', definition('one', ['a', 'b']));
  const declared = (await admin.show('acme', 'one')).indexes.length;
  assert.equal((await sizeOf(store)).indexes, declared);
  await admin.change('acme', {
    api: 'create-one',
    body: { ...definition('one', ['b', 'c', 'd']), removeFields: ['a'] },
  });
  assert.equal((await admin.show('acme', 'one')).indexes.length, declared + 1);
  assert.equal((await sizeOf(store)).indexes, declared + 1);
  await admin.change('acme', { api: 'create-one', body: { removeFields: ['b', 'c', 'd'] } });
  assert.equal((await sizeOf(store)).indexes, declared - 2);
});
