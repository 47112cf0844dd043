/** A whole platform on a cluster: one server of it hangs, fails, or gives its shards to another, under load. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import {
  create,
  list,
  lostOf,
  type Outcome,
  scopeOf,
  type Workspace,
  workspacesByServer,
} from '../testing/cluster-platform.ts';
import { eventually } from '../testing/eventually.ts';
import { startPlatform } from '../testing/platform-on-server.ts';
import { killServer, serverProcess, signalAll, signalSessions } from '../testing/server-processes.ts';
import { haveClusterAlone, testCluster, whyNotCluster } from '../testing/test-cluster.ts';
import { runOn } from '../testing/test-server.ts';

describe('a platform on a cluster', { skip: whyNotCluster }, () => {
  haveClusterAlone();
  test('serves the workspaces of the other server while one hangs, and refuses those of the hung one', async (t) => {
    const subject = await started(t);
    const { hung, others } = await workspacesByServer(subject);
    for (const workspace of [...hung, ...others]) assert.equal((await create(workspace)).status, 201);
    signalAll(subject.server, 'SIGSTOP');
    const refusals = hung.flatMap((workspace) => [list(workspace), create(workspace)]);
    let refused = 0;
    for (const refusal of refusals) void refusal.then(() => refused++);
    for (const workspace of others) {
      assert.equal((await list(workspace)).status, 200);
      assert.equal((await create(workspace)).status, 201);
    }
    assert.equal(refused, 0, 'the others waited for the server that hangs');
    assertRefused(await Promise.all(refusals));
    const ready = await fetch(`${subject.app}/readyz`);
    assert.match(await ready.text(), /"degraded"/);
    // Now the node knows.
    assertRefused(await Promise.all(hung.flatMap((workspace) => [list(workspace), create(workspace)])));
    for (const workspace of others) assert.equal((await list(workspace)).status, 200);
    await assertStarts(t, subject, others);
    signalAll(subject.server, 'SIGCONT');
    for (const workspace of hung) await untilServed(workspace);
    await assertKept([...hung, ...others]);
  });

  test('loses no write that it acknowledged when the processes of a server are killed under load', async (t) => {
    const subject = await started(t);
    const { hung, others } = await workspacesByServer(subject);
    const load = writeOn([...hung, ...others]);
    for (let round = 1; round <= 3; round++) {
      await load.untilAcknowledged(round * 100);
      signalSessions(subject.server, 'SIGKILL');
      for (const workspace of hung) await untilServed(workspace);
    }
    const outcomes = await load.end();
    assert.deepEqual(unexpected(outcomes, [201, 503]), []);
    await assertKept([...hung, ...others]);
    await assertNothingPrepared(subject);
  });

  test('loses no write that it acknowledged when a server is killed whole and starts again', async (t) => {
    const subject = await started(t);
    const { hung, others } = await workspacesByServer(subject);
    const load = writeOn([...hung, ...others]);
    await load.untilAcknowledged(200);
    const start = killServer(subject.server);
    t.after(start);
    for (const workspace of hung) assert.equal(await statusOtherThan(workspace, 201), 503);
    for (const workspace of others) assert.equal((await create(workspace)).status, 201);
    await assertStarts(t, subject, others);
    start();
    for (const workspace of hung) await untilServed(workspace);
    await load.untilAcknowledged(400);
    const outcomes = await load.end();
    assert.deepEqual(unexpected(outcomes, [201, 503]), []);
    await assertKept([...hung, ...others]);
    await assertNothingPrepared(subject);
  });

  test('goes on while a server is drained and the cluster rebalances itself: every call is served', async (t) => {
    await shardEachTableBy(4);
    t.after(() => shardEachTableBy('default'));
    const subject = await started(t);
    const { hung, others } = await workspacesByServer(subject);
    const all = [...hung, ...others];
    const load = writeOn(all);
    await load.untilAcknowledged(100);
    const setTaking = (isTaking: boolean) =>
      subject.run(`select citus_set_node_property(nodename, nodeport, 'shouldhaveshards', ${isTaking}) from pg_dist_node
        where groupid = (select groupid from pg_dist_node where nodeport = ${new URL(subject.worker).port} and noderole = 'primary')`);
    t.after(() => setTaking(true));
    for (const isTaking of [false, true]) {
      await setTaking(isTaking);
      await subject.run(`select citus_rebalance_start(shard_transfer_mode => 'force_logical')`);
      await subject.run('select citus_rebalance_wait()');
      assert.equal((await shardsOn(subject)) > 0, isTaking);
    }
    await load.untilAcknowledged(400);
    const outcomes = await load.end();
    assert.deepEqual(unexpected(outcomes, [200, 201]), []);
    await assertKept(all);
  });

  test('goes on while shards move under load: every call is served, and nothing is lost', async (t) => {
    const subject = await started(t);
    const { hung, others } = await workspacesByServer(subject);
    const all = [...hung, ...others];
    const load = writeOn(all);
    for (let round = 1; round <= 2; round++) {
      await load.untilAcknowledged(round * 100);
      for (const workspace of all.slice(0, 3)) await subject.run(moving(subject.schema, scopeOf(workspace)));
    }
    await load.untilAcknowledged(400);
    const outcomes = await load.end();
    assert.deepEqual(unexpected(outcomes, [200, 201]), []);
    await assertKept(all);
  });
});

interface Subject {
  readonly settings: Readonly<Record<string, string>>;
  readonly app: string;
  readonly management: string;
  readonly schema: string;
  /** The first process of a server, whose data is on `worker`. */
  readonly server: number;
  readonly worker: string;
  readonly run: (sql: string) => ReturnType<typeof runOn>;
}

async function started(t: TestContext): Promise<Subject> {
  const { url, workers, run } = testCluster();
  const [worker = ''] = workers;
  const server = await serverProcess(worker);
  assert.ok(server !== undefined, 'the servers of the cluster run on another machine');
  const schema = `whole_${randomBytes(4).toString('hex')}`;
  const address = new URL(url);
  address.searchParams.set('schema', schema);
  const folder = mkdtempSync(join(tmpdir(), 'freehold-cluster-'));
  const settings = { FREEHOLD_STORE: address.href, FREEHOLD_DATA_DIR: folder, FREEHOLD_CONSOLE: 'off' };
  const platform = await startPlatform(t, settings);
  t.after(async () => {
    signalAll(server, 'SIGCONT');
    platform.child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
    for (const space of ['platform', 'test', 'prod']) await run(`drop schema if exists "${schema}_${space}" cascade`);
  });
  return { ...platform, settings, schema: `${schema}_test`, server, worker, run };
}

/** A node that starts while a server is down serves the workspaces of the others. */
async function assertStarts(t: TestContext, { settings }: Subject, others: readonly Workspace[]): Promise<void> {
  const { app } = await startPlatform(t, settings);
  assert.match(await (await fetch(`${app}/readyz`)).text(), /"degraded"/);
  for (const workspace of others) assert.equal((await create({ ...workspace, app })).status, 201);
}

/** Each workspace is written and read without a pause. */
function writeOn(workspaces: readonly Workspace[]) {
  const outcomes: Outcome[] = [];
  let isOver = false;
  const writers = workspaces.map(async (workspace) => {
    while (!isOver) outcomes.push(await create(workspace));
  });
  const acknowledged = () => workspaces.reduce((sum, one) => sum + one.acknowledged.length, 0);
  return {
    async untilAcknowledged(count: number): Promise<void> {
      await eventually(`${count} acknowledged writes`, () => acknowledged() >= count);
    },
    async end(): Promise<readonly Outcome[]> {
      isOver = true;
      await Promise.all(writers);
      return outcomes;
    },
  };
}

async function untilServed(workspace: Workspace): Promise<void> {
  await eventually('the workspaces of the server that came back', async () => (await create(workspace)).status === 201);
}

/** The status of a create, once it is not `usual`. */
async function statusOtherThan(workspace: Workspace, usual: number): Promise<number> {
  for (;;) {
    const { status } = await create(workspace);
    if (status !== usual) return status;
  }
}

/** Of the tables that new sessions distribute. */
async function shardEachTableBy(count: number | 'default'): Promise<void> {
  const { run } = testCluster();
  const [row] = await run(
    `select format('alter database %I set citus.shard_count = ', current_database()) as statement`,
  );
  await run(`${row?.statement}${count}`);
}

async function shardsOn({ schema, worker, run }: Subject): Promise<number> {
  const [row] = await run(`select count(*)::int as count from citus_shards
    where nodeport = ${new URL(worker).port} and citus_table_type = 'distributed' and table_name::text like '${schema}.%'`);
  return Number(row?.count);
}

function assertRefused(outcomes: readonly Outcome[]): void {
  assert.deepEqual(unexpected(outcomes, [503]), []);
}

function unexpected(outcomes: readonly Outcome[], expected: readonly number[]): readonly number[] {
  return outcomes.map(({ status }) => status).filter((status) => !expected.includes(status));
}

async function assertKept(workspaces: readonly Workspace[]): Promise<void> {
  for (const workspace of workspaces) assert.deepEqual(await lostOf(workspace), []);
}

/** A transaction over two servers would be prepared on both; a commit is of one scope, and so of one server. */
async function assertNothingPrepared({ run }: Subject): Promise<void> {
  const { workers } = testCluster();
  const counted = 'select count(*)::int as count from pg_prepared_xacts';
  const rows = [await run(counted), ...(await Promise.all(workers.map((worker) => runOn(worker, counted))))];
  assert.deepEqual(
    rows.flat().map(({ count }) => count),
    rows.map(() => 0),
  );
}

/** Moves the shard of a scope to another server, as a rebalance does it. */
function moving(schema: string, scope: string): string {
  return `select citus_move_shard_placement(shardid, here.nodename, here.nodeport, there.nodename, there.nodeport, 'force_logical')
    from pg_dist_placement as placed join pg_dist_node as here using (groupid)
    cross join lateral (select nodename, nodeport from pg_dist_node as other
      where other.groupid <> here.groupid and other.shouldhaveshards order by other.groupid limit 1) as there
    where shardid = get_shard_id_for_distribution_column('"${schema}".heads', '${scope}')`;
}
