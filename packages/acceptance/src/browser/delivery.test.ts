/** What the management gateway sends to browsers, over HTTP; needs none. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { managementApi } from '@freehold/contract/management';
import { assertProblem } from '../assert-problem.ts';
import { type CallOptions, call } from '../call.ts';
import { signUp } from '../org.ts';
import { platformOf, platformOfFile } from '../platform-for-tests.ts';

const platform = await platformOfFile({ env: { FREEHOLD_CONSOLE: 'on' } });
const asBrowser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

function get(path: string, headers: CallOptions['headers'] = asBrowser) {
  return call('GET', platform.management + path, { headers });
}

test('N13: the page of the console is framed, opened and kept by no other, and runs files of its origin alone', async () => {
  for (const path of ['/', '/sign-in', '/o/acme/test', '/reset-password']) {
    const { status, headers } = await get(path);
    assert.equal(status, 200);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('set-cookie'), null);
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /script-src 'self';/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.ok(policy.includes(`connect-src 'self' ${platform.app};`), policy);
    assert.doesNotMatch(policy, /unsafe/);
  }
});

test('N13: every page of either gateway has an opener policy', async () => {
  for (const url of [
    `${platform.management}/inbox`,
    `${platform.management}/problems/not_found`,
    `${platform.app}/problems/not_found`,
  ]) {
    const { headers } = await call('GET', url, { headers: asBrowser });
    assert.match(headers.get('content-type') ?? '', /^text\/html/, url);
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin', url);
    assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/, url);
  }
});

test('every file that the page names is there, immutable, and compressed as the browser takes it', async () => {
  const page = (await get('/')).text;
  const files = [...page.matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
  assert.ok(files.length >= 3, page);
  for (const path of files) {
    for (const coding of ['br', 'gzip']) {
      const reply = await fetch(platform.management + path, { headers: { 'accept-encoding': coding } });
      assert.equal(reply.status, 200, path);
      assert.equal(reply.headers.get('cache-control'), 'public, max-age=31536000, immutable');
      assert.match(reply.headers.get('vary') ?? '', /Accept-Encoding/);
      const plain = await fetch(platform.management + path, { headers: { 'accept-encoding': 'identity' } });
      assert.equal(plain.headers.get('content-encoding'), null);
      assert.equal(await reply.text(), await plain.text(), path);
      if (Number(plain.headers.get('content-length')) > 2_000)
        assert.equal(reply.headers.get('content-encoding'), coding);
    }
  }
});

test('the paths of the API stay the API, for browsers too', async () => {
  const { builder } = await signUp(platform);
  const paths = Object.values(managementApi).map(({ path }) => path.replace(/:\w+/g, 'x'));
  for (const path of new Set(paths)) {
    const { headers } = await get(path);
    const type = headers.get('content-type') ?? '';
    assert.ok(path === '/inbox' || path.startsWith('/problems/') || !type.startsWith('text/html'), `${path}: ${type}`);
  }
  for (const segment of new Set(paths.map((path) => path.split('/')[1])))
    assertProblem(await get(`/${segment}/no/such/route/at/all`), 'not_found');
  assert.equal(
    (await call('GET', `${platform.management}/org`, { token: builder.token, headers: asBrowser })).status,
    200,
  );
});

test('what asks for no page gets none, and neither does a file that is not there', async () => {
  for (const headers of [{ accept: '*/*' }, { accept: 'application/json' }])
    assertProblem(await get('/', headers), 'not_found');
  for (const path of ['/assets/gone.js', '/assets/..%2findex.html', '/index.html%00'])
    assert.notEqual((await get(path)).status, 200, path);
  assertProblem(await call('POST', `${platform.management}/`, { headers: asBrowser }), 'not_found');
});

test('without its console the management gateway is the API alone', async (context) => {
  const bare = await platformOf(context);
  assertProblem(await call('GET', `${bare.management}/`, { headers: asBrowser }), 'not_found');
});

test('a public address with a path, and one of the app gateway, reach the page', async (context) => {
  const env = {
    FREEHOLD_CONSOLE: 'on',
    FREEHOLD_PUBLIC_URL: 'https://api.example.com/apps',
    FREEHOLD_MANAGEMENT_URL: 'https://example.com/manage',
  };
  const { management } = await platformOf(context, { env });
  const { text, headers } = await call('GET', `${management}/o/acme/test`, { headers: asBrowser });
  assert.match(text, /<base href="\/manage\/"/);
  assert.match(text, /<meta name="app-url" content="https:\/\/api\.example\.com\/apps"/);
  assert.match(headers.get('content-security-policy') ?? '', /connect-src 'self' https:\/\/api\.example\.com;/);
});

test('N13: scripts of the console send messages to no window and listen to none', async () => {
  const seen = new Set<string>();
  const waiting = [...(await get('/')).text.matchAll(/(?:src|href)="\.\/assets\/([^"]+\.js)"/g)].map(
    ([, name = '']) => name,
  );
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const { status, text } = await get(`/assets/${name}`, {});
    assert.equal(status, 200, name);
    // A port of a channel and a channel of this origin take no address; a window takes one.
    for (const [call] of text.matchAll(/\.postMessage\([^)]*\)/g)) assert.doesNotMatch(call, /,/, `${name}: ${call}`);
    assert.doesNotMatch(text, /(?:window|self|globalThis|document)\.addEventListener\([`'"]message[`'"]/, name);
    assert.doesNotMatch(text, /\bonmessage\s*=(?!\w+,)/, name);
    waiting.push(...[...text.matchAll(/["'`]\.\/([\w.-]+\.js)["'`]/g)].map(([, found = '']) => found));
  }
  assert.ok(seen.size > 5, [...seen].join());
});

test('Q08: the built console has pages, scripts, styles, pictures and licenses alone, and no trace of the machine that built it', () => {
  const root = join(import.meta.dirname, '../../../..');
  const files = globSync('packages/console/dist/**/*.*', { cwd: root });
  assert.ok(files.length > 50);
  for (const path of files) {
    assert.match(path, /\/licenses\.md$|\.(?:html|svg|js|css)(?:\.(?:br|gz))?$/);
    if (/\.(?:br|gz)$/.test(path)) continue;
    const text = readFileSync(join(root, path), 'utf8');
    for (const trace of [root, homedir(), 'sourceMappingURL', 'sourcesContent'])
      assert.ok(!text.includes(trace), `${path} has ${trace}`);
  }
});
