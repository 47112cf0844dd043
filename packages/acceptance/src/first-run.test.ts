import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startPlatform } from './platform.ts';

/** There is a demo on the embedded store alone, whatever store the other tests run on. */
const demo = { FREEHOLD_DEMO: 'on', FREEHOLD_STORE: 'sqlite:' };

/** A first start in development, as a newcomer makes it: an empty data directory and nothing else set. */
const platform = await startPlatform({ env: demo });
test.after(() => platform.kill());
const said = () => `${platform.stdout()}\n${platform.stderr()}`;
await demoIsShown();

/** A line as it is marked and copied from the terminal. */
function curlLines(): readonly string[] {
  const lines = said().split('\n');
  return lines.map((line) => line.trim()).filter((line) => line.startsWith('curl '));
}

async function paste(line: string): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-c', line], { timeout: 60_000 });
  return stdout;
}

test('a first start prints both addresses, the org code and the client id', () => {
  for (const address of [platform.app, platform.management]) assert.ok(said().includes(address), address);
  assert.match(said(), /org/i);
  assert.match(said(), /test_[\w-]+/);
});

test('of the two printed `curl` lines one lists records, and the other is denied with its reason', async () => {
  const lines = curlLines();
  assert.equal(lines.length, 2, said());
  const [first = '', second = ''] = await Promise.all(lines.map(paste));
  const [allowed, denied] = first.includes('access_denied') ? [second, first] : [first, second];
  const page = JSON.parse(allowed.slice(allowed.indexOf('{')).trim()) as { items: readonly unknown[] };
  assert.ok(page.items.length > 0, allowed);
  const problem = JSON.parse(denied.slice(denied.indexOf('{')).trim()) as Record<string, unknown>;
  assert.deepEqual([problem.status, problem.code], [403, 'access_denied']);
  assert.match(String(problem.reason), /^(?:implicit|explicit)_deny$/);
});

test('a second start on the same data makes no second demo', async () => {
  const dataDir = platform.dataDir;
  await platform.terminate();
  const again = await startPlatform({ dataDir, env: demo });
  assert.doesNotMatch(again.stdout() + again.stderr(), /internal_error|"level":"error"/);
  await again.kill();
});

/** The demo is described after the platform is ready: it is made through its own API. */
async function demoIsShown(): Promise<void> {
  const patience = AbortSignal.timeout(60_000);
  while (curlLines().length < 2 && platform.child.stdout !== null) {
    await once(platform.child.stdout, 'data', { signal: patience });
  }
}
