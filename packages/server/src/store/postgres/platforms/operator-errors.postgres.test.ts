import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../testing/eventually.ts';
import { signUp, startPlatform } from '../testing/platform-on-server.ts';
import { startTestServer, whyNot } from '../testing/test-server.ts';

const key = 'g7Vt2kQx9LmZp4RwYb6NsHc3JdFe8TuA';
const canary = 'canary-4711@example.com';

test('an error of a platform on PostgreSQL is found by its request id, without what is stored', {
  skip: whyNot,
}, async (t) => {
  const server = await startTestServer();
  t.after(() => server.stop());
  const database = await server.database('');
  t.after(() => database.stop());
  const { management } = await startPlatform(t, { FREEHOLD_STORE: database.url, FREEHOLD_OPERATOR_KEY: key });
  const signedUp = (await (await signUp(management, 'ada')).json()) as { readonly org: { readonly code: string } };
  const { code } = signedUp.org;
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${management}/platform${path}`, {
      ...init,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    });
  const given = await ask(`/orgs/${code}/plan`, { method: 'PUT', body: JSON.stringify({ name: 'own', limits: {} }) });
  assert.equal(given.status, 200, await given.text());
  await database.run(`update freehold_platform.items set value = '{${canary}' where pk = 'plan' and sk = '${code}'`);
  // Cached plans are read again within a second.
  let failed = await ask(`/orgs/${code}/plan`);
  await eventually('another answer', async () => {
    failed = await ask(`/orgs/${code}/plan`);
    return failed.status !== 200;
  });
  assert.equal(failed.status, 500);
  const found = await ask(`/errors?request_id=${failed.headers.get('x-request-id')}`);
  const text = await found.text();
  assert.ok(!text.includes('canary'), text);
  const { items } = JSON.parse(text) as {
    readonly items: readonly {
      readonly status: number;
      readonly route: string;
      readonly fault: { readonly name: string; readonly message: string; readonly place: string };
    }[];
  };
  assert.deepEqual(
    items.map(({ status, route, fault }) => [status, route, fault.name, fault.message]),
    [[500, '/platform/orgs/:org/plan', 'DamagedRow', 'a stored plan of scope platform is no JSON']],
  );
  assert.match(items[0]?.fault.place ?? '', /^store\/table\.ts:\d+$/);
});
