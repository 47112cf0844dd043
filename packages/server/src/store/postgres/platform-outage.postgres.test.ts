import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startOwnServer, whyNotOwn } from './test-server.ts';

const program = join(import.meta.dirname, '..', '..', 'main.ts');

/** Starts the platform as its operator would, and waits until it says where it listens. */
async function startPlatform(t: TestContext, url: string) {
  const env = { FREEHOLD_STORE: url, FREEHOLD_APP_PORT: '0', FREEHOLD_MANAGEMENT_PORT: '0' };
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  const said = { stdout: '', stderr: '' };
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text;
  });
  for (child.stdout.setEncoding('utf8'); !said.stdout.includes('\n'); )
    said.stdout += String((await once(child.stdout, 'data'))[0]);
  const [, app = '', management = ''] = /^ready app=(\S+) management=(\S+)$/m.exec(said.stdout) ?? [];
  return { app, management, said };
}

function signUp(management: string, name: string): Promise<Response> {
  const body = { email: `${name}@example.com`, password: 'correct horse battery', name, org_name: name };
  const headers = { 'content-type': 'application/json' };
  return fetch(`${management}/auth/signup`, { method: 'POST', headers, body: JSON.stringify(body) });
}

test('a platform whose server is away answers 503 and is not ready, and goes on by itself', {
  skip: whyNotOwn,
}, async (t) => {
  const server = await startOwnServer();
  t.after(() => server.stop());
  const { app, management, said } = await startPlatform(t, server.url);
  const isReady = async () => (await fetch(`${app}/readyz`)).status;
  assert.equal(await isReady(), 200);
  assert.equal((await signUp(management, 'ann')).status, 201);
  await server.shutDown();
  assert.equal(await isReady(), 503);
  const refused = await signUp(management, 'ben');
  assert.equal(refused.status, 503);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  assert.equal((await fetch(`${app}/healthz`)).status, 200, 'it lives: a restart would not help');
  await server.start();
  assert.equal(await isReady(), 200);
  assert.equal((await signUp(management, 'ben')).status, 201);
  assert.ok(!said.stderr.includes(new URL(server.url).password), 'no log line holds the password');
});
