import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signUp, startPlatform } from '../testing/platform-on-server.ts';
import { startOwnServer, whyNotOwn } from '../testing/test-server.ts';

test('a platform whose server is away answers 503 and is not ready, and goes on by itself', {
  skip: whyNotOwn,
}, async (t) => {
  const server = await startOwnServer();
  t.after(() => server.stop());
  const { app, management, output } = await startPlatform(t, { FREEHOLD_STORE: server.url });
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
  assert.ok(!output.stderr.includes(new URL(server.url).password), 'no log line holds the password');
});
