/** Recipes and examples that take seconds, since another system is down in them or much is promoted. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { guidePage, guideShell } from './guide-shell.ts';
import { runExamples } from './page-examples.ts';
import { startPlatform } from './platform.ts';

const platform = await startPlatform();
after(() => platform.kill());

test('the recipe of a sync works as it is pasted: what another system refuses twice arrives by the third try', () =>
  runExamples(guidePage('docs/recipes/sync.md', platform), guideShell(platform)));

test('the example of a shop goes from its files to production, and does in both environments what it says', async () => {
  const { cwd, env } = guideShell(platform);
  const { stdout: printed } = await promisify(execFile)('examples/automation.sh', { cwd, env });
  const lines = printed.trim().split('\n').slice(2);
  assert.equal(lines.length, 10, printed);
  for (const [env, calls, own] of [
    ['test', 3, lines.slice(0, 5)],
    ['prod', 1, lines.slice(5)],
  ] as const) {
    assert.deepEqual(own.slice(0, 4), [
      `${env}: Eve has her welcome mail`,
      `${env}: Ann could not approve her own order, Ben has`,
      `${env}: the order is paid, and the message that came twice counts once`,
      `${env}: the warehouse knows of it, after ${calls} calls`,
    ]);
    assert.match(own[4] ?? '', /the report is sent, and comes by itself at 20/);
  }
});
