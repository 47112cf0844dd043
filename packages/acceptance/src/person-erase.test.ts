/** An org admin erases a person: what goes, what stays and is reported, and who is not touched by it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { call } from './call.ts';
import { allowIssuers, clientAtProvider, personAt, startIdentityProvider } from './identity-provider.ts';
import {
  type AppUser,
  act,
  create,
  defineEntity,
  definition,
  exchangeToken,
  foundedOrg,
  joinOrg,
  list,
  logIn,
  manage,
  newEmail,
  type Org,
  signIn,
  signUp,
} from './org.ts';
import { done, ended, erase, exported, previewErase, tryErase } from './person-jobs.ts';
import { platformForTests } from './platform-for-tests.ts';
import { deploy, inProduction, prodFounder, provisionedOrg, removeEntity, rollback } from './promotion.ts';
import { founderOf, multiOrg, tenantsOf } from './workspaces.ts';

const gateways = await platformForTests();
const erasedId = '00000000-0000-0000-0000-000000000000';
const noId = '01890000-0000-7000-8000-000000000000';

const owned = (entity: string, field: string) => ({
  ownerIndexes: [
    { ownerFieldName: field, gpkTemplate: `org#{org};data#${entity};owner#{${field}}`, gskTemplate: '{id}' },
  ],
});
const owner = { name: 'owner_id', colType: 'guid', required: false };

async function define(org: Org): Promise<void> {
  await defineEntity(org, { ...definition('note', [{ name: 'title' }, owner]), ...owned('note', 'owner_id') });
  const strict = { name: 'owner_id', colType: 'guid', validate: true };
  await defineEntity(org, { ...definition('task', [{ name: 'title' }, strict]), ...owned('task', 'owner_id') });
  await defineEntity(org, definition('page', [{ name: 'title' }, { name: 'reviewer', colType: 'guid' }]));
  const seen = { name: 'seen_by', colType: 'guid', required: false, lookup: { entity: 'user', onDelete: 'restrict' } };
  await defineEntity(org, definition('visit', [{ name: 'title' }, seen]));
}

async function makeAdmin(founder: AppUser, user: AppUser): Promise<void> {
  const admin = (await list(founder, 'aclpolicy', '?name=adminacl')).items[0];
  await create(founder, 'useraclpolicy', { user_id: user.id, acl_policy_id: admin?.id });
}

/** A member with records of every relation, and a colleague. */
async function fixture() {
  const { org, founder } = await foundedOrg(gateways);
  await define(org);
  const person = await signIn(org);
  await makeAdmin(founder, person);
  return {
    org,
    founder,
    person,
    note: await create(person, 'note', { title: 'own note' }),
    task: await create(person, 'task', { title: 'own task' }),
    page: await create(person, 'page', { title: 'own page' }),
    appointment: await create(founder, 'visit', { title: 'v', seen_by: person.id }),
    named: await create(founder, 'page', { title: 'named', reviewer: person.id }),
    other: await create(founder, 'note', { title: 'of another' }),
  };
}

const read = (user: AppUser, entity: string, id: string) => act(user, 'GET', `/item/${entity}/${id}`);

test('an erased person can no longer sign in, is no member, and is out of the records that stay', async () => {
  const { org, founder, person, note, task, page, appointment, named, other } = await fixture();
  const job = await erase(org, person, 'keep');
  const { accounts, identities, memberships, owned: ownedCount, created, linked, named: mentioned } = job.counts;
  assert.deepEqual(
    { accounts, identities, memberships, ownedCount, created, linked, mentioned },
    { accounts: 1, identities: 1, memberships: 1, ownedCount: 2, created: 1, linked: 1, mentioned: 1 },
  );
  assert.deepEqual([job.counts.removed, job.counts.changed, job.problems], [0, 4, []]);
  assertProblem(await act(person, 'GET', '/user/me'), 'token_invalid');
  assertProblem(await exchangeToken(org, person.token), 'token_invalid');
  assert.deepEqual((await list(founder, 'user', `?email=${encodeURIComponent(person.email)}`)).items, []);
  for (const link of ['useraclpolicy', 'usergroup'])
    assert.deepEqual((await list(founder, link, `?user_id=${person.id}`)).items, []);
  const [n, t, p, v] = await Promise.all([
    read(founder, 'note', note.id),
    read(founder, 'task', task.id),
    read(founder, 'page', page.id),
    read(founder, 'visit', appointment.id),
  ]);
  assert.deepEqual([n.body.owner_id, n.body.created_by, n.body.updated_by], [undefined, erasedId, erasedId]);
  assert.deepEqual([t.body.owner_id, t.body.created_by], [erasedId, erasedId]);
  assert.deepEqual([p.body.created_by, p.body.title], [erasedId, 'own page']);
  assert.equal(v.body.seen_by, undefined);
  assert.equal((await read(founder, 'page', named.id)).body.reviewer, person.id);
  assert.deepEqual((await read(founder, 'note', other.id)).body, other);
  const stays = new Map(job.stays.map(({ what, count }) => [what, count]));
  assert.equal(stays.get('named'), 1);
  const expected = ['audit', 'backups', 'deliveries', 'usage', 'denials', 'plain_fields', 'invitations', 'settings'];
  for (const what of expected) assert.ok(stays.has(what), what);
});

test('a second erase finds nothing, and the address is free for a new account', async () => {
  const { org, founder, person } = await fixture();
  await erase(org, person, 'keep');
  assertProblem(await tryErase(org, person, 'keep'), 'not_found');
  const again = await signIn(org, person.email);
  assert.notEqual(again.id, person.id);
  assert.deepEqual(
    (await list(again, 'note')).items.filter(({ owner_id }) => owner_id === again.id),
    [],
  );
  assert.equal((await list(founder, 'user', `?email=${encodeURIComponent(person.email)}`)).items[0]?.id, again.id);
});

test('a dry run counts the same and changes nothing', async () => {
  const { org, founder, person, note } = await fixture();
  const preview = await previewErase(org, person, 'delete_owned');
  assert.deepEqual([preview.counts.removed, preview.counts.changed], [2, 2]);
  assert.deepEqual(preview.workspaces, [{ tenant_code: founder.tenantCode, member: true, records: 5 }]);
  assert.equal((await act(person, 'GET', '/user/me')).status, 200);
  assert.deepEqual((await read(founder, 'note', note.id)).body, note);
  const job = await erase(org, person, 'delete_owned');
  assert.deepEqual(job.counts, preview.counts);
});

test('the caller chooses whether owned or created records go', async () => {
  for (const [choice, gone] of [
    ['delete_owned', ['note', 'task']],
    ['delete_created', ['note', 'task', 'page']],
  ] as const) {
    const { org, founder, person, note, task, page, other } = await fixture();
    const job = await erase(org, person, choice);
    assert.equal(job.counts.removed, gone.length);
    for (const [entity, { id }] of Object.entries({ note, task, page })) {
      const { status } = await read(founder, entity, id);
      assert.equal(status, gone.some((name) => name === entity) ? 404 : 200, entity);
    }
    assert.equal((await read(founder, 'note', other.id)).status, 200);
  }
});

test('a record that something else needs stays, without the person, and is reported', async () => {
  const { org, founder, person, note } = await fixture();
  const lookup = { entity: 'note', onDelete: 'restrict' };
  await defineEntity(org, definition('invoice', [{ name: 'note_id', colType: 'guid', lookup }]));
  await create(founder, 'invoice', { note_id: note.id });
  const job = await erase(org, person, 'delete_owned');
  assert.deepEqual(
    job.problems.map(({ entity, id, code }) => [entity, id, code]),
    [['note', note.id, 'dangling_reference']],
  );
  assert.equal(job.problems_total, 1);
  const kept = await read(founder, 'note', note.id);
  assert.deepEqual([kept.status, kept.body.owner_id, kept.body.created_by], [200, undefined, erasedId]);
});

test('an owned record with thousands of dependents is removed by a job of its workspace', async () => {
  const { org, founder, person, note } = await fixture();
  const lookup = { entity: 'note', onDelete: 'cascade' };
  await defineEntity(org, definition('comment', [{ name: 'note_id', colType: 'guid', lookup }]));
  const rows = Array.from({ length: 450 }, () => `${JSON.stringify({ note_id: note.id })}\n`).join('');
  const headers = { 'content-type': 'application/x-ndjson' };
  assert.equal((await act(founder, 'POST', '/import/comment', { body: rows, headers })).status, 200);
  const job = await erase(org, person, 'delete_owned');
  assert.deepEqual(job.problems, []);
  assertProblem(await read(founder, 'note', note.id), 'not_found');
  assert.deepEqual((await list(founder, 'comment')).items, []);
});

/** One for each user. */
const profile = {
  ...definition('profile', [{ name: 'title' }, { name: 'owner_id', colType: 'guid', validate: true }]),
  ...owned('profile', 'owner_id'),
  UniqueIndexes: [{ indexName: 'one_each', fields: ['owner_id'] }],
};

test('each of several persons is taken out of a record whose owner is required and unique', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, profile);
  for (const person of [await signIn(org), await signIn(org), await signIn(org)]) {
    await makeAdmin(founder, person);
    const { id } = await create(person, 'profile', { title: 'mine', owner_id: person.id });
    const job = await erase(org, person, 'keep');
    assert.deepEqual([job.counts.owned, job.counts.changed, job.problems], [1, 1, []]);
    const { body } = await read(founder, 'profile', id);
    assert.match(String(body.owner_id), /^00000000-0000-0000-0000-/);
    assert.equal(body.created_by, erasedId);
  }
});

test('an erase needs the email address of the account, typed once more', async () => {
  const { org, person } = await fixture();
  const path = `/org/app-users/${person.id}/erase`;
  for (const [confirm, code] of [
    [undefined, 'required'],
    ['other@example.com', 'mismatch'],
  ]) {
    const body = { env: 'test', records: 'keep', ...(confirm === undefined ? {} : { confirm }) };
    const problem = assertProblem(await manage(org, 'POST', path, { body }), 'validation_failed');
    assert.deepEqual(
      problem.errors?.map((error) => [error.pointer, error.code]),
      [['/confirm', code]],
    );
  }
  assert.equal((await act(person, 'GET', '/user/me')).status, 200);
});

test('the last admin of a workspace with other members is not erased; an empty workspace is left behind', async () => {
  const org = await multiOrg(gateways);
  const alone = await founderOf(org, 'Alone');
  const lead = await founderOf(org, 'Team');
  const mate = await signIn(org);
  const invited = await act<{ code: string }>(lead, 'POST', '/user/invitations', { body: { email: mate.email } });
  const joined = await act(mate, 'POST', '/user/acceptinvitation', { body: { code: invited.body.code } });
  assert.equal(joined.status, 200, joined.text);
  const problem = assertProblem(await tryErase(org, lead, 'keep'), 'last_admin');
  assert.match(problem.detail, /`team`/);
  const preview = await previewErase(org, lead, 'keep');
  assert.deepEqual(
    preview.problems.map(({ code }) => code),
    ['last_admin'],
  );
  assert.equal((await act(lead, 'GET', '/user/me')).status, 200);
  await makeAdmin(lead, (await tenantsOf(mate)).length === 1 ? mate : lead);
  assert.equal((await erase(org, lead, 'keep')).counts.memberships, 1);
  assert.equal((await erase(org, alone, 'keep')).counts.memberships, 1);
});

test('an invitation that the person sent is reported to stay, and cannot be accepted', async () => {
  const org = await multiOrg(gateways);
  const person = await founderOf(org, 'Host');
  const guest = await founderOf(org, 'Guest');
  const invited = await act<{ code: string }>(person, 'POST', '/user/invitations', { body: { email: guest.email } });
  assert.equal(invited.status, 201, invited.text);
  const { stays } = await erase(org, person, 'keep');
  assert.ok(stays.some(({ what }) => what === 'invitations'));
  const { code } = invited.body;
  assertProblem(await act(guest, 'POST', '/user/acceptinvitation', { body: { code } }), 'escalation_refused');
});

test('invitations to the address go, those to others stay', async () => {
  const org = await multiOrg(gateways);
  const host = await founderOf(org, 'Host');
  const person = await founderOf(org, 'Guest');
  for (const email of [person.email, newEmail('friend')])
    assert.equal((await act(host, 'POST', '/user/invitations', { body: { email } })).status, 201);
  const job = await erase(org, person, 'keep');
  assert.deepEqual([job.counts.invitations, job.counts.memberships], [1, 1]);
  const left = await act<{ items: readonly { email: string }[] }>(host, 'GET', '/user/invitations');
  assert.deepEqual(
    left.body.items.map(({ email }) => email.startsWith('friend')),
    [true],
  );
});

test('an account that a provider signs in to is erased with its identities; the next sign-in makes another', async (context) => {
  const provider = await startIdentityProvider();
  context.after(() => provider.close());
  const { org } = await foundedOrg(gateways);
  await allowIssuers(org, [{ issuer: provider.issuer, audiences: [clientAtProvider] }]);
  const email = newEmail('provided');
  const through = () => exchangeToken(org, provider.token(personAt(email, { email })));
  const first = await through();
  assert.equal(first.status, 200, first.text);
  const job = done(await ended(org, await tryErase(org, { id: first.body.user_id, email }, 'keep')));
  assert.equal(job.counts.identities, 1);
  const next = await through();
  assert.notEqual(next.body.user_id, first.body.user_id);
});

test('no other account is touched: not the same address in production, nor in another org', async () => {
  const { org, person } = await fixture();
  const inProd = await signIn(await inProduction(org), person.email);
  const other = await foundedOrg(gateways);
  await define(other.org);
  const twin = await signIn(other.org, person.email);
  const twinNote = await create(other.founder, 'note', { title: 'twin', owner_id: twin.id });
  await erase(org, person, 'delete_created');
  assert.equal((await act(twin, 'GET', '/user/me')).status, 200);
  assert.deepEqual((await read(other.founder, 'note', twinNote.id)).body, twinNote);
  assert.equal((await logIn(other.org, person.email)).status, 200);
  assert.equal((await act(inProd, 'GET', '/user/me')).status, 200);
});

test('what is done is in the audit log, which stays whole and names no address', async () => {
  const { org, person } = await fixture();
  await previewErase(org, person, 'keep');
  await erase(org, person, 'keep');
  const log = await manage<{ items: readonly { action: string }[] }>(org, 'GET', `/audit?target=${person.id}`);
  const actions = log.body.items.map(({ action }) => action);
  for (const action of ['app_user.erase_previewed', 'app_user.erase_begun', 'app_user.erased'])
    assert.ok(actions.includes(action), `${action} of ${actions}`);
  assert.ok(!log.text.includes(person.email));
});

test('only an org admin of the org gets there: no token, a developer, another org, nonsense, the largest input', async () => {
  const { org, person } = await fixture();
  const developer = await joinOrg(org, 'developer');
  const stranger = await signUp(gateways);
  const started = await manage<{ id: string }>(org, 'POST', `/org/app-users/${person.id}/export`, {
    body: { env: 'test' },
  });
  assert.equal(started.status, 202, started.text);
  const { id } = started.body;
  const eraseBody = { env: 'test', records: 'keep', confirm: person.email };
  const routes = [
    ['POST', `/org/app-users/${person.id}/erase`, eraseBody],
    ['POST', `/org/app-users/${person.id}/erase?dry_run=true`, eraseBody],
    ['POST', `/org/app-users/${person.id}/export`, { env: 'test' }],
    ['GET', `/org/person-jobs/${id}`, undefined],
    ['GET', `/org/person-jobs/${id}/file`, undefined],
  ] as const;
  for (const [method, path, body] of routes) {
    const sent = body === undefined ? {} : { body };
    assertProblem(await call(method, `${org.management}${path}`, sent), 'token_missing');
    assertProblem(await manage(org, method, path, { ...sent, token: 'wrong' }), 'token_invalid');
    assertProblem(await manage(org, method, path, { ...sent, token: person.token }), 'token_invalid');
    assertProblem(await manage(org, method, path, { ...sent, token: developer.token }), 'role_required');
    assertProblem(await manage(stranger, method, path, sent), 'not_found');
    for (const unknown of [noId, 'nonsense', 'x'.repeat(200)]) {
      const elsewhere = path.replace(person.id, unknown).replace(id, unknown);
      assertProblem(await manage(org, method, elsewhere, sent), 'not_found');
    }
  }
  const inProduction = { ...eraseBody, env: 'prod' };
  assertProblem(await manage(org, 'POST', `/org/app-users/${person.id}/erase`, { body: inProduction }), 'not_found');
  assertProblem(await manage(org, 'GET', `/org/person-jobs/${id}?env=prod`), 'not_found');
  assertProblem(await manage(org, 'GET', '/org/person-jobs', { token: developer.token }), 'role_required');
  const strange = await manage(org, 'POST', `/org/app-users/${person.id}/erase`, {
    body: { env: 'moon', records: 'all', confirm: 'x'.repeat(300) },
  });
  assert.deepEqual(pointers(assertProblem(strange, 'validation_failed')).toSorted(), ['/confirm', '/env', '/records']);
  const theirs = await manage<{ items: readonly unknown[] }>(stranger, 'GET', '/org/person-jobs');
  assert.deepEqual(theirs.body.items, []);
  assert.equal((await act(person, 'GET', '/user/me')).status, 200);
});

/** A person in production whose records are of an entity that was taken out of it, and a colleague. */
async function withRetired() {
  const org = await provisionedOrg(gateways);
  await defineEntity(org, {
    ...definition('note', [{ name: 'title', index: true }, owner]),
    ...owned('note', 'owner_id'),
  });
  await deploy(org);
  const [colleague, person] = [await prodFounder(org), await signIn(await inProduction(org))];
  await makeAdmin(colleague, person);
  const own = await create(person, 'note', { title: 'own' });
  const created = await create(person, 'note', { title: 'created', owner_id: colleague.id });
  const other = await create(colleague, 'note', { title: 'other' });
  await removeEntity(org, 'note');
  await deploy(org);
  assertProblem(await act(colleague, 'GET', '/list/note'), 'not_found');
  return { org: { ...person.org, builder: org.builder }, colleague, person, records: { own, created, other } };
}

const inProd = async (org: Org, person: AppUser, path: string, body: object) =>
  done(
    await ended(
      org,
      await manage(org, 'POST', `/org/app-users/${person.id}/${path}`, { body: { env: 'prod', ...body } }),
      'prod',
    ),
  );

for (const records of ['keep', 'delete_owned', 'delete_created'] as const)
  test(`the records of a retired entity are counted, collected and erased as those of any other (${records})`, async () => {
    const { org, colleague, person, records: made } = await withRetired();
    const lines = await exported(org, person, 'prod');
    assert.deepEqual(
      lines
        .filter(({ kind }) => kind === 'record')
        .map(({ data }) => (data as { title: string }).title)
        .toSorted(),
      ['created', 'own'],
    );
    const preview = await inProd(org, person, 'erase?dry_run=true', { records });
    const removed = { keep: 0, delete_owned: 1, delete_created: 2 }[records];
    assert.deepEqual([preview.counts.owned, preview.counts.created], [1, 1]);
    const job = await inProd(org, person, 'erase', { records, confirm: person.email });
    assert.deepEqual([job.counts.owned, job.counts.created, job.counts.removed, job.problems], [1, 1, removed, []]);
    assert.deepEqual(
      job.workspaces.map(({ records: found }) => found),
      [2],
    );
    const [retired] = (
      await manage<{ items: readonly { readonly name: string; readonly records: number }[] }>(
        org,
        'GET',
        '/deploy/retired',
      )
    ).body.items;
    assert.deepEqual([retired?.name, retired?.records], ['note', 3 - removed]);

    // What is left is whole, and names the person no more: the entity comes back with it.
    await rollback(org);
    const kept = (await list(colleague, 'note')).items;
    assert.ok(!JSON.stringify(kept).includes(person.id));
    assert.deepEqual(
      kept.map(({ title }) => title).toSorted(),
      { keep: ['created', 'other', 'own'], delete_owned: ['created', 'other'], delete_created: ['other'] }[records],
    );
    assert.deepEqual((await act(colleague, 'GET', `/item/note/${made.other.id}`)).body, made.other);
    assert.equal((await list(colleague, 'note', '?title=own')).items.length, records === 'keep' ? 1 : 0);
    assert.equal((await list(colleague, 'note', `?owner_id=${person.id}`)).items.length, 0);
  });

test('each of several persons is taken out of a record of a retired entity whose owner is required and unique', async () => {
  const org = await provisionedOrg(gateways);
  await defineEntity(org, profile);
  await deploy(org);
  const colleague = await prodFounder(org);
  const production = await inProduction(org);
  const people = [await signIn(production), await signIn(production)];
  for (const person of people) await create(colleague, 'profile', { title: person.email, owner_id: person.id });
  await removeEntity(org, 'profile');
  await deploy(org);
  for (const person of people) {
    const job = await inProd({ ...person.org, builder: org.builder }, person, 'erase', {
      ...{ records: 'keep', confirm: person.email },
    });
    assert.deepEqual([job.counts.changed, job.problems], [1, []]);
  }
  await rollback(org);
  const kept = JSON.stringify((await list(colleague, 'profile')).items);
  assert.ok(people.every(({ id }) => !kept.includes(id)));
});
