/** A clone that was installed without what development needs, and whose console was never built. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { call } from './call.ts';
import { folderWith, until } from './cli-data.ts';
import { copySources } from './copied-sources.ts';
import { demo, demoIsShown } from './demo-platform.ts';
import { platformOf } from './platform-for-tests.ts';

const clone = copySources(['contract', 'client', 'server', 'cli', 'console'], ['vite']);
const launcher = join(clone, 'packages', 'server', 'bin', 'freehold.mjs');
const sentence = /console is not built: `npm ci && npm run build` /;

test('a first start prints no link to it, and says in a sentence how to get one', async (t) => {
  const env = { ...demo, FREEHOLD_CONSOLE: 'on' };
  const platform = await platformOf(t, { byWords: [process.execPath, launcher, 'start'], env });
  await demoIsShown(platform);
  assert.match(platform.stdout(), sentence);
  assert.doesNotMatch(platform.stdout(), /sign-in\/link|signs you in/);
  const page = await call('GET', `${platform.management}/`, { headers: { accept: 'text/html' } });
  assert.deepEqual([page.status, page.headers.get('retry-after')], [503, null]);
  assert.match(page.text, /npm ci &amp;&amp; npm run build</);
});

test('`freehold dev` prints no link to it, and says the same', async () => {
  const cwd = folderWith({});
  const env = { PATH: process.env.PATH, HOME: cwd };
  const child = spawn(process.execPath, [launcher, 'dev', '--no-types'], { cwd, env, stdio: 'pipe' });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const output = await until(child.stdout, 'Ctrl-C ends the platform\n');
  child.kill('SIGINT');
  assert.equal(await ended, 0);
  assert.match(output, sentence);
  assert.doesNotMatch(output, /^sign in/m);
});
