import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { ListedBackup } from '../backup/backup-folder.ts';
import { checkBackups, judgeBackups } from './check-backups.ts';

const now = Date.UTC(2026, 0, 15, 12);
const day = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), 'freehold-check-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function backup(daysAgo: number, test: ListedBackup['test'], state: ListedBackup['state'] = 'complete'): ListedBackup {
  const made_at = new Date(now - daysAgo * day).toISOString();
  const rest = { problem: null, percent: null, made_by: 'schedule', bytes: 1, data_version: 9 } as const;
  return { name: `${daysAgo}.backup`, state, made_at, test, ...rest };
}

const tested = (result: 'passed' | 'drifted' | 'failed' | 'running' | 'unverified', daysAgo = 0) => ({
  ...{ result, at: new Date(now - daysAgo * day).toISOString(), problem: result === 'passed' ? null : 'it is damaged' },
});
const saysOf = (...judged: Parameters<typeof judgeBackups>) =>
  judgeBackups(...judged).map(({ kind, says }) => `${kind} ${says}`);

test('the last complete backup is late when two times of the schedule have come since', () => {
  const nightly = '0 3 * * *';
  const isLate = (daysAgo: number, schedule: string | undefined) =>
    judgeBackups([backup(daysAgo, tested('passed'))], schedule, now).some(({ kind }) => kind === 'fault');
  assert.deepEqual(
    [0.3, 1, 1.3, 1.4, 2].map((ago) => isLate(ago, nightly)),
    [false, false, false, true, true],
  );
  // On a Thursday, of each Monday.
  assert.deepEqual(
    [4, 10, 11].map((ago) => isLate(ago, '0 3 * * 1')),
    [false, false, true],
  );
  assert.equal(isLate(400, undefined), false);
  const failed = [backup(0, null, 'failed'), backup(5, tested('passed'))];
  assert.match(
    saysOf(failed, nightly, now)[0] ?? '',
    /^fault the last complete backup is of 2026-01-10T12:00:00\.000Z/,
  );
});

test('the last restore test says what came of it', () => {
  const all = [backup(0, tested('running')), backup(1, tested('failed', 1)), backup(2, tested('passed', 2))];
  assert.match(
    saysOf(all, undefined, now)[1] ?? '',
    /^fault the last restore test, of `1\.backup`, failed: it is damaged/,
  );
  assert.match(saysOf([backup(1, tested('drifted'))], undefined, now)[1] ?? '', /^fault .* drifted: /);
  assert.equal(saysOf([backup(1, tested('failed', 1)), backup(2, tested('passed'))], undefined, now).length, 1);
  assert.match(saysOf([backup(0, null)], undefined, now)[1] ?? '', /^note no restore of a backup was tested/);
  assert.deepEqual(saysOf([backup(0, null, 'failed')], undefined, now), ['note there is no complete backup yet']);
});

test('a folder that is missing, no folder, open to others or on the disk of the data is reported', async () => {
  const clock = { now: () => now };
  const check = async (path: string) => {
    const findings = await checkBackups({ folder: path, dataDir: folder, schedule: undefined }, clock);
    return findings.map(({ kind, says }) => `${kind} ${says}`).join('\n');
  };
  assert.match(await check(join(folder, 'a', 'b')), /^fault .* is missing and cannot be made \(ENOENT\)/);
  assert.match(await check(join(folder, 'a')), /^note .* is missing: the first backup makes it/);
  writeFileSync(join(folder, 'file'), '');
  assert.match(await check(join(folder, 'file')), /^fault .* is no folder/);
  mkdirSync(join(folder, 'own'), { mode: 0o700 });
  assert.match(await check(join(folder, 'own')), /^good .*\nnote the backups lie on the disk of the data/);
  chmodSync(join(folder, 'own'), 0o755);
  assert.match(
    await check(join(folder, 'own')),
    /fault .* is open to other users of the machine: `chmod 700` closes it/,
  );
});
