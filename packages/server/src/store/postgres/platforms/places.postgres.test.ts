import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signUp, startPlatform } from '../testing/platform-on-server.ts';
import { startTestServer, whyNot } from '../testing/test-server.ts';

const schemas = `select nspname as name from pg_namespace where nspname like 'freehold%' order by nspname`;

test('production lies in the database that is named for it, everything else in the other, also after a second start', {
  skip: whyNot,
}, async (t) => {
  const server = await startTestServer();
  const [store, prod] = [await server.database(''), await server.database('')];
  t.after(async () => {
    await store.stop();
    await prod.stop();
    await server.stop();
  });
  const places = { FREEHOLD_STORE: store.url, FREEHOLD_STORE_PROD: prod.url };
  for (const name of ['ann', 'ben']) {
    const { app, management, child } = await startPlatform(t, places);
    assert.equal((await signUp(management, name)).status, 201);
    assert.equal((await fetch(`${app}/readyz`)).status, 200);
    assert.deepEqual(await store.run(schemas), [{ name: 'freehold_platform' }, { name: 'freehold_test' }]);
    assert.deepEqual(await prod.run(schemas), [{ name: 'freehold_prod' }]);
    child.kill('SIGKILL');
  }
  const [orgs] = await store.run(`select count(*)::int from freehold_platform.items where pk = 'org'`);
  assert.deepEqual(orgs, { count: 2 });
});
