import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  type BackupFacts,
  backupOfFacts,
  isBackupName,
  newBackupName,
  readFacts,
  removeFacts,
  writeFacts,
} from './backup-facts.ts';

const folder = mkdtempSync(join(tmpdir(), 'freehold-facts-'));
after(() => rmSync(folder, { recursive: true }));

const at = '2026-01-31T03:00:00.123Z';
const name = newBackupName(Date.parse(at));
const facts: BackupFacts = {
  ...{ name, platform: 'p', made_by: 'schedule', begun_at: at, state: 'complete' },
  file: { bytes: 5, created_at: at },
  test: { result: 'failed', at, problem: 'it is damaged' },
};

test('a name has the time, sorts by it, and is shown by a list', () => {
  assert.equal(name, 'freehold-20260131T030000123Z.backup');
  assert.ok(isBackupName(name) && newBackupName(Date.parse(at) + 1) > name);
  for (const other of [
    '../a.backup',
    'a/b.backup',
    '.a.backup',
    '.backup',
    '-a.backup',
    'a.backup\n',
    'a',
    `${'a'.repeat(80)}.backup`,
    'ä.backup',
    'a b.backup',
  ])
    assert.equal(isBackupName(other), false, other);
  assert.equal(backupOfFacts(`${name}.json`), name);
  for (const other of [name, `${name}.json.new`, '../a.backup.json', 'a.json'])
    assert.equal(backupOfFacts(other), undefined);
});

test('what is noted is read again, by its owner alone, and removed', () => {
  writeFacts(folder, facts);
  assert.deepEqual(readFacts(folder, name), facts);
  assert.equal(statSync(join(folder, `${name}.json`)).mode & 0o777, 0o600);
  writeFacts(folder, { ...facts, made_by: null });
  assert.equal(readFacts(folder, name)?.made_by, null);
  removeFacts(folder, name);
  assert.deepEqual(readdirSync(folder), []);
  assert.equal(readFacts(folder, name), undefined);
});

test('a note that no platform has written, or that is of another backup, is none', () => {
  const changed: readonly unknown[] = [
    ...[null, [], 'x', 1, {}],
    ...Object.keys(facts)
      .filter((key) => !['file', 'test'].includes(key))
      .map((key) => ({ ...facts, [key]: 7 })),
    ...[
      { ...facts, begun_at: 'yesterday' },
      { ...facts, state: 'done' },
      { ...facts, made_by: 'root' },
    ],
    ...[
      { ...facts, name: 'other.backup' },
      { ...facts, file: { bytes: 'x', created_at: at } },
    ],
    ...[
      { ...facts, test: { result: 'good', at } },
      { ...facts, test: { result: 'passed', at, problem: 1 } },
    ],
  ];
  for (const value of changed) {
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(value));
    assert.equal(readFacts(folder, name), undefined, JSON.stringify(value));
  }
  for (const text of ['', '{', 'x'.repeat(100_000)]) {
    writeFileSync(join(folder, `${name}.json`), text);
    assert.equal(readFacts(folder, name), undefined);
  }
});
