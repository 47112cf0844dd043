/** A member of a body that a route does not know is refused by its name, on every route that writes. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { call, type Reply } from './call.ts';
import { type Operation, readOpenapi } from './openapi-document.ts';
import { act, create, defineEntity, definition, foundedOrg, list, manage } from './org.ts';
import { startPlatform } from './platform.ts';

const operatorKey = 'an-operator-key-of-these-tests-alone';
const platform = await startPlatform({ env: { FREEHOLD_OPERATOR_KEY: operatorKey } });
after(() => platform.kill());
const { org, founder } = await foundedOrg(platform);
await defineEntity(org, definition('order', [{ name: 'title' }]));
for (const [entity, body] of [
  ['order', { title: 'a' }],
  ['userrole', { name: 'helper' }],
] as const)
  await create(founder, entity, body);
await manage(org, 'POST', '/user/provision-prod');
const content = {
  name: 'block',
  input_schema: { additionalProperties: false },
  steps: [{ id: 'some', type: 'list', entity: 'order' }],
};
const block = await manage(org, 'POST', '/config/logicblock', { body: { name: 'block', content } });
assert.equal(block.status, 201, block.text);

/** Bodies that are read once their signature is found to be good: the tests of hooks send such. */
const signed: ReadonlySet<string> = new Set(['receiveHook']);

const unknown = 'no_member_of_this';
const known: Readonly<Record<string, string>> = {
  org: org.code,
  apiname: 'create-order',
  kind: 'logicblock',
  name: 'block',
};

interface Problem {
  readonly errors?: readonly { readonly pointer: string; readonly code: string }[];
}

async function send(base: string, { method, path }: Operation, token: string): Promise<Reply<Problem>> {
  const [, entity] = /\/update\/(\w+)/.exec(path) ?? [];
  const id = entity === undefined ? 'x' : ((await list(founder, entity)).items[0]?.id ?? 'x');
  const values: Readonly<Record<string, string>> = { ...known, id };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? 'x');
  const caller = path.startsWith('/platform/') ? operatorKey : token;
  return call(method, base + filled, { token: caller, headers: { client_id: org.clientId }, body: { [unknown]: 1 } });
}

for (const { name, base, path, token } of [
  { name: 'app', base: org.app, path: `/app/${org.code}/openapi.json`, token: founder.token },
  { name: 'management', base: org.management, path: '/openapi.json', token: org.builder.token },
])
  test(`each writing route of the ${name} gateway names the member that it does not know`, async () => {
    const document = readOpenapi((await call('GET', base + path, { token })).text);
    const writing = document.operations.filter(({ id, method, body, bodies }) => {
      const takesFiles = body === undefined && Object.keys(bodies).length > 0;
      return method !== 'GET' && method !== 'HEAD' && !takesFiles && !signed.has(id);
    });
    assert.ok(writing.length > 20);
    for (const operation of writing) {
      const reply = await send(base, operation, token);
      const found = reply.body?.errors?.find(({ pointer }) => pointer === `/${unknown}`);
      assert.deepEqual([reply.status, found?.code], [400, 'unknown_field'], `${operation.id}: ${reply.text}`);
      document.assertDocumented(operation, reply);
    }
  });

test('a route that takes no body takes an empty object, and looks at no body of a GET', async () => {
  const logout = await call('POST', `${org.management}/auth/logout`, { token: 'nonsense', body: {} });
  assert.equal(logout.status, 401);
  const removed = await create(founder, 'order', { title: 'b' });
  assert.equal((await act(founder, 'DELETE', `/delete/order/${removed.id}`, { body: {} })).status, 204);
  const kept = await create(founder, 'order', { title: 'c' });
  assert.equal((await act(founder, 'DELETE', `/delete/order/${kept.id}`, { body: { force: true } })).status, 400);
  assert.equal((await act(founder, 'GET', `/item/order/${kept.id}`)).status, 200);
});
