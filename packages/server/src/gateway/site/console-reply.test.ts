import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { ConsoleSource, ConsoleState } from '../site-files.ts';
import { consoleReply } from './console.ts';

const script = Buffer.from('console.log("à")');
const built: ConsoleState = {
  is: 'built',
  files: {
    page: '<base href="__BASE__"><meta content="__APP_URL__"><script nonce="__NONCE__"></script>',
    assets: new Map([
      [
        '/assets/main.js',
        {
          contentType: 'text/javascript',
          plain: script,
          digest: 'x',
          coded: { br: brotliCompressSync(script), gzip: gzipSync(script) },
        },
      ],
    ]),
  },
};

function source(state: ConsoleState, more: Partial<ConsoleSource> = {}): ConsoleSource {
  return { current: () => state, appAddress: () => ({ port: 4000 }), basePath: '/', ...more };
}

function request(headers: IncomingMessage['headers'], method = 'GET'): IncomingMessage {
  return { method, headers: { host: 'localhost:4001', ...headers } } as IncomingMessage;
}

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test('a browser gets the page at any path that no route has, and every other caller nothing', () => {
  for (const path of ['/', '/o/acme/test', '/sign-in', '/reset-password'])
    assert.equal(consoleReply(source(built), request(browser), path)?.status, 200);
  for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }])
    assert.equal(consoleReply(source(built), request(headers), '/'), undefined);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
    assert.equal(consoleReply(source(built), request(browser, method), '/'), undefined);
  assert.equal(consoleReply(source({ is: 'off' }), request(browser), '/'), undefined);
});

test('a file that is not there is no page', () => {
  assert.equal(consoleReply(source(built), request(browser), '/assets/gone.js'), undefined);
});

test('the page allows no script but files of its origin, and calls to the two gateways alone', () => {
  const { headers = {}, body = '' } = consoleReply(source(built), request(browser), '/') ?? {};
  const policy = headers['Content-Security-Policy'] ?? '';
  assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[\w-]{22}'/);
  assert.match(policy, /connect-src 'self' http:\/\/localhost:4000; /);
  assert.match(policy, /frame-ancestors 'none'$/);
  assert.doesNotMatch(policy, /unsafe|\*|data:/);
  assert.equal(headers['Cache-Control'], 'no-store');
  assert.equal(headers['Cross-Origin-Opener-Policy'], 'same-origin');
  const [, nonce = ''] = /'nonce-([\w-]+)'/.exec(policy) ?? [];
  assert.equal(body, `<base href="/"><meta content="http://localhost:4000"><script nonce="${nonce}"></script>`);
});

test('each page has a nonce of its own', () => {
  const policies = [1, 2].map(
    () => consoleReply(source(built), request(browser), '/')?.headers?.['Content-Security-Policy'],
  );
  assert.notEqual(policies[0], policies[1]);
});

test('the address of the app gateway is the public one, or that of the host by which the page was asked for', () => {
  const policyFor = (more: Partial<ConsoleSource>, host: string) =>
    consoleReply(source(built, more), request({ ...browser, host }), '/')?.headers?.['Content-Security-Policy'] ?? '';
  assert.match(policyFor({}, '[::1]:4001'), /connect-src 'self' http:\/\/\[::1\]:4000;/);
  assert.match(
    policyFor({ appAddress: () => ({ url: 'https://api.example/base' }) }, 'x'),
    /'self' https:\/\/api\.example;/,
  );
  assert.match(policyFor({ appAddress: () => undefined }, 'x'), /connect-src 'self';/);
  for (const host of ["x'; script-src *", 'a b', '<b>', ''])
    assert.match(policyFor({}, host), /connect-src 'self' http:\/\/127\.0\.0\.1:4000;/);
});

test('the page finds its files below the path of the public address', () => {
  const reply = consoleReply(source(built, { basePath: '/manage/' }), request(browser), '/o/acme');
  assert.match(reply?.body ?? '', /^<base href="\/manage\/">/);
});

test('an address stands in the page as it is, whatever signs its path has', () => {
  const url = "https://api.example/$&$'$$/&quot;/__BASE__";
  const reply = consoleReply(source(built, { basePath: '/$`/', appAddress: () => ({ url }) }), request(browser), '/');
  const [, content = ''] = /<meta content="([^"]*)">/.exec(reply?.body ?? '') ?? [];
  assert.equal(content.replaceAll('&amp;', '&'), url);
  assert.doesNotMatch(content, /&(?!amp;)/);
  assert.match(reply?.body ?? '', /^<base href="\/\$`\/">/);
});

test('a file is kept for ever, and sent in the best coding that the browser takes', () => {
  const of = (encoding: string | undefined) => {
    const reply = consoleReply(source(built), request({ 'accept-encoding': encoding }), '/assets/main.js');
    assert.equal(reply?.headers?.['Cache-Control'], 'public, max-age=31536000, immutable');
    return [reply?.headers?.['Content-Encoding'], Buffer.from(reply?.bytes ?? [])];
  };
  assert.deepEqual(of('gzip, deflate, br, zstd'), ['br', brotliCompressSync(script)]);
  assert.deepEqual(of('gzip;q=0.5'), ['gzip', gzipSync(script)]);
  assert.deepEqual(of('br;q=0, GZIP'), ['gzip', gzipSync(script)]);
  assert.deepEqual(of('deflate'), [undefined, script]);
  assert.deepEqual(of(undefined), [undefined, script]);
});

test('while there is none, a browser is told why, and loads again if it is on its way', () => {
  const building = consoleReply(source({ is: 'building' }), request(browser), '/');
  assert.equal(building?.status, 503);
  assert.match(building?.body ?? '', /being built/);
  assert.match(building?.body ?? '', /http-equiv="refresh"/);
  assert.equal(building?.headers?.['Retry-After'], '2');
  const missing = consoleReply(source({ is: 'missing' }), request(browser), '/');
  assert.match(missing?.body ?? '', /npm run build</);
  assert.doesNotMatch(missing?.body ?? '', /refresh/);
  assert.equal(missing?.headers?.['Retry-After'], undefined);
});
