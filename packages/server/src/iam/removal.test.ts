import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import { openStore } from '../store/open-store.ts';
import { Conflict } from '../store/port.ts';
import { stopTime } from '../testing/held-time.ts';
import { linksPerUserMax } from './members/links.ts';
import { heldPolicies, recordKey } from './policies/held-policies.ts';
import { linksReleasedMax } from './rules/release-links.ts';
import { type FoundedWorkspace, foundWorkspace, type Writer } from './testing/founded-workspace.ts';

interface Fixture extends FoundedWorkspace {
  readonly founder: Writer;
  policy(): Promise<string>;
  refused(code: string, write: () => Promise<unknown>): Promise<void>;
}

async function fixture(): Promise<Fixture> {
  const { store } = await openStore({ kind: 'memory', clock: systemClock });
  const founded = await foundWorkspace(store, systemClock);
  const founder = founded.as(founded.founderId);
  return {
    ...founded,
    founder,
    policy: () => founder.create('aclpolicy', { name: `policy ${founded.newId()}`, statements: [] }),
    refused: async (code, write) => {
      const before = await founded.everything();
      await assert.rejects(write, (error) => error instanceof Problem && error.code === code);
      assert.equal(await founded.everything(), before);
    },
  };
}

/** The ids that links and groups name, of policies, groups and persons that are not there. */
async function danglingIds({ founder }: FoundedWorkspace & { readonly founder: Writer }): Promise<readonly string[]> {
  const ids = async (entity: string) => (await founder.all(entity)).map(({ id }) => id);
  const there = new Set((await Promise.all(['aclpolicy', 'group', 'user'].map(ids))).flat());
  const links = [...(await founder.all('useraclpolicy')), ...(await founder.all('usergroup'))];
  const named = links.flatMap((link) => [link.user_id, link.acl_policy_id ?? link.group_id].map(String));
  const grouped = (await founder.all('group')).flatMap(({ acl_policies }) => acl_policies as readonly string[]);
  return [...named, ...grouped].filter((id) => !there.has(id));
}

test('a removed policy takes its links along, and they can be made again to another', async () => {
  const here = await fixture();
  const { founder, join, policy, workspace } = here;
  const [going, staying] = [await policy(), await policy()];
  const users = [await join(), await join(), await join()];
  for (const user_id of users)
    for (const acl_policy_id of [going, staying]) await founder.create('useraclpolicy', { user_id, acl_policy_id });
  await founder.remove('aclpolicy', going);
  assert.deepEqual(await danglingIds(here), []);
  for (const user_id of users) {
    const held = await heldPolicies(workspace, user_id);
    assert.deepEqual(
      held.map(({ policyId }) => policyId),
      [staying],
    );
  }
  const [counter] = await workspace.scope.get([{ pk: 'count', sk: 'useraclpolicy' }]);
  assert.equal(Number(counter?.value), (await founder.all('useraclpolicy')).length);
  assert.equal((await workspace.scope.range('unique#useraclpolicy;user_id,acl_policy_id@0', { limit: 100 })).length, 4);
});

test('a removed group takes the links of its members along, and leaves its policies', async () => {
  const here = await fixture();
  const { founder, join, policy, workspace } = here;
  const held = await policy();
  const group = await founder.create('group', { name: 'staff', acl_policies: [held] });
  for (const user_id of [await join(), await join()]) await founder.create('usergroup', { user_id, group_id: group });
  await founder.remove('group', group);
  assert.deepEqual(await danglingIds(here), []);
  const [counter] = await workspace.scope.get([{ pk: 'count', sk: 'usergroup' }]);
  assert.equal(Number(counter?.value), 1);
  await founder.remove('aclpolicy', held);
  await founder.create('group', { name: 'staff', acl_policies: [] });
});

test('a policy that a group holds is in use until the group lets it go', async () => {
  const here = await fixture();
  const { founder, policy, refused } = here;
  const id = await policy();
  const group = await founder.create('group', { name: 'staff', acl_policies: [id, await policy(), id] });
  await refused('in_use', () => founder.remove('aclpolicy', id));
  await founder.update('group', group, { name: 'crew' });
  await refused('in_use', () => founder.remove('aclpolicy', id));
  await founder.update('group', group, { acl_policies: [] });
  await founder.remove('aclpolicy', id);
  assert.deepEqual(await danglingIds(here), []);
});

test('a policy or group with more links than one commit can remove is in use', async () => {
  const here = await fixture();
  const { founder, join, policy, refused } = here;
  const acl_policy_id = await policy();
  const group_id = await founder.create('group', { name: 'staff', acl_policies: [] });
  const links: string[] = [];
  for (let index = 0; index <= linksReleasedMax; index++) {
    const user_id = await join();
    links.push(await founder.create('useraclpolicy', { user_id, acl_policy_id }));
    await founder.create('usergroup', { user_id, group_id });
  }
  await refused('in_use', () => founder.remove('aclpolicy', acl_policy_id));
  await refused('in_use', () => founder.remove('group', group_id));
  await founder.remove('useraclpolicy', links[0] ?? '');
  await founder.remove('aclpolicy', acl_policy_id);
  assert.equal((await founder.all('useraclpolicy')).length, 1);
});

test('a member with as many links as one may have can be removed', async () => {
  const here = await fixture();
  const { founder, join, policy, refused } = here;
  const user_id = await join();
  for (let index = 0; index < linksPerUserMax; index++) {
    await founder.create('useraclpolicy', { user_id, acl_policy_id: await policy() });
    const group_id = await founder.create('group', { name: `group ${index}`, acl_policies: [] });
    await founder.create('usergroup', { user_id, group_id });
  }
  const acl_policy_id = await policy();
  await refused('conflict', () => founder.create('useraclpolicy', { user_id, acl_policy_id }));
  await founder.remove('user', user_id);
  assert.deepEqual(await danglingIds(here), []);
});

test('a person who joins while the policy goes is left without a link that points nowhere', async (context) => {
  stopTime(context);
  const outcomes = new Set<string>();
  for (let ticks = -40; ticks < 40; ticks++) {
    const here = await fixture();
    const { founder, joining, policy, workspace } = here;
    const id = await policy();
    const [joined, removed] = await Promise.allSettled([
      later(-ticks, async () => workspace.scope.commit(await joining(id))),
      later(ticks, () => founder.remove('aclpolicy', id)),
    ]);
    assert.equal(removed.status, 'fulfilled');
    if (joined.status === 'rejected') assert.ok(joined.reason instanceof Conflict);
    outcomes.add(joined.status);
    assert.deepEqual(await danglingIds(here), []);
  }
  assert.equal(outcomes.size, 2);
});

test('a person who is linked, or a group that takes the policy, while it goes leaves nothing dangling', async () => {
  for (let ticks = -40; ticks < 40; ticks++) {
    const here = await fixture();
    const { founder, join, policy } = here;
    const [id, user_id] = [await policy(), await join()];
    const write =
      ticks % 2 === 0
        ? () => founder.create('useraclpolicy', { user_id, acl_policy_id: id })
        : () => founder.create('group', { name: 'staff', acl_policies: [id] });
    await Promise.allSettled([later(-ticks, write), later(ticks, () => founder.remove('aclpolicy', id))]);
    assert.deepEqual(await danglingIds(here), []);
  }
});

test('a link to what is not there, should one be stored, grants nothing and can be removed', async () => {
  const { founder, join, policy, workspace } = await fixture();
  const [user_id, id] = [await join(), await policy()];
  const link = await founder.create('useraclpolicy', { user_id, acl_policy_id: id });
  const group_id = await founder.create('group', { name: 'staff', acl_policies: [id] });
  const membership = await founder.create('usergroup', { user_id, group_id });
  await workspace.scope.commit([{ kind: 'remove', ...recordKey(workspace, 'aclpolicy', id), if: 'present' }]);
  assert.deepEqual(await heldPolicies(workspace, user_id), []);
  await founder.update('group', group_id, { name: 'crew' });
  await founder.remove('useraclpolicy', link);
  await workspace.scope.commit([{ kind: 'remove', ...recordKey(workspace, 'group', group_id), if: 'present' }]);
  assert.deepEqual(await heldPolicies(workspace, user_id), []);
  await founder.remove('usergroup', membership);
});

/** Begins a little later: so that, over many rounds, two writes meet at every point of their way. */
async function later<Result>(ticks: number, act: () => Promise<Result>): Promise<Result> {
  for (let tick = 0; tick < ticks; tick++) await undefined;
  return act();
}
