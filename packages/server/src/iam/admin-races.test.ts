/** Two administrators remove each other, whichever call of the one the other falls before: one of them is left. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import { everyInterleaving, extentOn, type Interleaving } from '../records/testing/interleaving.ts';
import type { Store } from '../store/port.ts';
import { openForTest, raceKinds } from '../store/testing/open-test-store.ts';
import { heldPolicies } from './policies/held-policies.ts';
import { foundWorkspace, type Writer } from './testing/founded-workspace.ts';

interface Admin {
  readonly id: string;
  /** To `adminacl`. */
  readonly link: string;
}

const removals = {
  'takes the link': (by: Writer, { link }: Admin) => by.remove('useraclpolicy', link),
  'removes the person': (by: Writer, { id }: Admin) => by.remove('user', id),
  'suspends the person': (by: Writer, { id }: Admin) => by.update('user', id, { status: 'suspended' }),
};
const ways = Object.keys(removals) as readonly (keyof typeof removals)[];

for (const kind of raceKinds)
  for (const way of ways)
    for (const otherWay of ways.slice(ways.indexOf(way)))
      test(`of two admins, of whom one ${way} of the other while that one ${otherWay} of the first, one is left (${kind})`, async (context) => {
        const { store } = await openForTest(context, kind, systemClock);
        const left = new Set<string>();
        let workspaces = 0;
        await everyInterleaving(extentOn(kind), async (interleaving) => {
          const act = { interleaving, way, otherWay, tenantCode: `w${++workspaces}` };
          left.add(await meet(store, act));
        });
        assert.deepEqual([...left].sort(), ['one', 'other']);
      });

interface Meeting {
  readonly interleaving: Interleaving;
  readonly way: keyof typeof removals;
  readonly otherWay: keyof typeof removals;
  readonly tenantCode: string;
}

/** Races two removals. Returns the admin that is left of the two. */
async function meet(store: Store, { interleaving, way, otherWay, tenantCode }: Meeting): Promise<'one' | 'other'> {
  const here = await foundWorkspace(store, systemClock, tenantCode);
  const founder = here.as(here.founderId);
  const [[ownLink], [ownMembership]] = [await founder.all('useraclpolicy'), await founder.all('usergroup')];
  await founder.remove('usergroup', ownMembership?.id ?? '');
  const otherId = await here.join();
  const grant = { user_id: otherId, acl_policy_id: here.adminPolicyId };
  const one: Admin = { id: here.founderId, link: ownLink?.id ?? '' };
  const other: Admin = { id: otherId, link: await founder.create('useraclpolicy', grant) };
  const [oneStore, otherStore] = interleaving.stores(store);
  const outcomes = await interleaving.run(
    () => wasRefused(() => removals[way](here.as(one.id, oneStore), other)),
    () => wasRefused(() => removals[otherWay](here.as(other.id, otherStore), one)),
  );
  const users = (await founder.all('user')).filter(({ status }) => status === 'active');
  const held = await Promise.all(users.map(({ id }) => heldPolicies(here.workspace, id)));
  const admins = users.filter((_, index) => held[index]?.some(({ policyName }) => policyName === 'adminacl'));
  assert.equal(admins.length, 1, interleaving.name);
  const isOne = admins[0]?.id === one.id;
  assert.deepEqual(outcomes, [!isOne, isOne], interleaving.name);
  return isOne ? 'one' : 'other';
}

async function wasRefused(write: () => Promise<void>): Promise<boolean> {
  try {
    await write();
    return false;
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'last_admin') throw error;
    return true;
  }
}
