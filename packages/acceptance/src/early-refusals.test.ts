/** A call that is refused, or that ends, before all of its body was sent: its client gets the reply, and no reset. */
import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { after, test } from 'node:test';
import { appApi } from '@freehold/contract/app';
import { managementApi } from '@freehold/contract/management';
import type { Route } from '@freehold/contract/route';
import { cli, folderWith, signedIn } from './cli-data.ts';
import { allow, appUrl, defineEntity, definition, foundedOrg, memberWith } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, definition('note', [{ name: 'title' }]));
const reader = await memberWith(founder, [allow(['listnote'])]);

const chunkBytes = 64 * 1024;
const sizes = [220_000, 4 * 1024 * 1024];

interface Upload {
  readonly url: string;
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer<ArrayBuffer>;
}

interface Received {
  readonly status: number;
  readonly text: string;
}

type Send = (upload: Upload) => Promise<Received>;

function chunksOf(body: Buffer<ArrayBuffer>): readonly Buffer<ArrayBuffer>[] {
  const count = Math.ceil(body.length / chunkBytes);
  return Array.from({ length: count }, (_, index) => body.subarray(index * chunkBytes, (index + 1) * chunkBytes));
}

const agent = new Agent({ keepAlive: true });
after(() => agent.destroy());

function sendByHttp({ url, method = 'POST', headers, body }: Upload, isChunked: boolean): Promise<Received> {
  return new Promise((resolve, reject) => {
    const framing = isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': `${body.length}` };
    const outgoing = request(url, { method, agent, headers: { ...headers, ...framing } }, (response) => {
      response.toArray().then((parts) => resolve({ status: response.statusCode ?? 0, text: parts.join('') }), reject);
    });
    outgoing.on('error', reject);
    for (const chunk of chunksOf(body)) outgoing.write(chunk);
    outgoing.end();
  });
}

async function sendByFetch({ url, method = 'POST', headers, body }: Upload, isChunked: boolean): Promise<Received> {
  const sent = isChunked ? { body: ReadableStream.from(chunksOf(body)), duplex: 'half' as const } : { body };
  const response = await fetch(url, { method, headers, ...sent });
  return { status: response.status, text: await response.text() };
}

const clients: Readonly<Record<string, Send>> = {
  'by fetch': (upload) => sendByFetch(upload, false),
  'by fetch, as a stream': (upload) => sendByFetch(upload, true),
  'by node:http': (upload) => sendByHttp(upload, false),
  'by node:http, in chunks': (upload) => sendByHttp(upload, true),
};

const json = { 'content-type': 'application/json' };
const csv = { 'content-type': 'text/csv' };
const as = ({ token }: { readonly token: string }) => ({ authorization: `Bearer ${token}` });
const imports = appUrl(org, '/import/note');
const brokenRow = 'title\na"b\n';

interface Case {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly begin?: string;
  readonly expected: number;
  readonly answer?: RegExp;
}

const cases: Readonly<Record<string, Case>> = {
  'an import without a token': { url: imports, headers: csv, expected: 401 },
  'an import that policies deny': { url: imports, headers: { ...csv, ...as(reader) }, expected: 403 },
  'an import into no entity': { url: appUrl(org, '/import/none'), headers: { ...csv, ...as(founder) }, expected: 404 },
  'an import with an unknown parameter': { url: `${imports}?x=1`, headers: { ...csv, ...as(founder) }, expected: 400 },
  'an import of no type': { url: imports, headers: { 'content-type': 'text/plain', ...as(founder) }, expected: 415 },
  'an import with an unknown column': {
    url: imports,
    headers: { ...csv, ...as(founder) },
    begin: 'no\n',
    expected: 400,
  },
  'an import that ends at a broken row': {
    url: imports,
    headers: { ...csv, ...as(founder) },
    begin: brokenRow,
    expected: 200,
    answer: /"error":/,
  },
  'an import with progress that ends at a broken row': {
    url: imports,
    headers: { ...csv, ...as(founder), accept: 'application/x-ndjson' },
    begin: brokenRow,
    expected: 200,
    answer: /"result":.*"error":/,
  },
  'a record without a token': { url: appUrl(org, '/create/note'), headers: json, expected: 401 },
  'a path that is none': { url: appUrl(org, '/none'), headers: { ...json, ...as(founder) }, expected: 404 },
  'headers that are too large': {
    url: `${org.management}/auth/login`,
    headers: { ...json, 'x-large': 'x'.repeat(20_000) },
    expected: 431,
  },
};

for (const [name, { url, headers, begin = 'title\n', expected, answer = /"code":|"result":/ }] of Object.entries(cases))
  for (const [client, send] of Object.entries(clients))
    test(`${name} is answered ${expected} ${client}, each time`, async () => {
      for (const size of sizes) {
        const body = Buffer.concat([Buffer.from(begin), Buffer.alloc(size, 'some row\n')]);
        for (let sent = 0; sent < 4; sent++) {
          const { status, text } = await send({ url, headers, body });
          assert.equal(status, expected, text);
          assert.match(text, answer);
        }
      }
    });

const gatewayRoutes: readonly (readonly [base: string, routes: readonly Route[]])[] = [
  [org.app, Object.values(appApi)],
  [org.management, Object.values(managementApi)],
];
const withBody = gatewayRoutes.flatMap(([base, routes]) =>
  routes.flatMap((route) => (route.method === 'GET' || route.method === 'DELETE' ? [] : [{ base, route }])),
);

test('every route that takes a body refuses four megabytes of it without a reset', async () => {
  assert.ok(withBody.length > 100);
  const body = Buffer.alloc(4 * 1024 * 1024, ' ');
  for (let at = 0; at < withBody.length; at += 8)
    await Promise.all(
      withBody.slice(at, at + 8).map(async ({ base, route: { method, path, takesStreamOf } }) => {
        const url = `${base}${path.replace(':org', org.code).replaceAll(/:\w+/g, 'x')}`;
        const headers = { 'content-type': takesStreamOf?.[0] ?? 'application/json' };
        const { status, text } = await sendByFetch({ url, method, headers, body }, false);
        assert.ok(status >= 400 && status < 500, `${method} ${path}: ${status} ${text}`);
        assert.match(text, /"code":/);
      }),
    );
});

test('the command line says why an import was refused, or ended, whatever is left of the file', async () => {
  const rows = Buffer.alloc(220_000, 'some row\n').toString();
  const cwd = folderWith({
    'good.csv': `title\n${rows}`,
    'unknown.csv': `no\n${rows}`,
    'broken.csv': `${brokenRow}${rows}`,
  });
  const run = (...words: readonly string[]) =>
    cli(['records', 'import', ...words, '--json'], { cwd, env: signedIn(org) });
  const codeOf = (reply: { readonly json: Readonly<Record<string, unknown>> }) =>
    (reply.json.error as { readonly code?: unknown } | undefined)?.code;
  for (const [words, code] of [
    [['note', 'good.csv', '--as', reader.id], 'access_denied'],
    [['none', 'good.csv'], 'not_found'],
    [['note', 'unknown.csv'], 'unknown_field'],
    [['note', 'broken.csv'], 'invalid_csv'],
  ] as const) {
    const reply = await run(...words);
    assert.deepEqual([reply.code, codeOf(reply)], [2, code], reply.stdout + reply.stderr);
  }
});
