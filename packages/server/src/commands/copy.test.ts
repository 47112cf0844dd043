import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openSpaces, openVaultOf } from '../composition/open-spaces.ts';
import type { OpenedStore } from '../store/port.ts';
import { everythingOf } from '../store/testing/conformance/store-contents.ts';
import { openStore } from '../store/testing/open-store.ts';
import { bareEnvironment, runProgram } from '../testing/command.ts';
import { SteppedClock } from '../testing/record-bench.ts';

const program = join(import.meta.dirname, 'copy.ts');
const spaces = ['platform', 'test', 'prod'] as const;

interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function copy(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [program, ...words],
      { env: { ...bareEnvironment, ...env } },
      (_error, stdout, stderr) => {
        resolve({ code: child.exitCode ?? -1, stdout, stderr });
      },
    );
  });
}

async function using<T>(dataDir: string, space: string, work: (opened: OpenedStore) => Promise<T>): Promise<T> {
  const onFatal = (error: unknown) => assert.fail(String(error));
  const path = join(dataDir, `${space}.db`);
  const opened = await openStore({ kind: 'sqlite', path, clock: new SteppedClock(), onFatal });
  try {
    return await work(opened);
  } finally {
    await opened.store.close();
  }
}

async function contentsOf(dataDir: string) {
  const all = [];
  for (const space of spaces) all.push(await using(dataDir, space, ({ maintenance }) => everythingOf(maintenance)));
  return all;
}

const secrets = { cursor_key: Buffer.alloc(32, 7).toString('base64url') };

async function folders(context: TestContext, itemsOfTest: number) {
  const folder = mkdtempSync(join(tmpdir(), 'freehold-copy-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const [from, to] = [join(folder, 'from'), join(folder, 'to')];
  mkdirSync(from);
  for (const space of spaces)
    await using(from, space, async ({ store, maintenance }) => {
      for (let done = 0; done < (space === 'test' ? itemsOfTest : 3); done += 500)
        await store.scope('s').commit(
          Array.from({ length: 500 }, (_, index) => {
            const sk = String(done + index).padStart(6, '0');
            return { kind: 'put', pk: 'p', sk, value: space.repeat(20), if: 'any' } as const;
          }),
        );
      await store.scope('shut').commit([{ kind: 'append', pk: 'log', value: space }]);
      await maintenance.setState('shut', 'closed');
    });
  writeFileSync(join(from, 'secrets.json'), JSON.stringify(secrets), { mode: 0o600 });
  return { folder, from, to, words: ['--from', `sqlite:${from}`, '--to', `sqlite:${to}`] };
}

test('a folder is copied into another with its secrets, and reported in numbers', async (context) => {
  const { from, to, words } = await folders(context, 500);
  const { code, stdout, stderr } = await copy(words);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^prod: 2 scopes, 501 items, 501 of them written now\ntest: .*\nplatform: .*\ndone: /);
  assert.deepEqual(await contentsOf(to), await contentsOf(from));
  assert.deepEqual(JSON.parse(readFileSync(join(to, 'secrets.json'), 'utf8')), secrets);
  for (const name of readdirSync(to)) assert.equal(statSync(join(to, name)).mode & 0o777, 0o600, name);
});

test('a copy that is killed again and again goes on, and its target takes no commit until it is whole', async (context) => {
  const { from, to, words } = await folders(context, 20_000);
  let [killed, started] = [0, 0];
  for (const bytes of [1, 200_000, 1_500_000]) {
    const child = spawn(process.execPath, [program, ...words], { env: bareEnvironment, stdio: 'ignore' });
    await killWhen(child, () => sizeOf(join(to, 'test.db-wal')) + sizeOf(join(to, 'test.db')) > bytes);
    if (child.signalCode !== 'SIGKILL') continue;
    killed++;
    const hasStarted = await using(to, 'platform', async ({ maintenance }) => {
      const heads = await maintenance.scopes(undefined, 10);
      for (const { state } of heads) assert.equal(state, 'closed');
      return heads.length > 0;
    });
    if (!hasStarted) continue;
    started++;
    const unfinished = /a copy into `.*` was begun and not finished: run the same `freehold copy` again/;
    await assert.rejects(startOn(to), unfinished);
    assert.match((await runProgram(join(import.meta.dirname, 'recount.ts'), ['--data-dir', to])).stderr, unfinished);
  }
  assert.ok(killed > 0 && started > 0);
  const { code, stderr } = await copy(words);
  assert.deepEqual([code, stderr], [0, '']);
  assert.deepEqual(await contentsOf(to), await contentsOf(from));
});

/** As far as a start goes before it writes anything. */
async function startOn(folder: string): Promise<void> {
  const place = { kind: 'sqlite', folder } as const;
  const config = { store: place, storeProd: place, masterKey: undefined };
  const onFatal = (error: unknown) => assert.fail(String(error));
  const opened = await openSpaces(
    { ...config, storeCacheMegabytes: 8, recordCacheMegabytes: 0 },
    { clock: new SteppedClock(), onFatal },
  );
  try {
    await openVaultOf(opened, config);
  } finally {
    for (const { store } of [opened.platform, opened.test, opened.prod]) await store.close();
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

async function killWhen(child: ChildProcess, isTime: () => boolean): Promise<void> {
  const ended = once(child, 'exit');
  while (child.exitCode === null && !isTime()) await new Promise((resolve) => setImmediate(resolve));
  child.kill('SIGKILL');
  await ended;
}

test('a platform that is running is not copied, nor is one copied over it', async (context) => {
  const { from, to, words } = await folders(context, 500);
  await using(from, 'platform', async () => {
    const { code, stderr } = await copy(words);
    assert.equal(code, 2);
    assert.match(stderr, /is open already: one process at a time/);
  });
  assert.ok(!existsSync(to));
  mkdirSync(to);
  await using(to, 'platform', async () => {
    const { code, stderr } = await copy(words);
    assert.equal(code, 2);
    assert.match(stderr, /is open already/);
  });
});

test('a folder of another platform, one without data and words that mean nothing are refused', async (context) => {
  const { folder, from, to, words } = await folders(context, 500);
  mkdirSync(to);
  await using(to, 'test', ({ store }) => store.scope('t').commit([{ kind: 'append', pk: 'log', value: '' }]));
  const before = await contentsOf(to);
  const other = await copy(words);
  assert.equal(other.code, 2);
  assert.match(other.stderr, /the target holds something else in `test`/);
  assert.deepEqual(await contentsOf(to), before);
  const none = await copy(['--from', `sqlite:${folder}`, '--to', `sqlite:${to}`]);
  assert.match(none.stderr, /there is no data of a platform/);
  assert.equal(existsSync(join(folder, 'platform.db')), false);
  assert.match((await copy(['--from', 'file:x', '--to', `sqlite:${to}`])).stderr, /take `sqlite:FOLDER` or/);
  assert.match((await copy(['--from', `sqlite:${from}`, '--to', 'env:NOWHERE'])).stderr, /`NOWHERE` is not set/);
});

test('an address with a password is taken from a variable, and never printed', async (context) => {
  const { from } = await folders(context, 500);
  const address = 'postgres://user:hush-hush@127.0.0.1:1/database';
  const { code, stdout, stderr } = await copy(['--from', `sqlite:${from}`, '--to', 'env:TARGET'], { TARGET: address });
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, /cannot be reached/);
  assert.doesNotMatch(stderr, /hush/);
});
