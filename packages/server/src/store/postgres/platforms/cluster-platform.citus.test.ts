/** A whole platform on a cluster: one server of it hangs, fails, or gives its shards to another, under load. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as after } from 'node:timers/promises';
import {
  create,
  list,
  lostOf,
  makeWorkspaces,
  type Outcome,
  scopeOf,
  type Workspace,
} from '../testing/cluster-platform.ts';
import { startPlatform } from '../testing/platform-on-server.ts';
import { serverProcess, signalAll, signalSessions } from '../testing/server-processes.ts';
import { haveClusterAlone, testCluster, whyNotCluster } from '../testing/test-cluster.ts';
import { runOn } from '../testing/test-server.ts';

describe('a platform on a cluster', { skip: whyNotCluster }, () => {
  haveClusterAlone();
  test('serves the workspaces of the other server while one hangs, and refuses those of the hung one', async (t) => {
    const subject = await started(t);
    const { hung, others } = await workspacesBy(subject);
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
    signalAll(subject.server, 'SIGCONT');
    for (const workspace of hung) await untilServed(workspace);
    await assertKept([...hung, ...others]);
  });

  test('loses no write that it acknowledged when the processes of a server are killed under load', async (t) => {
    const subject = await started(t);
    const { hung, others } = await workspacesBy(subject);
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

  test('goes on while shards move under load: every call is served, and nothing is lost', async (t) => {
    const subject = await started(t);
    const { hung, others } = await workspacesBy(subject);
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
  const platform = await startPlatform(t, {
    FREEHOLD_STORE: address.href,
    FREEHOLD_DATA_DIR: folder,
    FREEHOLD_CONSOLE: 'off',
  });
  t.after(async () => {
    signalAll(server, 'SIGCONT');
    platform.child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
    for (const space of ['platform', 'test', 'prod']) await run(`drop schema if exists "${schema}_${space}" cascade`);
  });
  return { ...platform, schema: `${schema}_test`, server, worker, run };
}

/** Of an org that lies on another server than the one which is to fail, so that only workspaces depend on that one. */
async function workspacesBy(subject: Subject) {
  const { schema, worker, run } = subject;
  const [local] = await runOn(worker, 'select groupid from pg_dist_local_group');
  const groupsOf = async (scopes: readonly string[]) => {
    const rows = await run(`select scope, groupid from unnest(array['${scopes.join(`', '`)}']) as scope
      join pg_dist_placement on shardid = get_shard_id_for_distribution_column('"${schema}".heads', scope)`);
    return new Map(rows.map(({ scope, groupid }) => [String(scope), Number(groupid)]));
  };
  const isHung = (group: number | undefined) => group === Number(local?.groupid);
  const names = Array.from({ length: 32 }, (_, number) => `acme${number}`);
  const groups = await groupsOf(names.map((name) => `org#${name}`));
  const org = names.find((name) => !isHung(groups.get(`org#${name}`)));
  assert.ok(org !== undefined);
  const workspaces = await makeWorkspaces(subject, org, 12);
  const placed = await groupsOf(workspaces.map(scopeOf));
  const by = (wanted: boolean) => workspaces.filter((one) => isHung(placed.get(scopeOf(one))) === wanted);
  assert.ok(by(true).length > 0 && by(false).length > 0, 'no workspace on one of the servers');
  return { hung: by(true), others: by(false) };
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
      while (acknowledged() < count) await after(20);
    },
    async end(): Promise<readonly Outcome[]> {
      isOver = true;
      await Promise.all(writers);
      return outcomes;
    },
  };
}

async function untilServed(workspace: Workspace): Promise<void> {
  const deadline = performance.now() + 120_000;
  while ((await create(workspace)).status !== 201) {
    assert.ok(performance.now() < deadline, 'the server came back, and its workspaces did not');
    await after(100);
  }
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
