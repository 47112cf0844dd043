/** Backups that are cut off, that meet each other, or that have no room; and those of a schedule. */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { call } from './call.ts';
import { auditedBackups, backupSettings, backupsOf, madeBackup, operate, whenBackup } from './operator-backups.ts';
import { operatorKey } from './plans.ts';
import { temporaryDirectory, whyNoDataDir } from './platform.ts';
import { platformOf } from './platform-for-tests.ts';
import { smallDisk, whyNoDisk } from './small-disk.ts';

const skip = whyNoDataDir;

/** A platform whose backups wait before their last step until they are let go. */
async function startHeld(t: TestContext) {
  const parent = temporaryDirectory();
  const held = join(parent, 'held');
  writeFileSync(held, '');
  t.after(() => rmSync(held, { force: true }));
  const settings = backupSettings(parent, held);
  const platform = await platformOf(t, { env: settings });
  return {
    platform,
    folder: join(parent, 'backups'),
    letGo: () => rmSync(held),
    again: (more: Readonly<Record<string, string>> = {}) =>
      platformOf(t, { dataDir: platform.dataDir, env: { ...settings, ...more } }),
  };
}

test('one backup is made at a time, and what is being made is left alone', {
  skip,
}, async (t) => {
  const { platform, letGo } = await startHeld(t);
  const replies = await Promise.all(Array.from({ length: 6 }, () => operate(platform, 'POST')));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [202, 409, 409, 409, 409, 409]);
  const name = replies.find(({ status }) => status === 202)?.body.name ?? '';
  const refusal = replies.find(({ status }) => status === 409) ?? assert.fail();
  assert.match(assertProblem(refusal, 'conflict').detail, /a backup is running .*one runs at a time/);
  const running = await whenBackup(platform, ({ percent }) => percent === 99);
  assert.deepEqual([running.name, running.state, running.bytes], [name, 'running', null]);
  for (const [method, more] of [
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '/test'],
  ] as const)
    assertProblem(await operate(platform, method, `/${name}${more}`), 'conflict');
  letGo();
  await whenBackup(platform, ({ state }) => state === 'complete');
  const again = await madeBackup(platform);
  assert.deepEqual(
    (await backupsOf(platform)).items.map((backup) => backup.name),
    [again.name, name],
  );
});

test('a platform that is killed in the middle leaves a part, which the next start calls failed and removes', {
  skip,
}, async (t) => {
  const { platform, folder, again } = await startHeld(t);
  const { name } = (await operate(platform, 'POST')).body;
  await whenBackup(platform, ({ percent }) => percent === 99);
  await platform.kill();
  assert.deepEqual(readdirSync(folder).sort(), [`${name}.json`, `${name}.partial`]);
  // Another platform that uses the folder by mistake, and a part that a person makes, are left alone.
  const foreign = 'freehold-20200101T000000000Z.backup';
  const facts = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
  writeFileSync(join(folder, `${foreign}.json`), JSON.stringify({ ...facts, name: foreign, platform: 'another' }));
  writeFileSync(join(folder, `${foreign}.partial`), '');
  writeFileSync(join(folder, 'monday.backup.partial'), '');
  const next = await again();
  const failed = (await backupsOf(next)).items.find((backup) => backup.name === name);
  assert.deepEqual([failed?.state, failed?.problem], ['failed', 'the platform ended before it was complete']);
  assert.deepEqual(
    readdirSync(folder).sort(),
    [...[`${foreign}.json`, `${foreign}.partial`, `${name}.json`, 'monday.backup.partial']].sort(),
  );
  assert.deepEqual(
    (await auditedBackups(next, name)).map(({ action, by }) => `${by} ${action}`),
    ['platform backup.failed', 'operator backup.begun'],
  );
  assertProblem(await operate(next, 'GET', `/${name}`), 'conflict');
  assert.equal((await operate(next, 'DELETE', `/${name}`)).status, 204);
  assert.equal(existsSync(join(folder, `${name}.json`)), false);
});

test('a platform that is stopped in the middle calls the backup failed, and leaves no part', { skip }, async (t) => {
  const { platform, folder } = await startHeld(t);
  const { name } = (await operate(platform, 'POST')).body;
  await whenBackup(platform, ({ percent }) => percent === 99);
  assert.equal((await platform.terminate()).code, 0);
  assert.deepEqual(readdirSync(folder), [`${name}.json`]);
  const { state, problem } = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
  assert.deepEqual([state, problem], ['failed', 'the platform was stopped before it was complete']);
});

test('a backup that the disk has no room for is refused with a sentence', { skip: skip || whyNoDisk }, async (t) => {
  const { folder } = smallDisk(t);
  const platform = await platformOf(t, { env: { ...backupSettings(folder) } });
  const refused = assertProblem(await operate(platform, 'POST'), 'unavailable');
  assert.match(
    refused.detail,
    /the disk of the folder for backups has room for \d+ MB, and a backup needs about \d+ MB/,
  );
  assert.deepEqual((await backupsOf(platform)).items, []);
});

test('a folder that cannot be made is named in a sentence', { skip }, async (t) => {
  const parent = join(temporaryDirectory(), 'missing');
  const platform = await platformOf(t, { env: { ...backupSettings(parent) } });
  const refused = assertProblem(await operate(platform, 'POST'), 'unavailable');
  assert.match(refused.detail, /the folder for backups cannot be used \(ENOENT\)/);
});

test('a time of the schedule that was missed is made up for, tested, and removes what is no longer kept', {
  skip,
}, async (t) => {
  const parent = temporaryDirectory();
  const settings = backupSettings(parent);
  const folder = join(parent, 'backups');
  const first = await platformOf(t, { env: settings });
  const { name } = await madeBackup(first);
  assert.equal((await backupsOf(first)).schedule, null);
  await first.terminate();
  // As if the schedule had made it two days ago, and its restore test had passed.
  const path = join(folder, `${name}.json`);
  const facts = JSON.parse(readFileSync(path, 'utf8'));
  const begun_at = new Date(Date.now() - 2 * 86_400_000).toISOString();
  const tested = { result: 'passed', at: begun_at };
  writeFileSync(path, JSON.stringify({ ...facts, made_by: 'schedule', begun_at, test: tested }));
  copyFileSync(join(folder, name), join(folder, 'by-hand.backup'));
  // Not again before the test is over.
  const hour = (new Date().getUTCHours() + 12) % 24;
  const cron = `0 ${hour} * * *`;
  const schedule = { FREEHOLD_BACKUP_SCHEDULE: cron, FREEHOLD_BACKUP_KEEP: '1' };
  const second = await platformOf(t, { dataDir: first.dataDir, env: { ...settings, ...schedule } });
  const made = await whenBackup(
    second,
    (backup) => backup.made_by === 'schedule' && backup.name !== name && backup.test?.result === 'passed',
  );
  const shown = await backupsOf(second);
  assert.deepEqual([shown.schedule?.cron, shown.schedule?.keep], [cron, 1]);
  assert.equal(new Date(shown.schedule?.next_at ?? '').getUTCHours(), hour);
  await second.terminate();
  assert.deepEqual(readdirSync(folder).sort(), ['by-hand.backup', made.name, `${made.name}.json`].sort());
  const third = await platformOf(t, { dataDir: first.dataDir, env: { ...settings, ...schedule } });
  const { text } = await call('GET', `${third.management}/metrics`, { token: operatorKey });
  const age = Number(/^freehold_backup_age_seconds (\S+)$/m.exec(text)?.[1]);
  assert.ok(age >= 0 && age < 86_400, text);
  for (const kind of ['backup', 'restore_test'])
    assert.match(text, new RegExp(`^freehold_backup_failures_total\\{kind="${kind}"\\} 0$`, 'm'));
  const audited = async (of: string) => (await auditedBackups(third, of)).map(({ action, by }) => `${by} ${action}`);
  assert.deepEqual((await audited(made.name)).reverse(), [
    'platform backup.begun',
    'platform backup.completed',
    'platform backup.tested',
  ]);
  assert.equal((await audited(name))[0], 'platform backup.removed');
  // The time is made up for once.
  assert.equal((await backupsOf(third)).items.length, 2);
});
