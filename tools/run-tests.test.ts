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
    it(`${what}, also where files share a process`, () => {
      const { status, stdout } = runTests(files, {}, ['--together']);
      const counted = readClosingLine(stdout);
      assert.equal(status, failed > 0 ? 1 : 0, stdout);
      // What leaves half way takes the reports of its process along.
      if (!files.some((text) => text.includes('process.exit'))) assert.equal(counted?.passed, passed, stdout);
      assert.equal((counted?.failed ?? 0) > 0, failed > 0, stdout);
    });
  }

  it('runs files together that leave their process as they found it, with what they set up around them', () => {
    const report = (name: string, more = '') =>
      `import { after, before, it } from 'node:test';
before(() => console.log('before ${name}'));\nafter(() => console.log('after ${name}'));
it('${name}', () => console.log('${name} in ' + process.pid));\n${more}`;
    const files = [report('a'), report('b'), report('c', 'globalThis.left = 1;')];
    const reported = [
      ...runTests(files, {}, ['--together']).stdout.matchAll(/^(before|after) (\w)$|^(\w) in (\d+)$/gm),
    ];
    assert.deepEqual(
      reported.map(([, when = 'in', name, ran]) => `${when} ${name ?? ran}`).filter((line) => !line.endsWith('c')),
      ['before a', 'in a', 'after a', 'before b', 'in b', 'after b'],
    );
    const processOf = new Map(reported.flatMap(([, , , ran, id]) => (ran === undefined ? [] : [[ran, id] as const])));
    assert.equal(processOf.get('a'), processOf.get('b'));
    assert.notEqual(processOf.get('a'), processOf.get('c'));
  });

  it('names the test that never ends, ends its process, and runs the others', () => {
    const waits = `${passing}import { setTimeout as wait } from 'node:timers/promises';
it('waits', async () => { for (;;) await wait(10); });\nit('comes after it', () => {});\n`;
    const { status, stdout } = runTests([waits, passing], {}, ['--minutes', '0.03']);
    assert.equal(status, 1);
    assert.match(stdout, /^failed: .*0\.test\.ts: waits: test timed out after 1800ms$/m);
    assert.match(stdout, /✔ comes after it/);
    assert.equal(readClosingLine(stdout)?.passed, 3, stdout);
  });

  it('names the file that fails where files share a process', () => {
    const { stdout } = runTests(
      [
        passing,
        'export const a = 1;',
        `throw new Error('boom');`,
        `${passing}import { after } from 'node:test';\nafter(() => { throw new Error('left open'); });`,
      ],
      {},
      ['--together'],
    );
    assert.match(stdout, /^failed: .*1\.test\.ts ran no test/m);
    assert.match(stdout, /^failed: .*2\.test\.ts: the file: boom$/m);
    assert.match(stdout, /^failed: .*3\.test\.ts: the file: left open$/m);
    assert.doesNotMatch(stdout, /^failed: .*0\.test\.ts/m);
  });

  it('names all files of a process that ends before their tests did', () => {
    const { stdout } = runTests([passing, `${passing}it('leaves', () => process.exit(0));`], {}, ['--together']);
    for (const name of ['0', '1'])
      assert.match(
        stdout,
        new RegExp(`^failed: .*${name}\\.test\\.ts ran no test, or ended before its tests did$`, 'm'),
      );
  });

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
function runTests(
  files: readonly string[],
  settings: Readonly<Record<string, string | undefined>> = {},
  flags: readonly string[] = [],
) {
  const own = mkdtempSync(join(folder, 'run-'));
  writeFileSync(join(own, 'package.json'), '{ "type": "module" }');
  for (const [index, text] of files.entries()) writeFileSync(join(own, `${index}.test.ts`), text);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const program = join(import.meta.dirname, 'run-tests.ts');
  return spawnSync(process.execPath, [program, ...flags, join(own, '*.test.ts')], {
    env: { ...env, ...settings },
    encoding: 'utf8',
  });
}
