/** A platform that is killed while it works on the data of a person goes on with it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from './eventually.ts';
import {
  type AppUser,
  act,
  count,
  defineEntity,
  definition,
  foundedOrg,
  list,
  manage,
  type Org,
  signIn,
} from './org.ts';
import { done, ended, type Line, type PersonJob, tryErase } from './person-jobs.ts';
import { type Platform, startPlatform, temporaryDirectory, verifyToEnd } from './platform.ts';

const recordsMade = 400;
const ownerIndexes = [
  { ownerFieldName: 'owner_id', gpkTemplate: 'org#{org};data#note;owner#{owner_id}', gskTemplate: '{id}' },
];

async function fill(org: Org, user: AppUser): Promise<void> {
  const fields = [{ name: 'title' }, { name: 'owner_id', colType: 'guid', required: false }];
  await defineEntity(org, { ...definition('note', fields), ownerIndexes });
  const rows = Array.from({ length: recordsMade }, (_, n) => `${JSON.stringify({ title: `${n}` })}\n`).join('');
  const headers = { 'content-type': 'application/x-ndjson' };
  const reply = await act(user, 'POST', '/import/note', { body: rows, headers });
  assert.equal(reply.status, 200, reply.text);
}

/** Waits until the job has found some records and not all, kills the platform, and starts it again. */
async function killedWithin(platform: Platform, dataDir: string, org: Org, id: string): Promise<Platform> {
  await eventually('the first records of the job', async () => {
    const { body } = await manage<PersonJob>(org, 'GET', `/org/person-jobs/${id}`);
    return (body.counts.owned ?? 0) > 0 || body.state === 'done';
  });
  await platform.kill();
  return startPlatform({ dataDir });
}

let turn: Promise<unknown> = Promise.resolve();

/** What comes up to a kill takes turns, so that nothing slows down the test that waits for its moment. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = turn.then(work);
  turn = mine.catch(() => undefined);
  return mine;
}

async function killedErase(dataDir: string, choice: 'keep' | 'delete_owned') {
  const first = await startPlatform({ dataDir });
  const { org, founder } = await foundedOrg(first);
  const person = await signIn(org);
  const admin = (await list(founder, 'aclpolicy', '?name=adminacl')).items[0];
  const link = { user_id: person.id, acl_policy_id: admin?.id };
  assert.equal((await act(founder, 'POST', '/create/useraclpolicy', { body: link })).status, 201);
  await fill(org, person);
  const started = await tryErase(org, person, choice);
  assert.equal(started.status, 202, started.text);
  return { started, founder, org, person, second: await killedWithin(first, dataDir, org, started.body.id) };
}

async function killedExport(dataDir: string) {
  const first = await startPlatform({ dataDir });
  const { org, founder } = await foundedOrg(first);
  await fill(org, founder);
  const path = `/org/app-users/${founder.id}/export`;
  const started = await manage<PersonJob>(org, 'POST', path, { body: { env: 'test' } });
  assert.equal(started.status, 202, started.text);
  return { started, org, second: await killedWithin(first, dataDir, org, started.body.id) };
}

// Each waits, side by side, until the lease of the process that was killed is over.
describe('a platform that is killed amid the data of a person', { concurrency: true }, () => {
  for (const choice of ['keep', 'delete_owned'] as const)
    test(`an erase that is killed goes on (${choice}), and leaves nothing of the person`, async () => {
      const dataDir = temporaryDirectory();
      const { started, founder, org, person, second } = await inTurn(() => killedErase(dataDir, choice));
      const again = { ...org, ...second };
      const user = { ...founder, org: again };
      done(await ended(again, started));
      assert.equal(await count(user, 'note', `?owner_id=${person.id}`), 0);
      assert.equal(await count(user, 'note'), choice === 'keep' ? recordsMade : 0);
      assert.deepEqual((await list(user, 'user', `?email=${encodeURIComponent(person.email)}`)).items, []);
      await second.kill();
      const verified = await verifyToEnd(dataDir);
      assert.equal(verified.code, 0, verified.stdout + verified.stderr);
    });

  test('an export that is killed has each record once', async () => {
    const dataDir = temporaryDirectory();
    const { started, org, second } = await inTurn(() => killedExport(dataDir));
    const again = { ...org, ...second };
    const job = done(await ended(again, started));
    const file = await manage(again, 'GET', `/org/person-jobs/${job.id}/file`);
    const lines = file.text
      .trim()
      .split('\n')
      .map((line): Line => JSON.parse(line));
    const ids = lines.flatMap(({ kind, data }) => (kind === 'record' ? [(data as { id: string }).id] : []));
    assert.deepEqual([ids.length, new Set(ids).size], [recordsMade, recordsMade]);
    assert.equal(lines.filter(({ kind }) => kind === 'end').length, 1);
    await second.kill();
  });
});

interface MergeJob extends PersonJob {
  readonly seen: string | null;
}

interface Account {
  readonly state: string;
  readonly merged_into: string | null;
}

/** Two accounts of one person, the first of which has all the records, and how their merge is asked for. */
async function twoAccounts(org: Org, founder: AppUser) {
  const [from, into] = [await signIn(org), await signIn(org)];
  const admin = (await list(founder, 'aclpolicy', '?name=adminacl')).items[0];
  const link = { user_id: from.id, acl_policy_id: admin?.id };
  assert.equal((await act(founder, 'POST', '/create/useraclpolicy', { body: link })).status, 201);
  await fill(org, from);
  return { from, into, path: `/org/app-users/${from.id}/merge`, requested: { env: 'test', into: into.id } };
}

/** So many records the merge has moved at least when the platform is killed. */
for (const moved of [1, recordsMade / 2])
  test(`a merge that is killed after ${moved} records is whole after the start: nothing is lost, and nothing is left to the other account`, async () => {
    const dataDir = temporaryDirectory();
    const first = await startPlatform({ dataDir });
    const { org, founder } = await foundedOrg(first);
    const { from, into, path, requested } = await twoAccounts(org, founder);
    const preview = await manage<MergeJob>(org, 'POST', `${path}?dry_run=true`, { body: requested });
    const { seen } = done(await ended(org, preview)) as MergeJob;
    const started = await manage<PersonJob>(org, 'POST', path, { body: { ...requested, seen } });
    assert.equal(started.status, 202, started.text);
    await eventually(`${moved} moved records`, async () => {
      const { body } = await manage<PersonJob>(org, 'GET', `/org/person-jobs/${started.body.id}`);
      return body.state === 'done' || (body.counts.changed ?? 0) >= moved;
    });
    await first.kill();

    const second = await startPlatform({ dataDir });
    const again = { ...org, ...second };
    done(await ended(again, started));
    const accounts = await Promise.all(
      [from, into].map(async ({ id }) => (await manage<Account>(again, 'GET', `/org/app-users/${id}`)).body),
    );
    assert.deepEqual(
      accounts.map(({ state, merged_into }) => [state, merged_into]),
      [
        ['merged', into.id],
        ['active', null],
      ],
    );
    const kept = await signIn(again, into.email);
    assert.equal((await signIn(again, from.email)).id, into.id);
    assert.deepEqual(
      [await count(kept, 'note'), await count(kept, 'note', `?owner_id=${into.id}`)],
      [recordsMade, recordsMade],
    );
    assert.equal(await count(kept, 'note', `?owner_id=${from.id}`), 0);
    const titles = new Set((await exportedTitles(kept)).map(Number));
    assert.deepEqual(titles.size, recordsMade);
    assert.deepEqual((await list(kept, 'user', `?email=${encodeURIComponent(from.email)}`)).items, []);
    await second.kill();
    const verified = await verifyToEnd(dataDir);
    assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  });

test('a merge whose request is cut off by the end of the platform is whole, or has not begun', async () => {
  const dataDir = temporaryDirectory();
  let running = await startPlatform({ dataDir });
  const { org, founder } = await foundedOrg(running);
  const { from, into, path, requested } = await twoAccounts(org, founder);
  for (let state = 'active', tries = 0; state === 'active'; tries++) {
    const at = { ...org, ...running };
    const preview = await manage<MergeJob>(at, 'POST', `${path}?dry_run=true`, { body: requested });
    const { seen } = done(await ended(at, preview)) as MergeJob;
    const sent = manage<PersonJob>(at, 'POST', path, { body: { ...requested, seen } });
    // First the platform ends while it is asked, then after its answer.
    if (tries > 0) await sent;
    await Promise.all([sent.catch(() => undefined), running.kill()]);
    running = await startPlatform({ dataDir });
    const after = { ...org, ...running };
    ({ state } = (await manage<Account>(after, 'GET', `/org/app-users/${from.id}`)).body);
    const [one, other] = [await signIn(after, from.email), await signIn(after, into.email)];
    if (state === 'active') {
      assert.deepEqual([one.id, other.id], [from.id, into.id]);
      assert.equal(await count(one, 'note', `?owner_id=${from.id}`), recordsMade);
    } else {
      assert.deepEqual([one.id, other.id], [into.id, into.id]);
      const all = async () => (await count(one, 'note', `?owner_id=${into.id}`)) === recordsMade;
      await eventually('all records at the other account', all);
      assert.equal(await count(one, 'note'), recordsMade);
    }
  }
  await running.kill();
});

async function exportedTitles(user: AppUser): Promise<readonly string[]> {
  const { status, text } = await act(user, 'GET', '/export/note?format=jsonl');
  assert.equal(status, 200, text);
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).title);
}
