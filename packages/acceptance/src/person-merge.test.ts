/** An org admin merges two accounts of one person: what the account that stays gains is seen before. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { call } from './call.ts';
import { allowIssuers, clientAtProvider, personAt, startIdentityProvider } from './identity-provider.ts';
import {
  type AppUser,
  act,
  allow,
  create,
  defineEntity,
  definition,
  exchangeToken,
  foundedOrg,
  grant,
  joinOrg,
  list,
  manage,
  newEmail,
  type Org,
  signIn,
  signUp,
} from './org.ts';
import { done, ended, erase, type PersonJob } from './person-jobs.ts';
import { platformForTests } from './platform-for-tests.ts';
import { founderOf, multiOrg, refreshed, tenantsOf } from './workspaces.ts';

const gateways = await platformForTests();
const noId = '01890000-0000-7000-8000-000000000000';

interface MergeJob extends PersonJob {
  readonly into: string;
  readonly seen: string | null;
  readonly gains: readonly {
    readonly tenant_code: string;
    readonly joins: boolean;
    readonly suspended: boolean;
    readonly policies: readonly string[];
  }[];
}

type Account = Pick<AppUser, 'id'>;

interface Accounts {
  readonly from: Account;
  readonly into: Account;
}

const tryMerge = (org: Org, { from, into }: Accounts, seen: string | null, query = '') =>
  manage<MergeJob>(org, 'POST', `/org/app-users/${from.id}/merge${query}`, {
    body: { env: 'test', into: into.id, ...(seen === null ? {} : { seen }) },
  });

async function preview(org: Org, from: Account, into: Account): Promise<MergeJob> {
  return done(await ended(org, await tryMerge(org, { from, into }, null, '?dry_run=true'))) as MergeJob;
}

async function merge(org: Org, from: Account, into: Account): Promise<MergeJob> {
  const { seen } = await preview(org, from, into);
  return done(await ended(org, await tryMerge(org, { from, into }, seen))) as MergeJob;
}

async function makeAdmin(founder: AppUser, user: AppUser): Promise<void> {
  const admin = (await list(founder, 'aclpolicy', '?name=adminacl')).items[0];
  await create(founder, 'useraclpolicy', { user_id: user.id, acl_policy_id: admin?.id });
}

const ownerIndexes = [
  { ownerFieldName: 'owner_id', gpkTemplate: 'org#{org};data#note;owner#{owner_id}', gskTemplate: '{id}' },
];
const fields = [
  { name: 'title' },
  { name: 'owner_id', colType: 'guid', required: false },
  { name: 'reader', colType: 'guid', required: false, lookup: { entity: 'user', onDelete: 'restrict' } },
];

async function fixture() {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, { ...definition('note', fields), ownerIndexes });
  const [from, into] = [await signIn(org), await signIn(org)];
  return { org, founder, from, into };
}

test('the account that stays has the records, policies and sign-ins of both; the other one opens nothing of its own', async () => {
  const { org, founder, from, into } = await fixture();
  await makeAdmin(founder, from);
  const note = await create(from, 'note', { title: 'own', reader: from.id });
  const other = await create(founder, 'note', { title: 'other' });
  const before = await preview(org, from, into);
  assert.deepEqual(
    before.gains.map(({ tenant_code, joins, policies }) => [tenant_code, joins, policies]),
    [[founder.tenantCode, false, ['adminacl']]],
  );
  assert.equal((await act(from, 'GET', '/user/me')).status, 200);
  assert.deepEqual((await act(founder, 'GET', `/item/note/${note.id}`)).body, note);

  const job = await merge(org, from, into);
  assert.deepEqual([job.counts.changed, job.counts.owned, job.problems], [1, 1, []]);
  for (const user of [from, into]) assertProblem(await act(user, 'GET', '/user/me'), 'token_invalid');
  // The address of the other one opens it too, with its own password.
  assert.equal((await signIn(org, from.email)).id, into.id);
  const back = await signIn(org, into.email);
  assert.equal(back.id, into.id);
  const { body } = await act(back, 'GET', `/item/note/${note.id}`);
  assert.deepEqual([body.owner_id, body.created_by, body.reader, body.title], [into.id, into.id, into.id, 'own']);
  assert.deepEqual((await act(founder, 'GET', `/item/note/${other.id}`)).body, other);
  await create(back, 'userrole', { name: 'an admin now' });
  assert.deepEqual((await list(back, 'user', `?email=${encodeURIComponent(from.email)}`)).items, []);
  assertProblem(await tryMerge(org, { from, into }, job.seen), 'conflict');
});

test('a sign-in by the provider of the other account, or under its address, leads to the account that stays', async (context) => {
  const provider = await startIdentityProvider();
  context.after(() => provider.close());
  const { org } = await foundedOrg(gateways);
  await allowIssuers(org, [{ issuer: provider.issuer, audiences: [clientAtProvider] }]);
  const email = newEmail('provided');
  const through = () => exchangeToken(org, provider.token(personAt(email, { email })));
  const from = (await through()).body.user_id;
  const into = await signIn(org);
  await merge(org, { id: from }, into);
  assert.equal((await through()).body.user_id, into.id);
  const shown = await manage<{ providers: readonly unknown[]; state: string }>(org, 'GET', `/org/app-users/${into.id}`);
  assert.equal(shown.body.providers.length, 1);
  assert.equal((await manage<{ state: string }>(org, 'GET', `/org/app-users/${from}`)).body.state, 'merged');
});

test('a sign-in leads to the account that stays through ten merges, one after the other', async (context) => {
  const provider = await startIdentityProvider();
  context.after(() => provider.close());
  const { org } = await foundedOrg(gateways);
  await allowIssuers(org, [{ issuer: provider.issuer, audiences: [clientAtProvider] }]);
  const email = newEmail('provided');
  const through = () => exchangeToken(org, provider.token(personAt(email, { email })));
  let last: Account = { id: (await through()).body.user_id };
  for (let merged = 0; merged < 10; merged++) {
    const next = await signIn(org);
    await merge(org, last, next);
    last = next;
  }
  assert.equal((await through()).body.user_id, last.id);
});

test('the account that stays comes into the workspaces of the other one, and its invitations go on to its address', async () => {
  const org = await multiOrg(gateways);
  const [from, into] = [await founderOf(org, 'Of from'), await founderOf(org, 'Of into')];
  const host = await founderOf(org, 'Host');
  const invited = await act<{ code: string }>(host, 'POST', '/user/invitations', { body: { email: from.email } });
  const job = await merge(org, from, into);
  assert.deepEqual(
    job.gains.map(({ tenant_code, joins }) => [tenant_code, joins]),
    [['of-from', true]],
  );
  assert.equal(job.counts.invitations, 1);
  const back = await refreshed(await signIn(org, into.email));
  assert.deepEqual((await tenantsOf(back)).map(({ code }) => code).sort(), ['of-from', 'of-into']);
  const accepted = await act(back, 'POST', '/user/acceptinvitation', { body: { code: invited.body.code } });
  assert.equal(accepted.status, 200, accepted.text);
});

test('nothing is gained that the preview has not shown', async () => {
  const { org, founder, from, into } = await fixture();
  const { seen } = await preview(org, from, into);
  await grant(founder, from, [allow('*note')]);
  assertProblem(await tryMerge(org, { from, into }, seen), 'conflict');
  const problem = assertProblem(await tryMerge(org, { from, into }, null), 'validation_failed');
  assert.deepEqual(pointers(problem), ['/seen']);
  assert.equal((await act(from, 'GET', '/user/me')).status, 200);
});

test('what an admin took from either account stays taken', async () => {
  const { org, founder, from, into } = await fixture();
  const suspend = await act(founder, 'PUT', `/update/user/${from.id}`, { body: { status: 'suspended' } });
  assert.equal(suspend.status, 200, suspend.text);
  assert.deepEqual(
    (await preview(org, from, into)).gains.map(({ suspended }) => suspended),
    [true],
  );
  await merge(org, from, into);
  const [member] = (await list(founder, 'user', `?email=${encodeURIComponent(into.email)}`)).items;
  assert.equal(member?.status, 'suspended');
});

test('an erase of the account that stays erases the account that was merged into it', async () => {
  const { org, founder, from, into } = await fixture();
  const note = await create(founder, 'note', { title: 'x', owner_id: from.id });
  await merge(org, from, into);
  assertProblem(await tryMerge(org, { from: into, into: from }, 'x'), 'conflict');
  const job = await erase(org, into, 'keep');
  assert.equal(job.counts.accounts, 2);
  assert.equal((await act(founder, 'GET', `/item/note/${note.id}`)).body.owner_id, undefined);
  assert.notEqual((await signIn(org, from.email)).id, from.id);
});

test('only an org admin merges, and only two accounts of one org and environment', async () => {
  const { org, from, into } = await fixture();
  const developer = await joinOrg(org, 'developer');
  const stranger = await foundedOrg(gateways);
  const path = `/org/app-users/${from.id}/merge`;
  const body = { env: 'test', into: into.id, seen: 'x' };
  assertProblem(await call('POST', `${org.management}${path}`, { body }), 'token_missing');
  assertProblem(await manage(org, 'POST', path, { body, token: 'wrong' }), 'token_invalid');
  assertProblem(await manage(org, 'POST', path, { body, token: developer.token }), 'role_required');
  assertProblem(await manage(await signUp(gateways), 'POST', path, { body }), 'not_found');
  for (const unknown of [noId, 'nonsense', 'x'.repeat(200)])
    assertProblem(await manage(org, 'POST', `/org/app-users/${unknown}/merge`, { body }), 'not_found');
  for (const other of [stranger.founder.id, noId, 'nonsense'])
    assert.deepEqual(
      pointers(assertProblem(await manage(org, 'POST', path, { body: { ...body, into: other } }), 'validation_failed')),
      ['/into'],
    );
  assertProblem(await manage(org, 'POST', path, { body: { ...body, env: 'prod' } }), 'not_found');
  assertProblem(await manage(org, 'POST', path, { body: { ...body, into: from.id } }), 'conflict');
  const large = await manage(org, 'POST', path, { body: { ...body, seen: 'x'.repeat(1000) } });
  assert.deepEqual(pointers(assertProblem(large, 'validation_failed')), ['/seen']);
});
