import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import { Conflict } from '../store/port.ts';
import { openStore } from '../store/testing/open-store.ts';
import { stopTime } from '../testing/held-time.ts';
import { linksPerUserMax } from './members/links.ts';
import { heldPolicies, recordKey } from './policies/held-policies.ts';
import { detachedMax } from './rules/removal.ts';
import { type FoundedWorkspace, foundWorkspace, type Writer } from './testing/founded-workspace.ts';

interface Fixture extends FoundedWorkspace {
  readonly founder: Writer;
  policy(): Promise<string>;
  /** @param held what the refusal says of those who hold it. */
  refused(code: string, write: () => Promise<unknown>, held?: object): Promise<void>;
}

async function fixture(): Promise<Fixture> {
  const { store } = await openStore({ kind: 'memory', clock: systemClock });
  const founded = await foundWorkspace(store, systemClock);
  const founder = founded.as(founded.founderId);
  return {
    ...founded,
    founder,
    policy: () => founder.create('aclpolicy', { name: `policy ${founded.newId()}`, statements: [] }),
    refused: async (code, write, held) => {
      const before = await founded.everything();
      await assert.rejects(write, (error) => {
        assert.ok(error instanceof Problem && error.code === code, String(error));
        if (held !== undefined) assert.deepEqual(error.details.held_by, held);
        return true;
      });
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

const force = { force: true };
const unheld = { users: 0, keys: 0, groups: 0, invitations: 0 };

test('a policy that people hold is in use, and by force it is taken from them in its commit', async () => {
  const here = await fixture();
  const { founder, join, policy, refused, workspace } = here;
  const [going, staying] = [await policy(), await policy()];
  const users = [await join(), await join(), await join()];
  for (const user_id of users)
    for (const acl_policy_id of [going, staying]) await founder.create('useraclpolicy', { user_id, acl_policy_id });
  await refused('in_use', () => founder.remove('aclpolicy', going), { ...unheld, users: 3 });
  await refused('in_use', () => founder.remove('aclpolicy', going, { force: false }), { ...unheld, users: 3 });
  await founder.remove('aclpolicy', going, force);
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

test('a group with members is in use, and by force loses them and leaves its policies', async () => {
  const here = await fixture();
  const { founder, join, policy, refused, workspace } = here;
  const held = await policy();
  const group = await founder.create('group', { name: 'staff', acl_policies: [held] });
  for (const user_id of [await join(), await join()]) await founder.create('usergroup', { user_id, group_id: group });
  await refused('in_use', () => founder.remove('group', group), { users: 2, keys: 0 });
  await founder.remove('group', group, force);
  assert.deepEqual(await danglingIds(here), []);
  const [counter] = await workspace.scope.get([{ pk: 'count', sk: 'usergroup' }]);
  assert.equal(Number(counter?.value), 1);
  await founder.remove('aclpolicy', held);
  await founder.remove('group', await founder.create('group', { name: 'staff', acl_policies: [] }));
});

test('a policy that a group holds is in use until the group lets it go, or is made to', async () => {
  const here = await fixture();
  const { founder, policy, refused, workspace } = here;
  const [id, other] = [await policy(), await policy()];
  const group = await founder.create('group', { name: 'staff', acl_policies: [id, other, id] });
  await refused('in_use', () => founder.remove('aclpolicy', id), { ...unheld, groups: 1 });
  await founder.update('group', group, { name: 'crew' });
  await refused('in_use', () => founder.remove('aclpolicy', id), { ...unheld, groups: 1 });
  await founder.update('group', group, { acl_policies: [other] });
  await founder.remove('aclpolicy', id);
  await founder.remove('aclpolicy', other, force);
  const [left] = (await founder.all('group')).filter((one) => one.id === group);
  assert.deepEqual([left?.name, left?.acl_policies], ['crew', []]);
  assert.deepEqual(await danglingIds(here), []);
  const entries = await workspace.scope.range('index#group;policy', { limit: 10 });
  assert.equal(entries.length, 1);
});

test('nothing is taken from more holders than one commit can, by force or without', async () => {
  const here = await fixture();
  const { founder, join, policy, refused } = here;
  const acl_policy_id = await policy();
  const group_id = await founder.create('group', { name: 'staff', acl_policies: [] });
  const links: string[] = [];
  for (let index = 0; index <= detachedMax; index++) {
    const user_id = await join();
    links.push(await founder.create('useraclpolicy', { user_id, acl_policy_id }));
    await founder.create('usergroup', { user_id, group_id });
  }
  for (const how of [{}, force]) {
    await refused('in_use', () => founder.remove('aclpolicy', acl_policy_id, how), {
      ...unheld,
      users: detachedMax + 1,
    });
    await refused('in_use', () => founder.remove('group', group_id, how), { users: detachedMax + 1, keys: 0 });
  }
  await founder.remove('useraclpolicy', links[0] ?? '');
  await founder.create('group', { name: 'crew', acl_policies: [acl_policy_id] });
  await refused('in_use', () => founder.remove('aclpolicy', acl_policy_id, force));
  await founder.remove('useraclpolicy', links[1] ?? '');
  await founder.remove('aclpolicy', acl_policy_id, force);
  assert.equal((await founder.all('useraclpolicy')).length, 1);
  assert.deepEqual(await danglingIds(here), []);
});

test('a server that holds a policy is counted as a key', async () => {
  const { founder, joinServer, policy, refused } = await fixture();
  const acl_policy_id = await policy();
  await founder.create('useraclpolicy', { user_id: await joinServer(), acl_policy_id });
  await refused('in_use', () => founder.remove('aclpolicy', acl_policy_id), { ...unheld, keys: 1 });
});

test('by force no one lifts a Deny that limits him, and the last admin stays one', async () => {
  const { founder, founderId, adminGroupId, as, join, refused } = await fixture();
  const clerkId = await join();
  const brake = await founder.create('aclpolicy', {
    name: 'brake',
    statements: [{ Effect: 'Deny', Action: 'deleteorder', Resource: '*' }],
  });
  const all = await founder.create('aclpolicy', {
    name: 'all',
    statements: [{ Effect: 'Allow', Action: '*', Resource: '*' }],
  });
  for (const acl_policy_id of [brake, all]) await founder.create('useraclpolicy', { user_id: clerkId, acl_policy_id });
  const group = await founder.create('group', { name: 'braked', acl_policies: [brake] });
  await founder.create('usergroup', { user_id: clerkId, group_id: group });
  await refused('escalation_refused', () => as(clerkId).remove('aclpolicy', brake, force));
  await refused('escalation_refused', () => as(clerkId).remove('group', group, force));
  for (const link of await founder.all('useraclpolicy'))
    if (link.user_id === founderId) await founder.remove('useraclpolicy', link.id);
  await refused('last_admin', () => founder.remove('group', adminGroupId, force));
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
      later(ticks, () => founder.remove('aclpolicy', id, { force: ticks % 2 === 0 })),
    ]);
    if (joined.status === 'rejected') assert.ok(joined.reason instanceof Conflict);
    const isHeld = joined.status === 'fulfilled' && ticks % 2 !== 0;
    if (!isHeld) assert.equal(removed.status, 'fulfilled');
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
