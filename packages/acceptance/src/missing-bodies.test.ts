/** A call without a body, sent to every route that takes one, says that the body is missing, not that its type is wrong. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { call } from './call.ts';
import { type Operation, readOpenapi } from './openapi-document.ts';
import { create, defineEntity, definition, foundedOrg, manage } from './org.ts';
import { startPlatform } from './platform.ts';
import { rawCall } from './raw-call.ts';

const operatorKey = 'an-operator-key-of-these-tests-alone';
const platform = await startPlatform({ env: { FREEHOLD_OPERATOR_KEY: operatorKey } });
after(() => platform.kill());
const { org, founder } = await foundedOrg(platform);
await defineEntity(org, definition('order', [{ name: 'title' }]));
const { id } = await create(founder, 'order', { title: 'a' });
await manage(org, 'POST', '/user/provision-prod');
const content = {
  name: 'block',
  input_schema: { additionalProperties: false },
  steps: [{ id: 'some', type: 'list', entity: 'order' }],
};
const block = await manage(org, 'POST', '/config/logicblock', { body: { name: 'block', content } });
assert.equal(block.status, 201, block.text);

/** Its caller is known by the signature of the body. */
const signed: ReadonlySet<string> = new Set(['receiveHook']);
const known: Readonly<Record<string, string>> = {
  ...{ org: org.code, apiname: 'create-order', kind: 'logicblock', name: 'block', id, entity: 'order' },
};

/** The way a call says that it has no body. */
const without: readonly (readonly string[])[] = [
  [],
  ['Content-Length: 0'],
  ['Content-Type: application/json'],
  ['Content-Type: application/json', 'Content-Length: 0'],
  ['Content-Type: text/plain', 'Content-Length: 0'],
];
const emptyChunks = ['Transfer-Encoding: chunked'];

for (const { name, base, path, token } of [
  { name: 'app', base: org.app, path: `/app/${org.code}/openapi.json`, token: founder.token },
  { name: 'management', base: org.management, path: '/openapi.json', token: org.builder.token },
])
  test(`each route of the ${name} gateway that takes a body says where it is missing`, async () => {
    const document = readOpenapi((await call('GET', base + path, { token })).text);
    const taking = document.operations.filter(
      ({ bodies, isBodyRequired, id }) => isBodyRequired && Object.keys(bodies).length > 0 && !signed.has(id),
    );
    assert.ok(taking.length > 15, String(taking.length));
    for (const operation of taking) {
      const { method, path } = operation;
      const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => known[name] ?? 'x');
      const caller = path.startsWith('/platform/') ? operatorKey : token;
      const headers = [`Authorization: Bearer ${caller}`, `client_id: ${org.clientId}`];
      const send = (more: readonly string[], body?: string) =>
        rawCall(base, { method, target, headers: [...headers, ...more], ...(body === undefined ? {} : { body }) });
      for (const more of without) await assertMissing(operation, await send(more));
      if (operation.body !== undefined)
        for (const type of [[], ['Content-Type: application/json']])
          await assertMissing(operation, await send([...emptyChunks, ...type], '0\r\n\r\n'));
      for (const type of [[], ['Content-Type: text/plain'], ['Content-Type: image/png']]) {
        assertProblem(await send(type, 'x'), 'unsupported_media_type');
        assertProblem(await send([...type, ...emptyChunks], '1\r\nx\r\n0\r\n\r\n'), 'unsupported_media_type');
      }
    }
  });

async function assertMissing({ id }: Operation, reply: Awaited<ReturnType<typeof rawCall>>): Promise<void> {
  const problem = assertProblem(reply as Parameters<typeof assertProblem>[0], 'invalid_request');
  assert.equal(problem.detail, 'a body is required', `${id}: ${reply.text}`);
}
