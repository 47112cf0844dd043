/** Whatever starts the platform and however that ends, the platform ends with it, drained, and leaves ports and data. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { call } from './call.ts';
import { eventually, netMilliseconds } from './eventually.ts';
import { type Ended, type Platform, type StartOptions, startPlatform, temporaryDirectory } from './platform.ts';
import { platformOf } from './platform-for-tests.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const older = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.1.0"})';
const command = join('packages', 'server', 'bin', 'freehold.mjs');
const whyNoShells = process.platform !== 'linux' && 'not run: only Linux tells the parent of another process';
const whyNoOther =
  !existsSync(join(root, 'node_modules', '.bin', 'node')) && 'not run: `npm ci` has brought no Node here';

/** A net below which nothing of this is decided: a platform that went on would never end. */
const timeout = netMilliseconds;

/** The words that start it, how it is ended, and how what was started ends by that. */
const cases: readonly (readonly [readonly [string, ...string[]], NodeJS.Signals, Ended])[] = [
  [['npm', 'start'], 'SIGTERM', { code: 0, signal: null }],
  [['npm', 'start'], 'SIGINT', { code: 0, signal: null }],
  [['npm', 'start'], 'SIGHUP', { code: null, signal: 'SIGHUP' }],
  [['npm', 'start'], 'SIGKILL', { code: null, signal: 'SIGKILL' }],
  [['npx', '--no', 'freehold', 'start'], 'SIGKILL', { code: null, signal: 'SIGKILL' }],
  [['sh', '-c', 'true && exec npm start'], 'SIGTERM', { code: 0, signal: null }],
];

describe('what starts the platform is signalled', { concurrency: 2 }, () => {
  for (const [words, signal, expected] of cases)
    test(`\`${words.join(' ')}\` that gets ${signal} takes the platform along, which drains`, {
      timeout,
    }, async (t) => {
      const platform = await startedBy(t, { byWords: words });
      platform.child.kill(signal);
      assert.deepEqual(await platform.ended, expected);
      await assertDrained(t, platform);
    });

  for (const words of [
    ['npx', '--no', 'freehold', 'start'],
    ['sh', '-c', 'true && npm start'],
    ['bash', '-ec', 'true; npx --no freehold start; true'],
  ] as const)
    test(`\`${words.join(' ')}\` with a shell in between that gets SIGTERM takes the platform along`, {
      timeout,
      skip: whyNoShells,
    }, async (t) => {
      const platform = await startedBy(t, { byWords: [...words] });
      platform.child.kill('SIGTERM');
      await platform.ended;
      await assertDrained(t, platform);
    });

  test('a platform that a shell has started in the background outlives the shell', { timeout }, async (t) => {
    for (const words of ['npm start & sleep 0.1', 'nohup npm start 2>&1 &']) {
      const looks = join(temporaryDirectory(), 'looks');
      const env = { NODE_OPTIONS: `--import=${countingLooks}`, FREEHOLD_TEST_LOOKS: looks };
      const platform = await startedBy(t, { byWords: ['sh', '-c', words], env });
      if (platform.child.exitCode === null) await once(platform.child, 'exit');
      const lookedBefore = looksIn(looks);
      await eventually('two looks of the platform at what it hangs on', () => looksIn(looks) >= lookedBefore + 2);
      assert.equal((await call('GET', `${platform.app}/healthz`)).status, 200);
    }
  });

  test('`npm ci && npm start` whose process group gets SIGTERM drains once', { timeout }, async (t) => {
    const platform = await startedBy(t, { byWords: ['sh', '-c', 'true && npm start'] });
    process.kill(-(platform.child.pid ?? Number.NaN), 'SIGTERM');
    await platform.ended;
    await assertDrained(t, platform);
  });

  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGKILL'] as const)
    test(`an older Node that has handed over and gets ${signal} takes the newer one along`, {
      timeout,
      skip: whyNoOther,
    }, async (t) => {
      const byWords = [process.execPath, '--import', older, command, 'start'] as const;
      const platform = await startedBy(t, { byWords: [...byWords] });
      platform.child.kill(signal);
      const expected = signal === 'SIGKILL' ? { code: null, signal } : { code: 0, signal: null };
      assert.deepEqual(await platform.ended, expected);
      await assertDrained(t, platform);
    });

  test('an older Node that has handed over ends by the signal that the newer one has ended by', {
    timeout,
    skip: process.platform === 'linux' ? whyNoOther : 'not run: only Linux tells the children of a process',
  }, async (t) => {
    const platform = await startedBy(t, { byWords: [process.execPath, '--import', older, command, 'start'] });
    const { pid } = platform.child;
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
    assert.match(readFileSync(`/proc/${child}/environ`, 'utf8'), /(?:^|\0)MALLOC_ARENA_MAX=2\0/);
    process.kill(child ?? Number.NaN, 'SIGKILL');
    assert.deepEqual(await platform.ended, { code: null, signal: 'SIGKILL' });
  });

  test('SIGHUP drains a platform that was started without any of these', { timeout }, async (t) => {
    const platform = await startPlatform();
    t.after(() => platform.kill());
    platform.child.kill('SIGHUP');
    assert.deepEqual(await platform.ended, { code: 0, signal: null });
    await assertDrained(t, platform);
  });
});

/** A module that notes in a file each time the platform has looked at what it hangs on, which it does twice a second. */
const countingLooks = `data:text/javascript,${encodeURIComponent(`
  import { appendFileSync } from 'node:fs';
  const every = setInterval;
  globalThis.setInterval = (look, milliseconds) =>
    every(milliseconds === 500 ? () => { look(); appendFileSync(process.env.FREEHOLD_TEST_LOOKS, '.'); } : look, milliseconds);
`)}`;

function looksIn(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

/** Ended with its test: all of the group, since what this is about is that some of it is left over. */
async function startedBy(t: TestContext, options: StartOptions): Promise<Platform> {
  const platform = await startPlatform(options);
  t.after(() => {
    try {
      process.kill(-(platform.child.pid ?? Number.NaN), 'SIGKILL');
    } catch {
      // Nothing is left of it.
    }
  });
  return platform;
}

/** The end of its standard output is the end of the process, and so of its ports; its folder opens again. */
async function assertDrained(t: TestContext, { dataDir, stderr }: Platform): Promise<void> {
  assert.equal(stderr().match(/"msg":"draining"/g)?.length, 1, stderr());
  assert.doesNotMatch(stderr(), /"level":(?:50|60)/);
  await platformOf(t, { dataDir });
}
