import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Problem } from '../../lib/problem.ts';
import type { DocsSource, SiteFile, SiteFiles } from '../site-files.ts';
import { appPageReply, docsReply } from './docs.ts';

const page: SiteFile = {
  contentType: 'text/html; charset=utf-8',
  plain: Buffer.from('<p>page'),
  coded: { gzip: gzipSync('<p>page') },
  digest: 'abc',
};
const script: SiteFile = { contentType: 'text/javascript', plain: Buffer.from('1'), coded: {}, digest: 'def' };
const files: SiteFiles = new Map([
  ['/index.html', page],
  ['/api/index.html', page],
  ['/app-docs.html', page],
  ['/assets/main-1.js', script],
]);
const built: DocsSource = { current: () => ({ is: 'built', files }) };

function request(headers: IncomingMessage['headers'] = {}, method = 'GET'): IncomingMessage {
  return { method, headers } as IncomingMessage;
}

test('the folder of the docs, and each folder in it, leads to its page by a relative address', () => {
  for (const [path, location] of [
    ['/docs', 'docs/index.html'],
    ['/docs/api', 'api/index.html'],
  ] as const) {
    const reply = docsReply(built, request(), path);
    assert.equal(reply?.status, 302);
    assert.equal(reply?.headers?.Location, location);
  }
});

test('a page runs scripts of its origin alone, lies in no frame, and is asked for again each time', () => {
  const reply = docsReply(built, request(), '/docs/index.html');
  assert.deepEqual([reply?.status, reply?.contentType], [200, 'text/html; charset=utf-8']);
  assert.deepEqual(Buffer.from(reply?.bytes ?? []), page.plain);
  const { headers = {} } = reply ?? {};
  assert.match(
    headers['Content-Security-Policy'] ?? '',
    /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'/,
  );
  assert.doesNotMatch(headers['Content-Security-Policy'] ?? '', /unsafe|\*|data:|http/);
  assert.equal(headers['Cross-Origin-Opener-Policy'], 'same-origin');
  assert.equal(headers['Cache-Control'], 'no-cache');
  assert.equal(headers.ETag, '"abc"');
});

test('a page that the caller has is not sent again, in the coding that the caller has it in', () => {
  const status = (headers: IncomingMessage['headers']) =>
    docsReply(built, request(headers), '/docs/index.html')?.status;
  assert.equal(status({ 'if-none-match': '"abc"' }), 304);
  assert.equal(status({ 'if-none-match': '"other"' }), 200);
  const packed = { 'accept-encoding': 'gzip' };
  assert.equal(docsReply(built, request(packed), '/docs/index.html')?.headers?.ETag, '"abc-gzip"');
  assert.equal(status({ ...packed, 'if-none-match': '"abc-gzip"' }), 304);
  assert.equal(status({ ...packed, 'if-none-match': '"abc"' }), 200);
  assert.throws(
    () => status({ 'if-match': '"other"' }),
    (error) => error instanceof Problem && error.status === 412,
  );
});

test('what is named by its contents is kept for ever', () => {
  const reply = docsReply(built, request(), '/docs/assets/main-1.js');
  assert.equal(reply?.headers?.['Cache-Control'], 'public, max-age=31536000, immutable');
  assert.equal(reply?.headers?.ETag, undefined);
});

test('a path that names no file has no answer, and neither has another method or a platform without docs', () => {
  for (const path of [
    '/docs/gone.html',
    '/docs/assets',
    '/docs/api/gone',
    '/docs/index',
    '/docs/package.json',
    '/docs/app-docs.html',
  ])
    assert.equal(docsReply(built, request(), path), undefined, path);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
    assert.equal(docsReply(built, request({}, method), '/docs/index.html'), undefined);
  assert.equal(docsReply(built, request({}, 'HEAD'), '/docs/index.html')?.status, 200);
  assert.equal(docsReply({ current: () => ({ is: 'off' }) }, request(), '/docs'), undefined);
});

test('while there are none, a browser is told why', () => {
  const building = docsReply({ current: () => ({ is: 'building' }) }, request(), '/docs');
  assert.equal(building?.status, 503);
  assert.match(building?.body ?? '', /documentation is being built/);
  const missing = docsReply({ current: () => ({ is: 'missing' }) }, request(), '/docs/api');
  assert.match(missing?.body ?? '', /npm run build</);
});

test('the page of an app is kept by no cache, and lies in no frame', () => {
  const { status, headers = {} } = appPageReply(built) ?? {};
  assert.equal(status, 200);
  assert.equal(headers['Cache-Control'], 'no-store');
  assert.equal(headers['Cross-Origin-Opener-Policy'], 'same-origin');
  assert.match(headers['Content-Security-Policy'] ?? '', /frame-ancestors 'none'/);
  assert.equal(appPageReply({ current: () => ({ is: 'off' }) }), undefined);
  assert.equal(appPageReply({ current: () => ({ is: 'missing' }) })?.status, 503);
});
