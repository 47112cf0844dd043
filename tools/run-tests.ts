/**
 * Runs the tests of the kinds named (`unit`, `slow-unit`, …, and `shortened` for those that the gate shortens), or of the
 * files that match the globs given, and ends with the closing line. Without arguments it runs all kinds.
 */
import { globSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { closingLine } from './closing-line.ts';
import { isTestKind, shortenedFilesOf, testFilesOf, testKinds } from './test-kinds.ts';
import { TestTally } from './test-tally.ts';

const root = join(import.meta.dirname, '..');

/** A net for tests that never end, far above the 45 minutes of a run on a cluster; the files that have not ended are then named. */
const secondsMax = 5400;

/** Each file is run by a process of its own, and many start platforms: what one has compiled the others need not. */
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'compiled');

const words = process.argv.slice(2);
const files = findFiles(words.length > 0 ? words : Object.keys(testKinds));
const tally = new TestTally(files);
const stream = run({
  files: [...files],
  concurrency: 2,
  cwd: root,
  execArgv: ['--import', new URL('./seeded-properties.ts', import.meta.url).href],
  signal: AbortSignal.timeout(secondsMax * 1000),
});
tally.follow(stream);
const report = stream.compose(spec);
report.pipe(process.stdout, { end: false });
report.once('end', () => {
  const { passed, failed, notes } = tally.result();
  for (const note of notes) console.log(note);
  console.log(closingLine({ passed, failed }));
  process.exitCode = failed > 0 ? 1 : 0;
});

function findFiles(kindsOrGlobs: readonly string[]): readonly string[] {
  const found = kindsOrGlobs.flatMap((word) => {
    if (word === 'shortened') return shortenedFilesOf(root);
    return isTestKind(word) ? testFilesOf(root, word) : globSync(word, { cwd: root });
  });
  return [...new Set(found.map((file) => resolve(root, file)))].sort();
}
