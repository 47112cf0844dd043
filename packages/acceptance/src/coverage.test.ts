import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..', '..', '..');
const page = readFileSync(join(import.meta.dirname, '..', 'coverage.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (Promise|Attack)/.test(line))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

/** `file: words`, in backticks. Cases are run by a test of each adapter. */
const reference = /`([\w./-]+(?:\.test|-cases)\.ts): ([^`]+)`/g;

function referencesIn(cell: string): readonly (readonly [string, string])[] {
  return [...cell.matchAll(reference)].map((found) => [found[1] ?? '', found[2] ?? ''] as const);
}

test('every promise names a test that holds it, or says that it is not built yet', () => {
  assert.ok(rows.length > 80);
  for (const [promise = '', heldBy = ''] of rows) {
    assert.ok(promise.length > 0 && (referencesIn(heldBy).length > 0 || heldBy.startsWith('not built yet')), promise);
  }
});

test('every test that is named exists', () => {
  for (const [file, words] of rows.flatMap(([, heldBy = '']) => referencesIn(heldBy))) {
    const path = file.includes('/') ? join(root, file) : join(import.meta.dirname, file);
    assert.ok(existsSync(path), `${file} does not exist`);
    assert.ok(readFileSync(path, 'utf8').includes(words), `${file} has no test “${words}”`);
  }
});

test('every section of the document is there', () => {
  const sections = [
    '1',
    '2',
    '2.1',
    '2.2',
    '2.3',
    '2.4',
    '2.5',
    '3',
    '4',
    '4.1',
    '4.2',
    '4.3',
    '5',
    '5.1',
    '5.2',
    '5.3',
    '6',
    '7',
    '8',
    '9',
  ];
  const headings = [...page.matchAll(/^##+ ([\d.]+?)\.? /gm)].map((found) => found[1]);
  assert.deepEqual(headings, sections);
});
