/** Distributing a platform's data while the command, or its session on the coordinator, is killed again and again. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as after } from 'node:timers/promises';
import { promisify } from 'node:util';
import { create, lostOf, makeWorkspaces, type Workspace } from '../testing/cluster-platform.ts';
import { eventually } from '../testing/eventually.ts';
import { startPlatform } from '../testing/platform-on-server.ts';
import { haveClusterAlone, testCluster, whyNotCluster } from '../testing/test-cluster.ts';

const command = join(import.meta.dirname, '..', '..', '..', '..', 'bin', 'freehold.mjs');
const stepMilliseconds = 400;

describe('distributing the data of a platform', { skip: whyNotCluster }, () => {
  haveClusterAlone();

  test('goes on from wherever it was killed, and nothing is lost or drifts', async (t) => {
    const { run, schema, env } = subjectOf(t);
    const workspaces = await filledPlatform(t, env);
    let kills = 0;
    // wall time: each kill comes a step later than the one before, so they come at many moments.
    for (let wait = stepMilliseconds; !(await distributes(env, wait, schema)); wait += stepMilliseconds) kills++;
    t.diagnostic(`killed ${kills} times`);
    assert.ok(kills > 2, `killed ${kills} times`);
    const { stdout } = await promisify(execFile)(process.execPath, [command, 'verify'], { env });
    assert.match(stdout, /nothing has drifted\n$/);
    const spread = await run(`select relname from pg_dist_partition join pg_class on pg_class.oid = logicalrelid
      join pg_namespace on pg_namespace.oid = relnamespace where starts_with(nspname, '${schema}_')`);
    assert.equal(spread.length, 9);
    const { app } = await startPlatform(t, env);
    for (const workspace of workspaces) {
      assert.deepEqual(await lostOf({ ...workspace, app }), []);
      assert.equal((await create({ ...workspace, app })).status, 201);
    }
  });
});

function subjectOf(t: TestContext) {
  const { url, run } = testCluster();
  const schema = `killed_${randomBytes(4).toString('hex')}`;
  const address = new URL(url);
  // The tables are there before the cluster is asked to spread them.
  address.search = `?schema=${schema}&application_name=${schema}`;
  const folder = mkdtempSync(join(tmpdir(), 'freehold-killed-'));
  t.after(async () => {
    rmSync(folder, { recursive: true, force: true });
    for (const space of ['platform', 'test', 'prod']) await run(`drop schema if exists "${schema}_${space}" cascade`);
  });
  return { run, schema, env: { FREEHOLD_STORE: address.href, FREEHOLD_DATA_DIR: folder, FREEHOLD_CONSOLE: 'off' } };
}

async function filledPlatform(t: TestContext, env: Readonly<Record<string, string>>): Promise<readonly Workspace[]> {
  const { child, ...platform } = await startPlatform(t, env);
  const workspaces = await makeWorkspaces(platform, 'acme', 4);
  for (const workspace of workspaces)
    for (let records = 0; records < 25; records++) assert.equal((await create(workspace)).status, 201);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
  return workspaces;
}

let runs = 0;

/** Whether the command came to its end. Every second time its sessions are ended before it is killed. */
async function distributes(env: Readonly<Record<string, string>>, wait: number, schema: string): Promise<boolean> {
  const { run } = testCluster();
  const child = spawn(process.execPath, [command, 'distribute'], { env, stdio: 'ignore' });
  const ended = once(child, 'exit');
  const code = await Promise.race([ended.then(([expected]) => expected as number | null), after(wait, 'running')]);
  if (code === 0) return true;
  const sessions = `from pg_stat_activity where application_name = '${schema}'`;
  if (runs++ % 2 === 0) await run(`select pg_terminate_backend(pid) ${sessions}`);
  child.kill('SIGKILL');
  await ended;
  // The server ends a statement whose client is gone only when it has something to tell it.
  await eventually('the end of the sessions', async () => (await run(`select ${sessions}`)).length === 0);
  return false;
}
