import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApp, type FreeholdError } from './client.ts';
import { createManagement } from './management.ts';

const app = (reply: () => Response) =>
  createApp({ url: 'https://x', org: 'acme', clientId: 'c', fetch: async () => reply() });
const management = (reply: () => Response) => createManagement({ url: 'https://x', fetch: async () => reply() });
const typed = (type: string, body: string) => () => new Response(body, { headers: { 'content-type': type } });

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const reads: Readonly<Record<string, (reply: () => Response) => Promise<unknown>>> = {
  get: (reply) => app(reply).entity('order').get('1'),
  list: (reply) => app(reply).entity('order').list(),
  pages: (reply) => all(app(reply).entity('order').pages()),
  each: (reply) => all(app(reply).entity('order').each()),
  count: (reply) => app(reply).entity('order').count(),
  signIn: (reply) => app(reply).signIn({ email: 'ann@example.com', password: 'x' }),
  signInWithToken: (reply) => app(reply).signInWithToken('x'),
  workspaces: (reply) => app(reply).workspaces.list(),
  permissions: (reply) => app(reply).permissions(),
};
const changes: typeof reads = {
  create: (reply) => app(reply).entity('order').create({}),
  update: (reply) => app(reply).entity('order').update('1', {}),
  delete: (reply) => app(reply).entity('order').delete('1'),
  batch: (reply) => app(reply).batch('atomic').create('order', {}).send(),
  run: (reply) => app(reply).run('block'),
};

const otherServers: Readonly<Record<string, () => Response>> = {
  'a page': typed('text/html', '<h1>Sign in to the network</h1>'),
  'no type': () => new Response(new Blob(['{}'])),
  'an empty body': typed('application/json', ''),
  'nothing at all': () => new Response(null),
};

for (const [server, reply] of Object.entries(otherServers)) {
  for (const [name, call] of Object.entries({ ...reads, ...changes }))
    test(`${name}: 200 with ${server} is \`unexpected_reply\``, async () => {
      await assert.rejects(call(reply), (error: FreeholdError) => {
        const isUncertain = name in changes || name === 'signIn';
        assert.deepEqual([error.code, error.status, error.uncertain], ['unexpected_reply', 200, isUncertain]);
        return true;
      });
    });
  test(`the management API: 200 with ${server} is \`unexpected_reply\``, async () => {
    for (const name of ['listEntities', 'exportUsage', 'exportConfig', 'logOut'] as const)
      if (!(server === 'an empty body' && name.startsWith('export')))
        await assert.rejects(management(reply).call(name), { code: 'unexpected_reply', status: 200 });
  });
}

const open: ReadonlySet<string> = new Set(['get', 'permissions']);

for (const body of ['{"message":"sign in"}', '[]', '"x"', 'null'])
  test(`JSON of another server, \`${body}\`, is \`unexpected_reply\``, async () => {
    const isObject = body.startsWith('{');
    // Any object may be a record, or the permissions of a caller.
    for (const call of Object.entries(reads).flatMap(([name, read]) => (isObject && open.has(name) ? [] : [read])))
      await assert.rejects(call(typed('application/json', body)), { code: 'unexpected_reply' });
    await assert.rejects(changes.batch?.(typed('application/json', body)) ?? Promise.resolve(), {
      code: 'unexpected_reply',
      uncertain: true,
    });
  });

test('a 204 is the reply to a change, and to no read', async () => {
  const none = () => new Response(null, { status: 204 });
  assert.equal(await app(none).entity('order').delete('1'), undefined);
  for (const call of [...Object.values(reads), changes.create])
    await assert.rejects(call?.(none) ?? Promise.resolve(), { code: 'unexpected_reply' });
});

test('a content type counts in any case, also that of a refusal', async () => {
  const record = await app(typed('Application/JSON; Charset=UTF-8', '{"id":"1"}')).entity('order').get('1');
  assert.deepEqual(record, { id: '1' });
  const problem = JSON.stringify({ code: 'not_found', status: 404, detail: 'no such record' });
  const refused = () => new Response(problem, { status: 404, headers: { 'content-type': 'Application/Problem+JSON' } });
  await assert.rejects(app(refused).entity('order').get('1'), { code: 'not_found' });
});

test('a call gets text where the route has it, or where it accepts it', async () => {
  const csv = typed('text/csv; charset=utf-8', 'id\n');
  const { request } = app(csv);
  assert.equal(await request('GET', '/export/order', { query: { format: 'csv' } }), 'id\n');
  assert.equal(await request('GET', '/docs', { headers: { Accept: 'text/html;q=0.9, TEXT/CSV' } }), 'id\n');
  assert.equal(await request('GET', '/docs', { headers: { Accept: '*/*' } }), 'id\n');
  await assert.rejects(request('GET', '/docs'), { code: 'unexpected_reply' });
  assert.equal(await management(csv).call('exportUsage'), 'id\n');
  assert.equal(await app(typed('application/x-ndjson', '')).request('GET', '/export/order'), '');
});
