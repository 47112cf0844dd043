import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import { openStore } from '../store/testing/open-store.ts';
import { type FoundedWorkspace, foundWorkspace, type Writer } from './testing/founded-workspace.ts';

interface Fixture extends FoundedWorkspace {
  readonly founder: Writer;
  /** The founder's own link to the policy and to the group. */
  readonly ownLink: string;
  readonly ownMembership: string;
  link(userId: string): Promise<string>;
  member(userId: string, groupId?: string): Promise<string>;
  refused(write: () => Promise<unknown>): Promise<void>;
}

async function fixture(): Promise<Fixture> {
  const { store } = await openStore({ kind: 'memory', clock: systemClock });
  const founded = await foundWorkspace(store, systemClock);
  const founder = founded.as(founded.founderId);
  const [ownLink] = await founder.all('useraclpolicy');
  const [ownMembership] = await founder.all('usergroup');
  return {
    ...founded,
    founder,
    ownLink: ownLink?.id ?? '',
    ownMembership: ownMembership?.id ?? '',
    link: (user_id) => founder.create('useraclpolicy', { user_id, acl_policy_id: founded.adminPolicyId }),
    member: (user_id, group_id = founded.adminGroupId) => founder.create('usergroup', { user_id, group_id }),
    refused: async (write) => {
      const before = await founded.everything();
      await assert.rejects(write, (error) => {
        assert.ok(error instanceof Problem, String(error));
        assert.equal(error.code, 'last_admin', error.message);
        return true;
      });
      assert.equal(await founded.everything(), before);
    },
  };
}

/** Every way to take `adminacl` from the founder, who holds it directly alone. */
function lossesOfLink({ founder, founderId, ownLink }: Fixture, otherPolicy: string): (() => Promise<unknown>)[] {
  return [
    () => founder.remove('useraclpolicy', ownLink),
    () => founder.update('useraclpolicy', ownLink, { acl_policy_id: otherPolicy }),
    () => founder.remove('user', founderId),
    () => founder.update('user', founderId, { status: 'suspended' }),
    () => founder.update('user', founderId, { status: null }),
  ];
}

test('the last holder of a link to `adminacl` cannot lose it', async () => {
  const here = await fixture();
  const other = await here.founder.create('aclpolicy', { name: 'other', statements: [] });
  await here.founder.remove('usergroup', here.ownMembership);
  for (const loss of lossesOfLink(here, other)) await here.refused(loss);
});

test('the last holder through a group cannot lose it', async () => {
  const here = await fixture();
  const { founder, founderId, ownLink, ownMembership, adminGroupId } = here;
  const other = await founder.create('group', { name: 'other', acl_policies: [] });
  await founder.remove('useraclpolicy', ownLink);
  for (const loss of [
    () => founder.remove('usergroup', ownMembership),
    () => founder.update('usergroup', ownMembership, { group_id: other }),
    () => founder.remove('group', adminGroupId),
    () => founder.update('group', adminGroupId, { acl_policies: [] }),
    () => founder.update('group', adminGroupId, { acl_policies: null }),
    () => founder.remove('user', founderId),
    () => founder.update('user', founderId, { status: 'suspended' }),
  ])
    await here.refused(loss);
  await founder.update('group', adminGroupId, { name: 'admins' });
});

test('`adminacl` keeps its name and its reach, however many hold it', async () => {
  const { founder, adminPolicyId, join, link, refused } = await fixture();
  await link(await join());
  const everything = { Effect: 'Allow', Action: ['*'], Resource: ['*'] };
  for (const body of [
    { name: 'admins' },
    { name: 'AdminACL' },
    { statements: [] },
    { statements: [{ ...everything, Action: ['get*'] }] },
    { statements: [{ ...everything, Resource: ['/item/*'] }] },
    { statements: [everything, { ...everything, Effect: 'Deny', Action: ['delete*'] }] },
    {
      statements: [
        { ...everything, Action: ['get*', '*'], Resource: ['/*'] },
        { ...everything, Action: ['get*'] },
      ],
    },
  ])
    await refused(() => founder.update('aclpolicy', adminPolicyId, body));
  await refused(() => founder.remove('aclpolicy', adminPolicyId));
  await founder.update('aclpolicy', adminPolicyId, { statements: [{ Sid: 'All', ...everything, Action: '*' }] });
});

test('a person who is suspended or gone is no admin that is left', async () => {
  const here = await fixture();
  const { founder, founderId, ownLink, ownMembership, adminGroupId, join, link, member, as } = here;
  await founder.remove('usergroup', ownMembership);
  const suspended = await join();
  await link(suspended);
  await member(suspended);
  await as(founderId).update('user', suspended, { status: 'suspended' });
  const gone = await join();
  await link(gone);
  await member(gone);
  await founder.remove('user', gone);
  await here.refused(() => founder.remove('useraclpolicy', ownLink));
  await founder.update('user', suspended, { status: 'active' });
  await founder.remove('useraclpolicy', ownLink);
  await founder.remove('user', founderId);
  await here.refused(() => as(suspended).remove('user', suspended));
  await as(suspended).remove('group', adminGroupId, { force: true });
});

test('an admin may go while another is left, by any kind of link', async () => {
  for (const how of ['link', 'group', 'another group'] as const) {
    const here = await fixture();
    const { founder, founderId, join, link, member, adminPolicyId } = here;
    const other = await join();
    if (how === 'link') await link(other);
    else if (how === 'group') await member(other);
    else await member(other, await founder.create('group', { name: 'more', acl_policies: [adminPolicyId] }));
    await founder.remove('user', founderId);
    assert.deepEqual(await founder.all('useraclpolicy').then((links) => links.map((each) => each.user_id)), [
      ...(how === 'link' ? [other] : []),
    ]);
  }
});

test('one of two ways to hold it may go', async () => {
  const { founder, ownLink, ownMembership, founderId, member, adminPolicyId } = await fixture();
  await founder.remove('useraclpolicy', ownLink);
  const second = await founder.create('group', { name: 'second', acl_policies: [adminPolicyId] });
  await member(founderId, second);
  await founder.remove('usergroup', ownMembership);
  const third = await founder.create('group', { name: 'third', acl_policies: [adminPolicyId] });
  const [link] = await founder.all('usergroup');
  await founder.update('usergroup', link?.id ?? '', { group_id: third });
});

test('an admin is found behind any number of suspended ones on the same page and the next', async () => {
  const { founder, ownLink, ownMembership, join, link } = await fixture();
  for (let index = 0; index < 60; index++) {
    const id = await join();
    await link(id);
    if (index < 59) await founder.update('user', id, { status: 'suspended' });
  }
  await founder.remove('usergroup', ownMembership);
  await founder.remove('useraclpolicy', ownLink);
});
