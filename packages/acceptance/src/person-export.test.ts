/** An org admin has the data of a person collected into a file. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { assertNow, weekSeconds } from './moments.ts';
import { act, create, defineEntity, definition, foundedOrg, manage, newEmail, signIn } from './org.ts';
import { ended, erase, exported, type Line, type PersonJob, previewErase } from './person-jobs.ts';
import { platformForTests } from './platform-for-tests.ts';
import { founderOf, makeWorkspace, multiOrg, refreshed } from './workspaces.ts';

const gateways = await platformForTests();

const ofKind = (lines: readonly Line[], kind: string): readonly Line[] => lines.filter((line) => line.kind === kind);

const ownerIndexes = [
  { ownerFieldName: 'owner_id', gpkTemplate: 'org#{org};data#note;owner#{owner_id}', gskTemplate: '{id}' },
];
const fields = [{ name: 'title' }, { name: 'owner_id', colType: 'guid', required: false }];

test('the file has the account, the sign-ins, the memberships and the records of every workspace', async () => {
  const org = await multiOrg(gateways);
  await defineEntity(org, { ...definition('note', fields), ownerIndexes });
  await defineEntity(org, definition('page', [{ name: 'title' }, { name: 'secret', colType: 'encrypted' }]));
  const host = await founderOf(org, 'Host');
  const first = await founderOf(org, 'First');
  const note = await create(first, 'note', { title: 'zuerst\n"é😀"' });
  assert.equal((await makeWorkspace(first, { name: 'Second' })).status, 201);
  const person = await refreshed(first);
  const page = await create(person, 'page', { title: 'second', secret: 'hidden value' });
  const invited = await act(host, 'POST', '/user/invitations', { body: { email: person.email } });
  assert.equal(invited.status, 201);
  await create(host, 'note', { title: 'not theirs' });

  const lines = await exported(org, person);
  assert.deepEqual([lines[0]?.kind, lines[0]?.format, lines.at(-1)?.kind], ['export', 1, 'end']);
  const [account] = ofKind(lines, 'account');
  assert.deepEqual([account?.id, account?.email, account?.has_password], [person.id, person.email, true]);
  assert.deepEqual(
    ofKind(lines, 'identity').map(({ provider, email }) => [provider, email]),
    [['password', person.email]],
  );
  assert.deepEqual(
    ofKind(lines, 'membership').map(({ tenant_code, policies }) => [tenant_code, policies]),
    ['first', 'second'].map((code) => [
      code,
      [{ policy: 'adminacl' }, { policy: 'adminacl', group: 'default-admins' }],
    ]),
  );
  assert.deepEqual(
    ofKind(lines, 'invitation').map(({ tenant_code, email }) => [tenant_code, email]),
    [['host', person.email]],
  );
  assert.deepEqual(
    ofKind(lines, 'record').map(({ tenant_code, entity, relation, data }) => [tenant_code, entity, relation, data]),
    [
      ['first', 'note', 'owned', note],
      ['second', 'page', 'created', { ...page, secret: undefined }].map((one) => one),
    ].map((row) => JSON.parse(JSON.stringify(row))),
  );
  const text = JSON.stringify(lines);
  for (const secret of ['hidden value', 'code_hash', 'password_hash', 'not theirs']) assert.ok(!text.includes(secret));
});

test('many records come in one file, and the list of jobs shows it to be there until it expires', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, definition('page', [{ name: 'title' }]));
  const rows = Array.from({ length: 1500 }, (_, n) => `${JSON.stringify({ title: `${n} ${'x'.repeat(400)}` })}\n`);
  const headers = { 'content-type': 'application/x-ndjson' };
  assert.equal((await act(founder, 'POST', '/import/page', { body: rows.join(''), headers })).status, 200);
  const lines = await exported(org, founder);
  assert.equal(new Set(ofKind(lines, 'record').map(({ data }) => (data as { id: string }).id)).size, 1500);
  const listed = await manage<{ items: readonly PersonJob[] }>(org, 'GET', `/org/person-jobs?user_id=${founder.id}`);
  const [job] = listed.body.items;
  assert.ok(job?.file !== null && job?.file !== undefined);
  assertNow(job.file.expires_at, weekSeconds);
});

test('a download is in the audit log; a job that is no export has no file; an erase removes the file', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const person = await signIn(org, newEmail('exported'));
  const started = await manage<PersonJob>(org, 'POST', `/org/app-users/${person.id}/export`, { body: { env: 'test' } });
  const { id } = await ended(org, started);
  const path = `/org/person-jobs/${id}/file`;
  const audited = async () => {
    const log = await manage<{ items: readonly { action: string }[] }>(org, 'GET', `/audit?target=${person.id}`);
    return log.body.items.map(({ action }) => action);
  };
  assert.equal((await manage(org, 'HEAD', path)).status, 200);
  assert.deepEqual(await audited(), ['app_user.export_begun']);
  assert.equal((await manage(org, 'GET', path)).status, 200);
  assert.deepEqual(await audited(), ['app_user.export_read', 'app_user.export_begun']);
  const preview = await previewErase(org, person, 'keep');
  assertProblem(await manage(org, 'GET', `/org/person-jobs/${preview.id}/file`), 'not_found');
  await erase(org, person, 'keep');
  assertProblem(await manage(org, 'GET', path), 'not_found');
  assert.equal((await act(founder, 'GET', '/user/me')).status, 200);
});
