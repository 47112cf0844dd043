import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Change } from '../../store/port.ts';
import { startFaultyPlatform } from './faulty-platform.ts';
import { newEmail, type Reply, random, setUpFixture } from './fixture.ts';
import { AccessWitness, isOfAccess } from './flows/access-entries.ts';

const commits: (readonly Change[])[] = [];
const platform = await startFaultyPlatform((changes) => void commits.push(changes));
after(() => platform.close());

async function done(reply: Promise<Reply>): Promise<Reply['body']> {
  const { status, body } = await reply;
  assert.ok(status < 300, JSON.stringify(body));
  return body;
}

/** Everything that changes who may do what in a workspace. */
async function changeAccess(): Promise<void> {
  const { org, founder, act: inMain } = await setUpFixture(platform);
  const statements = [{ Effect: 'Allow', Action: ['listorder'], Resource: ['*'] }];
  const groups = [{ name: 'readers', acl_policies: ['reads', 'adminacl'] }];
  const value = { policies: [{ name: 'reads', statements }], groups };
  await done(org.manage('PUT', '/org/settings', { group: 'tenancy', name: 'workspace_templates', value }));
  const code = `w${random()}`;
  await done(inMain('POST', '/user/workspace', { name: 'W', code }));
  const act = org.as((await org.exchange(founder.token)).body.token);
  const [policy] = (await done(act('GET', '/list/aclpolicy?name=reads'))).items;
  const [group] = (await done(act('GET', '/list/group?name=readers'))).items;
  const guest = await org.signIn(newEmail());
  const invited = await done(act('POST', '/user/invitations', { email: guest.email, acl_policy_id: policy?.id }));
  await done(org.as(guest.token)('POST', '/user/acceptinvitation', { code: invited.code }));
  await done(act('POST', '/create/usergroup', { user_id: guest.id, group_id: group?.id }));
  await done(act('PUT', `/update/user/${guest.id}`, { fn: 'Gus' }));
  await done(act('PUT', `/update/user/${guest.id}`, { role: 'clerk' }));
  await done(act('PUT', `/update/group/${group?.id}`, { acl_policies: [] }));
  const none = { policies: [], groups: [] };
  await done(org.manage('PUT', '/org/settings', { group: 'tenancy', name: 'workspace_templates', value: none }));
  await done(act('DELETE', `/delete/aclpolicy/${policy?.id}?force=true`));
  await done(act('DELETE', `/delete/user/${guest.id}`));
  await done(act('DELETE', `/delete/group/${group?.id}`));
  const key = { env: 'test', tenant_code: code, name: 'server', policies: ['adminacl', 'vieweracl'] };
  const { id } = await done(org.manage('POST', '/org/service-keys', key));
  await done(org.manage('DELETE', `/org/service-keys/${id}`));
  await done(act('DELETE', '/user/workspace', { code }));
  await platform.settle();
}

function witnessOf(seen: readonly (readonly Change[])[]): AccessWitness {
  const witness = new AccessWitness();
  for (const changes of seen) witness.look(changes);
  return witness;
}

test('each policy, group, link and member has its entry in the commit that makes, changes or removes it', async () => {
  await changeAccess();
  const { faults, seen } = witnessOf(commits);
  assert.deepEqual(faults, []);
  assert.ok(seen > 30, `${seen}`);
});

test('an entry that is missing, doubled or in another commit is found', () => {
  let tried = 0;
  for (const [at, changes] of commits.entries())
    for (const entry of changes.filter(isOfAccess)) {
      tried += 1;
      const others = changes.filter((change) => change !== entry);
      const plants = { left: [others], twice: [[...changes, entry]], late: [others, [entry]] };
      for (const [plant, planted] of Object.entries(plants))
        assert.notDeepEqual(witnessOf(commits.toSpliced(at, 1, ...planted)).faults, [], `${plant}: ${entry.value}`);
    }
  assert.ok(tried > 20, `${tried}`);
});
