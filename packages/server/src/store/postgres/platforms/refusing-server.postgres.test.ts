import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { startPlatform } from '../testing/platform-on-server.ts';
import { startOwnServer, whyNotOwn } from '../testing/test-server.ts';

const password = 'narrow';

async function detailOf(url: string): Promise<readonly [number, unknown]> {
  const reply = await fetch(url);
  return [reply.status, ((await reply.json()) as { readonly detail?: unknown }).detail];
}

test('`/readyz` and a start say why a server cannot be used', { skip: whyNotOwn }, async (t) => {
  const server = await startOwnServer();
  t.after(() => server.stop());
  await server.run(`create role narrow login password '${password}'; grant create on database postgres to narrow`);
  const url = Object.assign(new URL(server.url), { username: 'narrow', password }).href;
  const { management, app } = await startPlatform(t, { FREEHOLD_STORE: url });
  assert.equal((await fetch(`${management}/readyz`)).status, 200);

  await server.run('alter role narrow set default_transaction_read_only = on');
  for (const gateway of [management, app])
    assert.deepEqual(await detailOf(`${gateway}/readyz`), [
      503,
      'the PostgreSQL server takes no writes: `default_transaction_read_only` is on',
    ]);
  await server.run('alter role narrow reset all');
  assert.equal((await fetch(`${management}/readyz`)).status, 200);

  await server.run('alter role narrow connection limit 0');
  const main = join(import.meta.dirname, '..', '..', '..', 'main.ts');
  const env = { FREEHOLD_STORE: url, FREEHOLD_APP_PORT: '0', FREEHOLD_MANAGEMENT_PORT: '0' };
  const { status, stderr } = spawnSync(process.execPath, [main], { env, encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(
    stderr,
    /^freehold cannot start: the PostgreSQL server takes no more connections: raise its `max_connections`/m,
  );
  assert.ok(!stderr.includes(password) || !stderr.includes('@127.0.0.1'), stderr);
});
