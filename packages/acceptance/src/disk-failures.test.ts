import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { call, type Reply } from './call.ts';
import { netMilliseconds } from './eventually.ts';
import { type Fault, failCalls, whyNoFaults } from './failing-calls.ts';
import { type AppUser, act, count, create, defineEntity, definition, foundedOrg, list, signIn } from './org.ts';
import { type Platform, type StartOptions, startPlatform, verifyToEnd, whyNoDataDir } from './platform.ts';
import { smallDisk, whyNoDisk } from './small-disk.ts';

const skip = whyNoDataDir || whyNoFaults;
/** A net for a platform that goes on where it has to end. */
const timeout = netMilliseconds;
const operatorKey = 'g7Vt2kQx9LmZp4RwYb6NsHc3JdFe8TuA';

interface Stage {
  readonly platform: Platform;
  readonly founder: AppUser;
  /** The ids of records whose creation was answered. */
  readonly answered: string[];
  readonly log: string;
  readonly database: string;
}

async function stageOf(t: TestContext, options: StartOptions = {}): Promise<Stage> {
  const platform = await startPlatform(options);
  t.after(() => platform.kill());
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, definition('order', [{ name: 'title', colType: 'string', index: true }]));
  const { id } = await create(founder, 'order', { title: 'the first' });
  const file = (name: string) => join(platform.dataDir, name);
  return { platform, founder, answered: [id], log: file('test.db-wal'), database: file('test.db') };
}

async function fail({ platform }: Stage, fault: Fault) {
  assert.ok(platform.child.pid !== undefined);
  return failCalls(platform.child.pid, fault);
}

/** What a create is answered; undefined where the connection broke off. Notes what was promised. */
async function tryCreate({ founder, answered }: Stage, title = 'another'): Promise<Reply | undefined> {
  try {
    const reply = await act(founder, 'POST', '/create/order', { body: { title } });
    if (reply.status < 300) answered.push(String(reply.body.id));
    return reply;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Nothing has drifted in the files of the platform that has ended, and each answered write is read again. */
async function assertKept(stage: Stage, t: TestContext): Promise<void> {
  const { code, stdout, stderr } = await verifyToEnd(stage.platform.dataDir);
  assert.equal(code, 0, `${stdout}${stderr}`);
  const next = await startedAgain(stage, t);
  for (const id of stage.answered) assert.equal((await act(next.founder, 'GET', `/item/order/${id}`)).status, 200, id);
  await create(next.founder, 'order', { title: 'after the failure' });
  await next.platform.terminate();
}

/** Another process on the files of the last one. */
async function startedAgain(stage: Stage, t: TestContext): Promise<Stage> {
  const platform = await startPlatform({ dataDir: stage.platform.dataDir });
  t.after(() => platform.kill());
  const { app, management } = platform;
  return { ...stage, platform, founder: { ...stage.founder, org: { ...stage.founder.org, app, management } } };
}

test('D18: while the disk is full writes are refused with 503 and reads answered, and writes go on when there is room', {
  skip,
}, async (t) => {
  const stage = await stageOf(t);
  const { platform, founder, answered } = stage;
  const before = await list(founder, 'order');
  const fault = await fail(stage, { calls: 'pwrite64', error: 'ENOSPC', files: [stage.log] });
  for (let round = 0; round < 5; round++) {
    const refused = await tryCreate(stage);
    assert.ok(refused !== undefined);
    assertProblem(refused, 'unavailable');
    assert.deepEqual(await list(founder, 'order'), before);
    assert.equal((await act(founder, 'GET', `/item/order/${answered[0]}`)).status, 200);
  }
  const update = await act(founder, 'PUT', `/update/order/${answered[0]}`, { body: { title: 'changed' } });
  assertProblem(update, 'unavailable');
  const removal = await act(founder, 'DELETE', `/delete/order/${answered[0]}`);
  assertProblem(removal, 'unavailable');
  assert.equal((await call('GET', `${platform.app}/readyz`)).status, 200);
  await fault.end();
  assert.equal((await tryCreate(stage))?.status, 201);
  await signIn(founder.org);
  assert.equal(await count(founder, 'order'), 2);
  assert.equal((await platform.terminate()).code, 0);
  await assertKept(stage, t);
});

const fatal: readonly (Omit<Fault, 'files'> & { readonly what: string })[] = [
  { what: 'a sync of the log fails', calls: 'fsync,fdatasync', error: 'EIO' },
  { what: 'a write to the log fails', calls: 'pwrite64', error: 'EIO' },
  { what: 'the log may not grow', calls: 'pwrite64', error: 'EFBIG' },
];

for (const { what, ...fault } of fatal)
  test(`D18: when ${what} the write is not answered with success, and the platform ends and says why`, {
    skip,
    timeout,
  }, async (t) => {
    const stage = await stageOf(t);
    const { platform } = stage;
    const planted = await fail(stage, { ...fault, files: [stage.log] });
    const replies = await Promise.all([1, 2, 3].map(() => tryCreate(stage)));
    for (const reply of replies) {
      // What came behind the write that failed was not begun.
      if (reply?.text.includes('"unavailable"')) assertProblem(reply, 'unavailable');
      else if (reply !== undefined) assertProblem(reply, 'outcome_unknown');
    }
    assert.deepEqual(await platform.ended, { code: 1, signal: null });
    await planted.end();
    assert.match(platform.stderr(), /the store failed: shutting down, so that the next start recovers it/);
    assert.match(platform.stderr(), /the disk failed while a commit was stored.*disk I\/O error/s);
    await assertKept(stage, t);
  });

test('D18: when the database file cannot be synced the platform ends, and what it had answered is kept', {
  skip,
  timeout,
}, async (t) => {
  const stage = await stageOf(t);
  const planted = await fail(stage, { calls: 'fsync,fdatasync', error: 'EIO', files: [stage.database] });
  // The log goes into the file when it has grown to 4 MB.
  let isUp = true;
  for (let round = 0; round < 500 && isUp; round++) isUp = (await tryCreate(stage, 'x'.repeat(40_000))) !== undefined;
  assert.deepEqual(await stage.platform.ended, { code: 1, signal: null });
  await planted.end();
  assert.ok(stage.answered.length > 20, `${stage.answered.length} were answered`);
  assert.match(stage.platform.stderr(), /disk I\/O error.*the store failed: shutting down/s);
  await assertKept(stage, t);
});

test('D18: what cannot be read is answered with 503 and never in part, and the platform is not ready', {
  skip,
}, async (t) => {
  const first = await stageOf(t);
  for (let index = 0; index < 30; index++) await tryCreate(first, `${index} ${'x'.repeat(20_000)}`);
  await first.platform.terminate();
  // A new process has no pages in memory.
  const stage = await startedAgain(first, t);
  const { platform, founder } = stage;
  const before = await act(founder, 'GET', `/item/order/${first.answered[0]}`);
  assert.equal(before.status, 200);
  const planted = await fail(stage, { calls: 'pread64', error: 'EIO', files: [stage.database, stage.log] });
  assertProblem(await act(founder, 'GET', '/list/order?pagesize=200'), 'unavailable');
  assert.equal((await call('GET', `${platform.app}/readyz`)).status, 503);
  await planted.end();
  assert.equal((await list(founder, 'order', '?pagesize=200')).items.length, 31);
  await platform.kill();
  await assertKept(stage, t);
});

test('D18: keys that cannot be written stay as they were, and are rotated when there is room', { skip }, async (t) => {
  const stage = await stageOf(t, { env: { FREEHOLD_OPERATOR_KEY: operatorKey } });
  const { platform, founder } = stage;
  const rotate = () => call('POST', `${platform.management}/platform/keys/rotate`, { token: operatorKey });
  const shown = () => call('GET', `${platform.management}/platform/keys`, { token: operatorKey });
  const before = (await shown()).text;
  const secrets = join(platform.dataDir, 'secrets.json');
  const kept = readFileSync(secrets, 'utf8');
  for (const fault of [
    { calls: 'write,pwrite64,writev', error: 'ENOSPC' },
    { calls: 'fsync,fdatasync', error: 'EIO' },
  ] as const) {
    const planted = await fail(stage, { ...fault, files: [`${secrets}.new`] });
    assertProblem(await rotate(), 'unavailable');
    await planted.end();
    assert.equal(readFileSync(secrets, 'utf8'), kept);
    assert.deepEqual(
      readdirSync(platform.dataDir).filter((name) => name.endsWith('.new')),
      [],
    );
    assert.equal((await shown()).text, before);
    assert.equal((await act(founder, 'GET', '/user/me')).status, 200);
  }
  assert.equal((await rotate()).status, 201);
  await platform.terminate();
  await assertKept(stage, t);
});

test('D18: on a disk that is full to the last byte reads are answered, also after a kill, and writes go on with room', {
  skip: whyNoDataDir || whyNoDisk,
}, async (t) => {
  const disk = smallDisk(t);
  const dataDir = join(disk.folder, 'data');
  const stage = await stageOf(t, { dataDir });
  disk.fill();
  let refused = 0;
  // The contents of the log already is written over first, which needs no room.
  for (let round = 0; round < 300 && refused < 3; round++) {
    const reply = await tryCreate(stage, 'x'.repeat(20_000));
    assert.ok(reply !== undefined, stage.platform.stderr());
    if (reply.status === 201) continue;
    assertProblem(reply, 'unavailable');
    refused += 1;
  }
  assert.equal(refused, 3);
  assert.equal(await count(stage.founder, 'order'), stage.answered.length);
  assert.equal((await list(stage.founder, 'order', '?pagesize=5')).items.length, Math.min(5, stage.answered.length));
  disk.makeRoom();
  assert.equal((await tryCreate(stage))?.status, 201);
  disk.fill();
  await stage.platform.kill();
  const { platform, founder } = await startedAgain(stage, t);
  assert.equal(await count(founder, 'order'), stage.answered.length);
  disk.makeRoom();
  await create(founder, 'order', { title: 'with room again' });
  assert.equal((await platform.terminate()).code, 0);
  await assertKept(stage, t);
});
