import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Backup } from './queries.ts';
import { lastTested, makerOf, shellDownload, sizeOf, testSentence } from './words.ts';

const at = '2026-11-26T03:00:00.000Z';
const complete: Backup = {
  ...{ name: 'a.backup', state: 'complete', problem: null, percent: null, made_by: 'schedule', made_at: at },
  ...{ bytes: 5, data_version: 9, test: null },
};

test('a sentence says what the restore test found, and of a complete backup also that there was none', () => {
  const sentences = (['passed', 'drifted', 'unverified', 'failed', 'running'] as const).map((result) =>
    testSentence({ ...complete, test: { result, at, problem: result === 'passed' ? null : 'it is damaged' } }),
  );
  assert.equal(new Set(sentences).size, 5);
  assert.deepEqual(
    sentences.map((sentence) => sentence.includes('it is damaged')),
    [false, true, true, true, false],
  );
  assert.equal(testSentence(complete), 'Not tested yet.');
  assert.equal(testSentence({ ...complete, state: 'failed' }), '');
});

test('makers, sizes and the call for a shell', () => {
  const makers = ([null, 'schedule', 'operator'] as const).map((made_by) => makerOf({ ...complete, made_by }));
  assert.deepEqual(makers, ['Put there by a person', 'By the schedule', 'By the operator']);
  const sizes = [0, 999, 1_000, 1_500_000, 2_300_000_000].map(sizeOf);
  assert.deepEqual(sizes, ['0 bytes', '999 bytes', '1 KB', '1.5 MB', '2.3 GB']);
  const inShell = shellDownload('a.backup', 'https://m.example');
  assert.match(inShell, / https:\/\/m\.example\/platform\/backups\/a\.backup$/);
  // The key is no argument of a process.
  assert.ok(!inShell.slice(inShell.indexOf('| curl')).includes('KEY'), inShell);
});

test('the last restore test is the latest to end, however old its backup is', () => {
  const tested = (name: string, hour: number, result: 'passed' | 'failed' | 'running' = 'passed') => ({
    ...complete,
    name,
    test: { result, at: `2026-11-26T0${hour}:00:00.000Z`, problem: null },
  });
  const all = [complete, tested('new', 1), tested('old', 3, 'failed'), tested('older', 2), tested('now', 4, 'running')];
  assert.equal(lastTested(all)?.name, 'old');
  assert.equal(lastTested([complete, tested('now', 4, 'running')]), undefined);
});
