import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { readClosingLine } from './closing-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'freehold-run-tests-'));
after(() => rmSync(folder, { recursive: true }));

const passing = `import { it } from 'node:test';\nit('passes', () => {});\n`;

describe('a run of tests', () => {
  const runs: readonly (readonly [what: string, files: readonly string[], passed: number, failed: number])[] = [
    ['counts what passes', [passing, `${passing}it('passes too', () => {});`], 3, 0],
    ['counts what fails', [`${passing}it('fails', () => { throw new Error('boom'); });`], 1, 1],
    ['fails without a file', [], 0, 1],
    ['fails for a file that cannot be loaded', [passing, `throw new Error('boom');`], 1, 1],
    ['fails for a file that cannot be parsed', [passing, 'this is not ( a program'], 1, 1],
    ['fails for a file without a test', [passing, 'export const a = 1;'], 1, 1],
    [
      'fails for a file of empty suites',
      [passing, `import { describe } from 'node:test';\ndescribe('none', () => {});`],
      1,
      1,
    ],
    ['fails for a file that leaves half way', [passing, `${passing}it('leaves', () => process.exit(0));`], 1, 1],
    [
      'fails for an error after the last test',
      [`${passing}it('starts', () => { setImmediate(() => { throw new Error('late'); }); });`],
      2,
      1,
    ],
    ['fails for a test that is only noted for later', [`${passing}it.todo('comes later');`], 1, 1],
    ['counts what is skipped neither way', [`${passing}it.${'skip'}('waits', () => {});`], 1, 0],
    [
      'counts a suite that is skipped neither way',
      [
        `import { describe, it } from 'node:test';\ndescribe('far', { skip: 'no server' }, () => it('waits', () => {}));`,
      ],
      0,
      0,
    ],
  ];
  for (const [what, files, passed, failed] of runs) {
    it(what, () => {
      const { status, stdout } = runTests(files);
      assert.deepEqual(readClosingLine(stdout), { passed, failed }, stdout);
      assert.equal(status, failed > 0 ? 1 : 0);
    });
  }

  it('names what it skipped, what failed and why, and what ran no test', () => {
    const { stdout } = runTests([
      `${passing}it('waits', { skip: 'no network' }, () => {});`,
      'export const a = 1;',
      `${passing}it('fails', () => { throw new Error('boom\\nand more'); });`,
      `throw new Error('late');`,
    ]);
    assert.match(stdout, /^failed: .*2\.test\.ts: fails: boom and more$/m);
    assert.match(stdout, /^failed: .*3\.test\.ts: the file: /m);
    assert.match(stdout, /^skipped: .*0\.test\.ts: waits \(no network\)$/m);
    assert.match(stdout, /^failed: .*1\.test\.ts ran no test/m);
  });

  it('gives the properties of every file one seed, or that of the environment', () => {
    const property = `import fc from 'fast-check';\nimport { it } from 'node:test';
it('draws', () => console.log('drawn:', fc.sample(fc.nat(), 1)[0]));`;
    const drawn = (seed: string | undefined) =>
      [...runTests([property, property], { FREEHOLD_TEST_SEED: seed }).stdout.matchAll(/drawn: (\d+)/g)].map(
        ([, number]) => number,
      );
    const [first, second] = [drawn(undefined), drawn('3')];
    assert.equal(first.length, 2);
    assert.equal(new Set(first).size, 1);
    assert.deepEqual(drawn(undefined), first);
    assert.notEqual(second[0], first[0]);
  });
});

/** Runs the planted files in a process of their own, which must not take itself for a test file of this run. */
function runTests(files: readonly string[], settings: Readonly<Record<string, string | undefined>> = {}) {
  const own = mkdtempSync(join(folder, 'run-'));
  writeFileSync(join(own, 'package.json'), '{ "type": "module" }');
  for (const [index, text] of files.entries()) writeFileSync(join(own, `${index}.test.ts`), text);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const program = join(import.meta.dirname, 'run-tests.ts');
  return spawnSync(process.execPath, [program, join(own, '*.test.ts')], {
    env: { ...env, ...settings },
    encoding: 'utf8',
  });
}
