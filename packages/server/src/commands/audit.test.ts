import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { auditEntry, platformAuditEntry } from '../audit/audit-entry.ts';
import { openSpace } from '../composition/open-spaces.ts';
import { systemClock } from '../lib/clock.ts';
import { orgs } from '../people/org-users/org-directory.ts';
import type { Item, OpenedStore } from '../store/port.ts';
import { bareEnvironment } from '../testing/command.ts';

const auditContext = { at: '2026-01-01T00:00:00.000Z', actor: { kind: 'org_user', id: 'u' }, request_id: 'r' } as const;

interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function audit(...words: readonly string[]): Promise<CommandResult> {
  return run('audit.ts', words);
}

function run(file: string, words: readonly string[]): Promise<CommandResult> {
  const program = join(import.meta.dirname, file);
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [program, ...words],
      { env: bareEnvironment },
      (_error, stdout, stderr) => {
        resolve({ code: child.exitCode ?? -1, stdout, stderr });
      },
    );
  });
}

async function using<T>(
  folder: string,
  space: 'platform' | 'test' | 'prod',
  work: (opened: OpenedStore) => Promise<T>,
): Promise<T> {
  const onFatal = (error: unknown) => assert.fail(String(error));
  const opened = await openSpace(space, { kind: 'sqlite', folder }, { clock: systemClock, onFatal });
  try {
    return await work(opened);
  } finally {
    await opened.store.close();
  }
}

async function dataFolder(context: TestContext): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'freehold-audit-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  await using(folder, 'platform', ({ store }) =>
    store
      .scope('platform')
      .commit([
        { kind: 'put', ...orgs.key('acme'), value: '{}', if: 'absent' },
        platformAuditEntry('acme', auditContext, { action: 'org.created' }),
      ]),
  );
  await using(folder, 'prod', async () => undefined);
  await using(folder, 'test', async ({ store }) => {
    for (const action of ['one', 'two', 'three'])
      await store.scope('org#acme').commit([auditEntry(auditContext, { action })]);
  });
  return folder;
}

/** Overwrites an entry, as an owner of the database could. */
async function overwrite(folder: string, action: string, by: string): Promise<Item> {
  return using(folder, 'test', async ({ maintenance }) => {
    const [head] = await maintenance.scopes(undefined, 1);
    assert.ok(head !== undefined);
    const items = await maintenance.scan(head.name, undefined, 100);
    const item = items.find(({ value }) => value.includes(`"${action}"`));
    assert.ok(item !== undefined);
    await maintenance.load(head, [{ ...item, value: item.value.replace(action, by) }]);
    return item;
  });
}

test('verify prints the head of each whole chain, and what was printed proves later that all is there', async (context) => {
  const folder = await dataFolder(context);
  const { code, stdout, stderr } = await audit('verify', '--data-dir', folder);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(
    stdout,
    /^head: platform "platform" "audit;acme" 1 [0-9a-f]{64}\nhead: test "org#acme" "audit" 3 [0-9a-f]{64}\n/,
  );
  assert.match(stdout, /^2 chains, 4 entries, all whole$/m);
  const noted = join(folder, 'noted');
  writeFileSync(noted, stdout);
  await using(folder, 'test', ({ store }) =>
    store.scope('org#acme').commit([auditEntry(auditContext, { action: 'four' })]),
  );
  assert.equal((await audit('verify', '--data-dir', folder, '--expect-file', noted)).code, 0);
  const digest = /3 ([0-9a-f]{64})/.exec(stdout)?.[1] ?? '';
  assert.equal((await audit('verify', '--data-dir', folder, '--expect', digest)).code, 0);
  const strange = await audit('verify', '--data-dir', folder, '--expect', 'f'.repeat(64));
  assert.equal(strange.code, 1);
  assert.match(strange.stdout, /^gone: no chain has an entry with the digest f{64}$/m);
});

test('verify ends with 1 and the place where an entry was changed', async (context) => {
  const folder = await dataFolder(context);
  const { sk } = await overwrite(folder, 'two', 'xxx');
  const { code, stdout } = await audit('verify', '--data-dir', folder);
  assert.equal(code, 1);
  assert.ok(
    stdout.includes(`broken: test "org#acme" "audit" at "${sk}": the entry does not follow from the 1 before it`),
  );
  assert.match(stdout, /^2 chains, 2 entries, 1 broken$/m);
});

/** Runs SQL on a store, as an owner of the database could. */
function tamper(folder: string, space: string, sql: string): void {
  using database = new DatabaseSync(join(folder, `${space}.db`));
  database.exec(sql);
}

test('a store that is gone or was emptied is missed by every command that looks at it, and not made again', async (context) => {
  for (const space of ['platform', 'test', 'prod']) {
    const folder = await dataFolder(context);
    const path = join(folder, `${space}.db`);
    for (const leave of [() => undefined, () => writeFileSync(path, '')]) {
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
      leave();
      const isThere = existsSync(path);
      for (const [file, words] of [
        ['audit.ts', ['verify']],
        ['audit.ts', ['export']],
        ['verify.ts', []],
        ['recount.ts', ['--repair']],
      ] as const) {
        const { code, stdout, stderr } = await run(file, [...words, '--data-dir', folder]);
        assert.deepEqual([code, stdout], [2, ''], `${space} ${file}`);
        assert.equal(stderr, `\`${path}\` is missing, and the others are there: restore a backup\n`);
        assert.equal(existsSync(path), isThere);
      }
    }
  }
});

test('verify tells of a scope whose head was removed, whether or not there is a chain in it', async (context) => {
  const folder = await dataFolder(context);
  tamper(folder, 'test', 'delete from heads');
  const { code, stdout } = await audit('verify', '--data-dir', folder);
  assert.equal(code, 1);
  assert.match(stdout, /^broken: test "org#acme" "audit" at its end: the head row of the scope is missing$/m);
  assert.match(stdout, /^2 chains, 4 entries, 1 broken$/m);
  tamper(folder, 'test', `insert into items (scope, pk, sk, version, value) values ('org#acme-main', 'p', 'k', 1, '')`);
  assert.match(
    (await audit('verify', '--data-dir', folder)).stdout,
    /^broken: test "org#acme-main" "audit" at its end/m,
  );
});

test('verify misses the chain of an org that was removed as a whole, with its head', async (context) => {
  const folder = await dataFolder(context);
  tamper(folder, 'platform', `delete from items where pk = 'audit;acme' or pk = 'chain' and sk = 'audit;acme'`);
  const { code, stdout } = await audit('verify', '--data-dir', folder);
  assert.equal(code, 1);
  assert.match(stdout, /^broken: platform "platform" "audit;acme" at its end: the head of the chain is missing$/m);
});

test('a file that holds no digest proves nothing, and is refused', async (context) => {
  const folder = await dataFolder(context);
  const noted = join(folder, 'noted');
  for (const text of ['', '0 chains, 0 entries, all whole\n']) {
    writeFileSync(noted, text);
    const { code, stdout, stderr } = await audit('verify', '--data-dir', folder, '--expect-file', noted);
    assert.deepEqual([code, stdout], [2, '']);
    assert.ok(stderr.startsWith(`\`${noted}\` holds no digest, so it proves nothing`), stderr);
  }
});

test('a copy, and a backup that is restored, have the chains of what they were made from, and go on with them', async (context) => {
  const folder = await dataFolder(context);
  writeFileSync(join(folder, 'secrets.json'), '{}', { mode: 0o600 });
  const noted = join(folder, 'noted');
  writeFileSync(noted, (await audit('verify', '--data-dir', folder)).stdout);
  const [copied, restored, file] = ['copied', 'restored', 'a.backup'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const copy = await run('copy.ts', ['--from', `sqlite:${folder}`, '--to', `sqlite:${copied}`]);
  assert.deepEqual([copy.code, copy.stderr], [0, '']);
  assert.equal((await run('backup.ts', [file, '--data-dir', folder])).code, 0);
  assert.equal((await run('restore.ts', [file, '--data-dir', restored])).code, 0);
  for (const made of [copied, restored]) {
    await using(made, 'test', ({ store }) =>
      store.scope('org#acme').commit([auditEntry(auditContext, { action: 'later' })]),
    );
    const { code, stdout } = await audit('verify', '--data-dir', made, '--expect-file', noted);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^2 chains, 5 entries, all whole$/m);
  }
});

test('export writes a line of JSON for each entry', async (context) => {
  const folder = await dataFolder(context);
  const { code, stdout } = await audit('export', '--data-dir', folder);
  assert.equal(code, 0);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ space, scope, entry }) => [space, scope, JSON.parse(entry).action]),
    [
      ['platform', 'platform', 'org.created'],
      ['test', 'org#acme', 'one'],
      ['test', 'org#acme', 'two'],
      ['test', 'org#acme', 'three'],
    ],
  );
  assert.equal((await audit('export', '--data-dir', folder, '--org', 'other')).stdout, '');
});

test('what the command does not know, and a folder without a platform, end with 2', async (context) => {
  const folder = await dataFolder(context);
  const empty = mkdtempSync(join(tmpdir(), 'freehold-audit-'));
  context.after(() => rmSync(empty, { recursive: true, force: true }));
  for (const words of [[], ['seal'], ['verify', 'more'], ['verify', '--expect', 'x', '--data-dir', folder]])
    assert.equal((await audit(...words)).code, 2, words.join(' '));
  const missing = await audit('verify', '--data-dir', empty);
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /there is no data of a platform in/);
});
