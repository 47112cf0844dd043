import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import { beginTrace } from '../call-trace.ts';
import type { ConsoleSource, DocsSource, SiteFile } from '../site-files.ts';
import { withSites } from './console.ts';

const page: SiteFile = { contentType: 'text/html', plain: Buffer.from('<p>'), coded: {}, digest: 'abc' };
const docs: DocsSource = {
  current: () => ({
    is: 'built',
    files: new Map([
      ['/index.html', page],
      ['/api/index.html', page],
    ]),
  }),
};
const console: ConsoleSource = {
  current: () => ({ is: 'built', files: { page: '<p>', assets: new Map() } }),
  appAddress: () => ({ port: 4000 }),
  basePath: '/',
};
const gateway = withSites(
  async () => {
    throw new Problem('invalid_request', 'the API');
  },
  [{ method: 'GET', path: '/api/entity' }],
  { console, docs },
);

function ask(url: string, method = 'GET') {
  const incoming = { method, url, headers: { host: 'localhost:4001', accept: 'text/html' } } as IncomingMessage;
  const errors = { reply: () => ({ status: 500 }) };
  return gateway(incoming, beginTrace('1', { method, traceparent: undefined }), errors);
}

const isRefused = (error: unknown) => error instanceof Problem && error.code === 'invalid_request';

test('an address of a site that ends with a slash leads to the one without it, with its query', async () => {
  for (const [url, location] of [
    ['/docs/', '../docs'],
    ['/docs/api/', '../api'],
    ['/docs/?q=events', '../docs?q=events'],
    ['/operations/', '../operations'],
  ] as const) {
    const reply = await ask(url);
    assert.deepEqual([reply.status, reply.headers?.Location], [302, location], url);
  }
});

test('no other path gets a second spelling: the API refuses a slash at the end, and so do the sites what they have not', async () => {
  for (const url of [
    '//',
    '/api/entity/',
    '/docs//',
    '//docs/',
    '//example.com/',
    '/docs/gone/',
    '/docs/./',
    '/docs/%2e/',
    '/docs\\/',
  ])
    await assert.rejects(ask(url), isRefused, url);
  await assert.rejects(ask('/docs/', 'POST'), isRefused);
});
