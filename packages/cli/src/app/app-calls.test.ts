import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { CommandError } from '../frame/command-error.ts';
import type { Context } from '../frame/context.ts';
import { importRecords } from '../records/import-records.ts';
import { openApp } from './app-calls.ts';

/** An app whose every reply is a success with this body. */
async function appAnswering(t: TestContext, headers: Readonly<Record<string, string>>, body: string) {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(200, headers).end(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => void server.close());
  const address = server.address();
  const appUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const target = { url: appUrl, appUrl, org: 'acme', kind: 'service key', token: 'fhk_x' };
  const context = { env: {}, target: () => target } as unknown as Context;
  return openApp(context, { env: 'test', workspace: undefined, as: undefined });
}

function isUnexpected(error: unknown): boolean {
  return error instanceof CommandError && error.details.code === 'unexpected_reply' && error.details.status === 200;
}

const page = '<h1>Sign in to the network</h1>';
const strange: readonly (readonly [headers: Readonly<Record<string, string>>, body: string])[] = [
  [{ 'content-type': 'text/html' }, page],
  [{}, ''],
  [{ 'content-type': 'application/json' }, ''],
  [{ 'content-type': 'application/json' }, '[]'],
];

for (const [headers, body] of strange)
  test(`200 with ${JSON.stringify({ ...headers, body })} is no success of a command`, async (t) => {
    const app = await appAnswering(t, headers, body);
    await assert.rejects(app.json('/list/order'), isUnexpected);
  });

test('a content type counts in any case', async (t) => {
  const app = await appAnswering(t, { 'content-type': 'Application/JSON; Charset=UTF-8' }, '{"id":"1"}');
  assert.deepEqual(await app.json('/item/order/1'), { id: '1' });
});

test('a page of another server is no export and no import', async (t) => {
  const app = await appAnswering(t, { 'content-type': 'text/html; charset=utf-8' }, page);
  await assert.rejects(app.send('/export/order', { accept: 'text/csv' }), isUnexpected);
  const folder = mkdtempSync(join(tmpdir(), 'freehold-import-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'x.jsonl');
  writeFileSync(path, '{"a":1}\n');
  const source = { path, stdin: process.stdin, format: 'jsonl', encoding: 'utf-8', delimiter: ',' } as const;
  await assert.rejects(
    importRecords({ app, entity: 'order', source, query: {}, progress: () => undefined }),
    (error) => {
      assert.match(JSON.stringify(error), /unexpected_reply.*may have made the change/);
      return true;
    },
  );
  assert.deepEqual(readdirSync(folder), ['x.jsonl']);
});
