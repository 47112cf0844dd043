import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Statement } from '../access/statement.ts';
import { systemClock } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import { openStore } from '../store/testing/open-store.ts';
import { stopTime } from '../testing/held-time.ts';
import { policyEpochKey } from './policies/epochs.ts';
import { recordKey } from './policies/held-policies.ts';
import { type FoundedWorkspace, foundWorkspace, type Writer } from './testing/founded-workspace.ts';

const allow = (Action: readonly string[], Resource: readonly string[] = ['*']): Statement => ({
  Effect: 'Allow',
  Action,
  Resource,
});
const deny = (Action: readonly string[], Resource: readonly string[] = ['*']): Statement => ({
  Effect: 'Deny',
  Action,
  Resource,
});

interface Fixture extends FoundedWorkspace {
  readonly founder: Writer;
  /** Makes a policy in the founder's name. */
  policy(...statements: readonly Statement[]): Promise<string>;
  link(userId: string, policyId: string): Promise<string>;
  group(...policyIds: readonly string[]): Promise<string>;
  member(userId: string, groupId: string): Promise<string>;
  /** A member with a policy of these statements, as one who writes. */
  holder(...statements: readonly Statement[]): Promise<Writer & { readonly id: string }>;
  refused(write: () => Promise<unknown>, sentence?: RegExp): Promise<void>;
}

async function fixture(): Promise<Fixture> {
  const { store } = await openStore({ kind: 'memory', clock: systemClock });
  const founded = await foundWorkspace(store, systemClock);
  const founder = founded.as(founded.founderId);
  const policy: Fixture['policy'] = (...statements) =>
    founder.create('aclpolicy', { name: `policy ${founded.newId()}`, statements });
  const link: Fixture['link'] = (user_id, acl_policy_id) => founder.create('useraclpolicy', { user_id, acl_policy_id });
  return {
    ...founded,
    founder,
    policy,
    link,
    group: (...acl_policies) => founder.create('group', { name: `group ${founded.newId()}`, acl_policies }),
    member: (user_id, group_id) => founder.create('usergroup', { user_id, group_id }),
    holder: async (...statements) => {
      const id = await founded.join();
      await link(id, await policy(...statements));
      return { ...founded.as(id), id };
    },
    refused: async (write, sentence = /caller/) => {
      const before = await founded.everything();
      await assert.rejects(write, (error) => {
        assert.ok(error instanceof Problem, String(error));
        assert.equal(error.code, 'escalation_refused', error.message);
        assert.match(error.message, sentence);
        return true;
      });
      assert.equal(await founded.everything(), before);
    },
  };
}

test('a policy may allow what its author may do, and nothing else', async () => {
  const { holder, refused } = await fixture();
  const clerk = await holder(allow(['get*', 'list*']), allow(['create*'], ['/create/order']));
  await clerk.create('aclpolicy', { name: 'reading', statements: [allow(['getorder', 'list*'])] });
  await clerk.create('aclpolicy', { name: 'denying', statements: [deny(['*'])] });
  const wide = { Sid: 'Wide', ...allow(['getorder', 'Create*']) };
  await refused(
    () => clerk.create('aclpolicy', { name: 'wide', statements: [wide] }),
    /^statement `Wide` of policy `wide` allows `create\*` on `\*`, which the caller's own policies do not cover$/,
  );
});

test('one who is denied a part may not grant the whole', async () => {
  const { holder, refused } = await fixture();
  const clerk = await holder(allow(['*']), deny(['*'], ['/item/secret/*']));
  const body = { name: 'all', statements: [allow(['get*'])] };
  await refused(() => clerk.create('aclpolicy', body), /statement 1 of policy `all` .* deny a part$/);
  await clerk.create('aclpolicy', { name: 'orders', statements: [allow(['get*'], ['/item/order/*'])] });
});

test('what comes to the author through a group counts as the author’s', async () => {
  const { group, join, as, member, policy, refused } = await fixture();
  const id = await join();
  const body = { name: 'reading', statements: [allow(['getorder'])] };
  await refused(() => as(id).create('aclpolicy', body));
  await member(id, await group(await policy(allow(['get*']))));
  await as(id).create('aclpolicy', body);
});

test('the founder may grant everything', async () => {
  const { founder, join, policy, group, adminPolicyId } = await fixture();
  const id = await join();
  await founder.create('useraclpolicy', { user_id: id, acl_policy_id: adminPolicyId });
  await founder.create('usergroup', { user_id: id, group_id: await group(await policy(allow(['*']), deny(['get*']))) });
});

test('an update needs cover for what it adds, not for what stood', async () => {
  const { holder, policy, refused, founder } = await fixture();
  const clerk = await holder(allow(['get*']));
  const id = await policy(allow(['*'], ['/item/*']));
  await clerk.update('aclpolicy', id, { statements: [allow(['delete*', 'update*'], ['/item/order/*'])] });
  await clerk.update('aclpolicy', id, { statements: [allow(['delete*'], ['/item/order/*']), allow(['getorder'])] });
  await refused(() => clerk.update('aclpolicy', id, { statements: [allow(['delete*'], ['/item/*'])] }));
  await founder.update('aclpolicy', id, { statements: [allow(['*'])] });
});

test('a policy under another name is granted again: a name may be what new members get', async () => {
  const { holder, policy, refused } = await fixture();
  const clerk = await holder(allow(['get*']));
  const [wide, narrow] = [await policy(allow(['*'])), await policy(allow(['getorder']))];
  await refused(() => clerk.update('aclpolicy', wide, { name: 'taken by newcomers' }));
  await clerk.update('aclpolicy', narrow, { name: 'taken by newcomers' });
});

test('linking a person to a policy is granting it, to oneself as to others', async () => {
  const { holder, join, policy, refused, adminPolicyId } = await fixture();
  const clerk = await holder(allow(['get*']));
  const other = await join();
  for (const user_id of [clerk.id, other]) {
    await refused(() => clerk.create('useraclpolicy', { user_id, acl_policy_id: adminPolicyId }), /policy `adminacl`/);
    const reading = await policy(allow(['get*']));
    const link = await clerk.create('useraclpolicy', { user_id, acl_policy_id: reading });
    await refused(() => clerk.update('useraclpolicy', link, { acl_policy_id: adminPolicyId }));
    await clerk.update('useraclpolicy', link, { acl_policy_id: await policy(allow(['getorder'])) });
  }
});

test('putting a person into a group is granting all of its policies', async () => {
  const { holder, join, policy, group, refused, adminGroupId } = await fixture();
  const clerk = await holder(allow(['get*']));
  const user_id = await join();
  const [reading, deleting] = [await policy(allow(['get*'])), await policy(allow(['delete*']))];
  await refused(() => clerk.create('usergroup', { user_id: clerk.id, group_id: adminGroupId }));
  const mixed = await group(reading, deleting);
  await refused(() => clerk.create('usergroup', { user_id, group_id: mixed }), /`delete\*`/);
  const link = await clerk.create('usergroup', { user_id, group_id: await group(reading) });
  await refused(() => clerk.update('usergroup', link, { group_id: mixed }));
});

test('a group takes only policies that the caller covers, and keeps those that stood', async () => {
  const { holder, policy, group, refused } = await fixture();
  const clerk = await holder(allow(['get*']));
  const [reading, deleting] = [await policy(allow(['get*'])), await policy(allow(['delete*']))];
  await refused(() => clerk.create('group', { name: 'g', acl_policies: [reading, deleting] }));
  await clerk.create('group', { name: 'g', acl_policies: [reading] });
  const id = await group(deleting);
  await clerk.update('group', id, { acl_policies: [deleting, reading] });
  await clerk.update('group', id, { name: 'another name' });
  await clerk.update('group', id, { acl_policies: [reading] });
  await refused(() => clerk.update('group', id, { acl_policies: [reading, deleting] }));
});

test('a policy that goes from a group frees nothing that the caller does not cover', async () => {
  const { holder, policy, group, refused, founder } = await fixture();
  const clerk = await holder(allow(['get*']));
  const [everything, brake] = [await policy(allow(['*'])), await policy(deny(['delete*']))];
  const id = await group(everything, brake);
  await refused(() => clerk.update('group', id, { acl_policies: [everything] }));
  await founder.update('group', id, { acl_policies: [everything] });
});

test('no caller lifts, narrows or slips out of a Deny on itself', async () => {
  const { founder, holder, link, member, policy, group, refused } = await fixture();
  const clerk = await holder(allow(['*']));
  const [brake, milder] = [await policy(deny(['delete*'])), await policy(deny(['deleteorder']))];
  const direct = await link(clerk.id, brake);
  const braked = await group(brake);
  const through = await member(clerk.id, braked);
  const sentence = /denies `delete\*` on `\*` to the caller as well, who may not lift it$/;
  for (const write of [
    () => clerk.remove('aclpolicy', brake),
    () => clerk.update('aclpolicy', brake, { statements: [] }),
    () => clerk.update('aclpolicy', brake, { statements: [deny(['delete*'], ['/delete/*'])] }),
    () => clerk.remove('useraclpolicy', direct),
    () => clerk.update('useraclpolicy', direct, { acl_policy_id: milder }),
    () => clerk.remove('usergroup', through),
    () => clerk.remove('group', braked),
    () => clerk.update('group', braked, { acl_policies: [milder] }),
  ])
    await refused(write, sentence);
  await clerk.update('aclpolicy', brake, { statements: [deny(['delete*', 'update*'])] });
  await founder.remove('usergroup', through);
  await founder.remove('useraclpolicy', direct);
});

test('no caller lifts from another a Deny that limits the caller too', async () => {
  const { holder, join, link, policy, refused } = await fixture();
  const clerk = await holder(allow(['*']));
  const brake = await policy(deny(['delete*']));
  await link(clerk.id, brake);
  const others = await link(await join(), brake);
  await refused(() => clerk.remove('useraclpolicy', others));
});

test('a Deny that does not limit the caller may be lifted', async () => {
  const { holder, join, link, member, policy, group } = await fixture();
  const clerk = await holder(allow(['get*']));
  const other = await join();
  const brake = await policy(deny(['delete*']));
  const direct = await link(other, brake);
  const braked = await group(brake);
  const through = await member(other, braked);
  await clerk.remove('useraclpolicy', direct);
  await clerk.remove('usergroup', through);
  await clerk.update('group', braked, { acl_policies: [] });
  await clerk.update('aclpolicy', brake, { statements: [] });
  await clerk.remove('aclpolicy', brake);
});

test('labels of roles and the particulars of a person need no cover', async () => {
  const { holder, join } = await fixture();
  const clerk = await holder(allow(['getorder']));
  await clerk.create('userrole', { name: 'admin' });
  await clerk.update('user', await join(), { role: 'admin', status: 'suspended' });
});

test('a broken stored policy is granted by one who may do everything alone', async () => {
  const { workspace, holder, join, policy, refused, founder } = await fixture();
  const clerk = await holder(allow(['get*']));
  const id = await policy(allow(['get*']));
  const [user_id, name] = [await join(), 'broken'];
  const broken = JSON.stringify({ id, name, statements: [{ Effect: 'Allow', Resource: ['*'] }] });
  await workspace.scope.commit([
    { kind: 'put', ...recordKey(workspace, 'aclpolicy', id), value: broken, if: 'present' },
  ]);
  await refused(() => clerk.create('useraclpolicy', { user_id, acl_policy_id: id }));
  await founder.create('useraclpolicy', { user_id, acl_policy_id: id });
});

test('no caller grants a permission that was removed before the grant is written', async (context) => {
  stopTime(context);
  const outcomes = { fulfilled: 0, rejected: 0 };
  for (let ticks = 0; ticks < 60; ticks++) {
    const { workspace, founder, holder, join, policy, link } = await fixture();
    const clerk = await holder(allow(['get*']));
    const deleting = await policy(allow(['delete*']));
    const own = await link(clerk.id, deleting);
    const user_id = await join();
    const [granted, taken] = await Promise.allSettled([
      clerk.create('useraclpolicy', { user_id, acl_policy_id: deleting }),
      later(ticks, () => founder.remove('useraclpolicy', own)),
    ]);
    assert.equal(taken.status, 'fulfilled');
    const made = (await founder.all('useraclpolicy')).find((each) => each.user_id === user_id);
    const [epoch] = await workspace.scope.get([policyEpochKey]);
    outcomes[granted.status] += 1;
    if (granted.status === 'fulfilled') assert.ok(Number(made?.version) < (epoch?.version ?? 0));
    else assert.equal(made, undefined);
  }
  assert.ok(outcomes.fulfilled > 0 && outcomes.rejected > 0, JSON.stringify(outcomes));
});

/** Begins a little later: so that, over many rounds, two writes meet at every point of their way. */
async function later<Result>(ticks: number, act: () => Promise<Result>): Promise<Result> {
  for (let tick = 0; tick < ticks; tick++) await undefined;
  return act();
}
