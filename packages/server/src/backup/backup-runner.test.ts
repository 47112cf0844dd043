import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type BackupFacts, readFacts, writeFacts } from './backup-facts.ts';
import { type BackupRecord, BackupRunner } from './backup-runner.ts';
import { createBackups } from './backups.ts';
import type { CommandEnd } from './run-command.ts';

const now = Date.UTC(2026, 0, 31, 3);
const name = 'freehold-20260131T030000000Z.backup';

/** A runner whose commands end as the test says. */
function runnerOf(context: TestContext, { hasFolder = true, takesEntries = true } = {}) {
  const parent = mkdtempSync(join(tmpdir(), 'freehold-runner-'));
  context.after(() => rmSync(parent, { recursive: true, force: true }));
  const folder = hasFolder ? join(parent, 'backups') : join(parent, 'missing', 'backups');
  if (hasFolder) mkdirSync(folder);
  const commands: { readonly words: readonly string[]; readonly end: (end: Partial<CommandEnd>) => void }[] = [];
  const records: string[] = [];
  const errors: string[] = [];
  const runner = new BackupRunner({
    ...{ folder, dataDir: parent, platform: 'own', keep: 1, clock: { now: () => now } },
    run: (words) => {
      const ended = Promise.withResolvers<CommandEnd>();
      const end = (how: Partial<CommandEnd>) =>
        ended.resolve({ code: null, signal: null, stdout: '', stderr: '', ...how });
      commands.push({ words, end });
      return { ended: ended.promise, kill: () => end({ signal: 'SIGKILL' }) };
    },
    record: async ({ action, name: of }: BackupRecord) => {
      if (!takesEntries) throw new Error('the store is down');
      records.push(`${action} ${of}`);
    },
    onError: (error) => errors.push(error instanceof Error ? error.message : String(error)),
  });
  return { runner, folder, commands, records, errors };
}

/** Waits until nothing runs. */
async function settled(runner: BackupRunner): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    try {
      return runner.check();
    } catch {
      // It is still at work.
    }
  }
}

test('a command that fails leaves a note with its sentence, and another backup can be begun', async (context) => {
  const { runner, folder, commands, records } = runnerOf(context);
  runner.begin(name, 'operator');
  assert.equal(readFacts(folder, name)?.state, 'running');
  assert.throws(() => runner.check(), /a backup is running/);
  assert.throws(() => runner.begin('other.backup', 'operator'), /one runs at a time/);
  assert.throws(() => runner.remove(name), /is running/);
  mkdirSync(join(folder, `${name}.partial`));
  commands[0]?.end({ code: 2, stderr: 'the backup could not be made: no space\n' });
  await settled(runner);
  const { state, problem } = readFacts(folder, name) ?? {};
  assert.deepEqual([state, records], ['failed', [`backup.failed ${name}`]]);
  assert.equal(problem, 'the backup could not be made: no space');
  assert.deepEqual(readdirSync(folder), [`${name}.json`]);
});

test('what has happened is noted also where the store takes no entry of it', async (context) => {
  const { runner, folder, commands, errors } = runnerOf(context, { takesEntries: false });
  runner.begin(name, 'operator');
  commands[0]?.end({ code: 2, stderr: 'no space\n' });
  await runner.close();
  assert.equal(readFacts(folder, name)?.state, 'failed');
  assert.ok(errors.includes('the store is down'));
});

test('a scheduled backup that cannot be begun is reported, and waits for the next time', async (context) => {
  const { runner, folder, commands, records, errors } = runnerOf(context, { hasFolder: false });
  await runner.startScheduled();
  assert.deepEqual([commands.length, runner.lastScheduled], [0, now]);
  assert.deepEqual(records, [`backup.failed ${name}`]);
  assert.match(errors[0] ?? '', /was not begun: the folder for backups cannot be used \(ENOENT\)/);
  assert.equal(existsSync(folder), false);
});

test('what an earlier run has left has failed; of others nothing is touched', async (context) => {
  const { runner, folder, records } = runnerOf(context);
  const begun_at = new Date(now).toISOString();
  const left: BackupFacts = { name, platform: 'own', made_by: 'schedule', begun_at, state: 'running' };
  writeFacts(folder, left);
  writeFacts(folder, { ...left, name: 'other.backup', platform: 'another' });
  const test = { result: 'running', at: begun_at } as const;
  writeFacts(folder, { ...left, name: 'tested.backup', state: 'complete', test });
  for (const aside of [`${name}.partial`, 'other.backup.partial', 'tested.backup.test']) mkdirSync(join(folder, aside));
  await runner.clean();
  assert.equal(readFacts(folder, name)?.problem, 'the platform ended before it was complete');
  assert.deepEqual(readFacts(folder, 'tested.backup')?.test, {
    ...test,
    result: 'failed',
    problem: 'the platform ended during the test',
  });
  assert.equal(readFacts(folder, 'other.backup')?.state, 'running');
  assert.deepEqual(
    readdirSync(folder).filter((file) => !file.endsWith('.json')),
    ['other.backup.partial'],
  );
  assert.deepEqual([records, runner.lastScheduled], [[`backup.failed ${name}`], now]);
  assert.throws(() => runner.test('none.backup', { bytes: 1, created_at: begun_at }), /nothing here/);
});

test('monitoring is told when the last scheduled backup was made that passed its restore test, and what failed', async (context) => {
  const { runner, folder, commands } = runnerOf(context);
  const at = new Date(now).toISOString();
  const good: BackupFacts = {
    ...{
      name: 'good.backup',
      platform: 'own',
      made_by: 'schedule',
      begun_at: '2026-01-29T03:00:00.000Z',
      state: 'complete',
    },
    test: { result: 'passed', at },
  };
  writeFacts(folder, { ...good, name: 'older.backup', begun_at: '2026-01-28T03:00:00.000Z' });
  writeFacts(folder, good);
  writeFacts(folder, { ...good, name: 'of another.backup', platform: 'another', begun_at: at });
  writeFacts(folder, { ...good, name: 'untested.backup', begun_at: at, test: { result: 'drifted', at } });
  writeFacts(folder, { ...good, name: 'by-hand.backup', made_by: 'operator', begun_at: at });
  assert.deepEqual(runner.backupState(), { passedAt: undefined, failures: { backup: 0, restore_test: 0 } });
  await runner.clean();
  assert.equal(runner.backupState().passedAt, Date.parse(good.begun_at));
  runner.begin(name, 'operator');
  commands[0]?.end({ code: 2, stderr: 'no space\n' });
  await settled(runner);
  writeFileSync(join(folder, 'good.backup'), '');
  runner.test('good.backup', { bytes: 0, created_at: at });
  while (commands.length < 2) await new Promise((resolve) => setImmediate(resolve));
  commands[1]?.end({ code: 2, stderr: 'it is damaged\n' });
  await settled(runner);
  assert.deepEqual(runner.backupState().failures, { backup: 1, restore_test: 1 });
  // A backup that failed its test is no longer good.
  assert.equal(runner.backupState().passedAt, Date.parse('2026-01-28T03:00:00.000Z'));
  runner.remove('older.backup');
  while (runner.backupState().passedAt !== undefined) await new Promise((resolve) => setImmediate(resolve));
});

test('a backup whose restore test is seen to have passed can be tested again and removed, and monitoring knows of it', async (context) => {
  const { runner, folder, commands } = runnerOf(context);
  const at = new Date(now).toISOString();
  const file = { bytes: 0, created_at: at };
  writeFacts(folder, { name, platform: 'own', made_by: 'schedule', begun_at: at, state: 'complete', file });
  writeFileSync(join(folder, name), '');
  for (let tests = 1; tests <= 2; tests++) {
    runner.test(name, file);
    while (commands.length < tests) await new Promise((resolve) => setImmediate(resolve));
    commands.at(-1)?.end({ code: 0, stdout: 'nothing has drifted\n' });
    while (readFacts(folder, name)?.test?.result !== 'passed') await new Promise((resolve) => setImmediate(resolve));
    runner.check();
    assert.equal(runner.backupState().passedAt, now);
  }
  runner.remove(name);
  assert.deepEqual(readdirSync(folder), []);
});

test('a removal that a restore test keeps from being done is refused before it is recorded', async (context) => {
  const { runner, folder, commands } = runnerOf(context);
  const clock = { now: () => now };
  const settings = { backupSchedule: undefined, backupKeep: 1 };
  const backups = createBackups({ folder, dataDir: folder, settings, runner, clock });
  writeFileSync(join(folder, name), 'no archive');
  const recorded: string[] = [];
  const remove = () =>
    backups.remove(name, async (of) => {
      recorded.push(of);
    });
  runner.test(name, { bytes: 10, created_at: new Date(now).toISOString() });
  await assert.rejects(remove, { code: 'conflict', message: `a restore test of \`${name}\` is running` });
  assert.deepEqual([recorded, existsSync(join(folder, name))], [[], true]);
  while (commands.length === 0) await new Promise((resolve) => setImmediate(resolve));
  commands[0]?.end({ code: 2 });
  await settled(runner);
  await remove();
  assert.deepEqual([recorded, existsSync(join(folder, name))], [[name], false]);
});
