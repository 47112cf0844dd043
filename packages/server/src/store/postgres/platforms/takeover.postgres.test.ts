import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { eventually } from '../testing/eventually.ts';
import { signUp, startPlatform } from '../testing/platform-on-server.ts';
import { startTestServer, type TestServer, whyNot } from '../testing/test-server.ts';

interface Org {
  readonly token: string;
  readonly org: { readonly code: string; readonly environments: { readonly test: { readonly client_id: string } } };
}

interface Called {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

async function call<T>(method: string, url: string, { token, headers, body }: Called = {}): Promise<T> {
  const reply = await fetch(url, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  assert.ok(reply.ok, `${method} ${url}: ${reply.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

const items = 'freehold_test.items';

/** Jobs wait for a scope that another process has; what they have leased by then stays leased. */
async function holdScope(t: TestContext, server: TestServer, scope: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: server.url });
  client.on('error', () => {});
  await client.connect();
  let isHeld = true;
  const release = async () => {
    if (isHeld) await client.end();
    isHeld = false;
  };
  t.after(release);
  await client.query('begin');
  await client.query('select 1 from freehold_test.heads where scope = $1 for update', [scope]);
  return release;
}

function untilFound(server: TestServer, what: string, isThere = true): Promise<void> {
  const isFound = async () => (await server.run(`select 1 from ${items} where ${what} limit 1`)).length > 0;
  return eventually(`${isThere ? '' : 'the end of '}${what}`, async () => (await isFound()) === isThere);
}

/** The job's time is in the future, by the clock of the machine: a process is at work on it. */
function leased(job: string): string {
  const now = 'extract(epoch from clock_timestamp()) * 1000';
  return `due_queue = 'work' and sk like '${job}%' and due_at between ${now} + 5000 and ${now} + 60000`;
}

/** An org of its own on a platform, with a person in a workspace that holds records of `order`. */
async function orgWithOrders({ app, management }: { readonly app: string; readonly management: string }) {
  const { token, org } = (await (await signUp(management, 'ann')).json()) as Org;
  const group = { group: 'tenancy', name: 'tenancy_type', value: 'multi' };
  await call('PUT', `${management}/org/settings`, { token, body: group });
  const keys = { pkTemplate: 'org#{org};data#order', skTemplate: 'order#{id}' };
  const body = { entityName: 'order', baseKeys: keys, UpdateParams: [{ name: 'title' }] };
  await call('POST', `${management}/api/create-order`, { token, body });
  const base = `${app}/app/${org.code}`;
  const headers = { client_id: org.environments.test.client_id };
  const person = { email: 'bob@example.com', password: 'correct horse battery' };
  const login = await call<{ token: string }>('POST', `${base}/login`, { headers, body: person });
  const exchange = (oauthtoken: string) =>
    call<{ token: string; tenant_code: string }>('GET', `${base}/token`, { headers: { ...headers, oauthtoken } });
  const first = await exchange(login.token);
  await call('POST', `${base}/user/workspace`, { token: first.token, body: { name: 'Acme' } });
  const user = await exchange(first.token);
  for (let number = 0; number < 20; number++)
    await call('POST', `${base}/create/order`, { token: user.token, body: { title: `t${number}` } });
  return { builder: token, user, base, scope: `org#${org.code}-${user.tenant_code}` };
}

test('a node that dies with the lease of an entity’s or a workspace’s removal is followed by another, which ends it', {
  skip: whyNot,
}, async (t) => {
  const owner = await startTestServer();
  const server = await owner.database('');
  t.after(async () => {
    await server.stop();
    await owner.stop();
  });
  const places = { FREEHOLD_STORE: server.url };
  const orders = `pk like '%;data#order'`;

  const first = await startPlatform(t, places);
  const { builder, user, base, scope } = await orgWithOrders(first);
  const releaseEntity = await holdScope(t, server, scope);
  await call('DELETE', `${first.management}/api/entity?entityname=order`, { token: builder });
  await untilFound(server, leased('purge-entity'));
  first.child.kill('SIGKILL');
  await releaseEntity();
  assert.deepEqual(await server.run(`select count(*)::int from ${items} where ${orders}`), [{ count: 20 }]);

  const second = await startPlatform(t, places);
  await untilFound(server, orders, false);
  const moved = base.replace(first.app, second.app);
  await call('DELETE', `${moved}/user/workspace`, { token: user.token, body: { code: user.tenant_code } });
  // Ten minutes later, as far as the job knows.
  await untilFound(server, `sk like 'purge-workspace%'`);
  const releaseWorkspace = await holdScope(t, server, scope);
  await server.run(`update ${items} set due_at = 1 where sk like 'purge-workspace%'`);
  await untilFound(server, leased('purge-workspace'));
  second.child.kill('SIGKILL');
  await releaseWorkspace();
  const [left] = await server.run(`select count(*)::int from ${items} where scope = '${scope}'`);
  assert.ok(Number(left?.count) > 5, `${left?.count} items are left`);

  await startPlatform(t, places);
  await untilFound(server, `sk like 'purge-workspace%'`, false);
  // The audit log stays.
  const ofRecords = `scope = '${scope}' and pk not in ('audit', 'chain')`;
  assert.ok((await server.run(`select 1 from ${items} where ${ofRecords}`)).length <= 1);
});
