/**
 * Runs the tests of the kinds and selections of `test-kinds.ts` that are named, or the files that match the globs given, and
 * ends with the closing line. Without arguments it runs all kinds.
 *
 *   node tools/run-tests.ts [--names] [--together] [--at-once 2] [--minutes 5] [kind or glob]…
 *
 * With `--names` it runs none, and prints the names of the tests of each file, which say what is promised. With `--together` files that leave their process as they found it share one; else each has its own. `--at-once` is the
 * number of processes: tests that mostly wait, for a lease or for a browser, leave room on two cores for a third. A test
 * that takes more than `--minutes` has failed, and a process that takes four times as many is ended: its file is named,
 * and the others go on.
 */
import { globSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { closingLine } from './closing-line.ts';
import { install } from './runs/apart.ts';
import { aloneIn, groupFiles } from './runs/test-groups.ts';
import { testNames } from './runs/test-names.ts';
import { TestTally } from './runs/test-tally.ts';
import { foldersFor, isTestKind, longest, testFilesOf, testKinds, testSelections } from './test-kinds.ts';

const root = join(import.meta.dirname, '..');

/** A net for tests that never end, far above the 45 minutes of a run on a cluster; the files that have not ended are then named. */
const secondsMax = 5400;

/** Each file is run by a process of its own, and many start platforms: what one has compiled the others need not. */
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'compiled');

const { values, positionals } = parseArgs({
  options: {
    names: { type: 'boolean', default: false },
    together: { type: 'boolean', default: false },
    'at-once': { type: 'string', default: '2' },
    minutes: { type: 'string', default: '5' },
  },
  allowPositionals: true,
});
const found = findFiles(positionals.length > 0 ? positionals : Object.keys(testKinds));
if (found.length === 0 && positionals.every((word) => word === 'watched-changed')) {
  console.log(`these tests protect nothing that has changed\n${closingLine({ passed: 0, failed: 0 })}`);
  process.exit(0);
}
if (values.names) {
  for (const file of found)
    console.log([relative(root, file), ...testNames(file, readFileSync(file, 'utf8'))].join('\n  '));
  process.exit(0);
}
// If a folder cannot be installed, its tests fail by what they miss, and the others run.
for (const folder of foldersFor(found.map((file) => relative(root, file)))) install(join(root, folder));
const processes = values.together ? groupFiles(root, found, longest) : found.map(aloneIn);
const tally = new TestTally(processes);
const milliseconds = Number(values.minutes) * 60_000;
process.env.FREEHOLD_TEST_PROCESS_MILLISECONDS = String(milliseconds * 4);
const stream = run({
  files: processes.map(({ file }) => file),
  concurrency: Number(values['at-once']),
  cwd: root,
  execArgv: [
    ...['--import', new URL('./seeded-properties.ts', import.meta.url).href],
    ...['--import', new URL('./runs/process-limit.ts', import.meta.url).href],
  ],
  timeout: milliseconds,
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
    if (isTestKind(word)) return testFilesOf(root, word);
    return testSelections[word]?.(root) ?? globSync(word, { cwd: root, exclude: ['**/node_modules'] });
  });
  return [...new Set(found.map((file) => resolve(root, file)))].sort();
}
