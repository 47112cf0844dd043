import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRaw } from '../testing/raw-request.ts';
import { readHost, requireOwnHost } from './host.ts';

const read: readonly (readonly [string, readonly [string, string] | undefined])[] = [
  ['localhost:4000', ['localhost', '4000']],
  ['Example.COM', ['example.com', '']],
  ['example.com:', ['example.com', '']],
  ['127.0.0.1:4000', ['127.0.0.1', '4000']],
  ['[::1]:4000', ['::1', '4000']],
  ['[FE80::1]', ['fe80::1', '']],
  ['my_service-1.local', ['my_service-1.local', '']],
  ...['', ' ', ':', ':80', '[', '[]', '[::1', '::1', '[1.2.3.4]', '[::1]x', 'a b', 'a,b', 'x:99999', 'x:8o'].map(
    (text) => [text, undefined] as const,
  ),
  ...['@', 'user@host', '%', 'a%20b', 'a/b', 'a?b', 'a#b', 'a\\b', 'é', 'a\t', '<x>', '"x"', 'x'.repeat(254)].map(
    (text) => [text, undefined] as const,
  ),
];

for (const [text, expected] of read)
  test(`${JSON.stringify(text.slice(0, 40))} is ${expected === undefined ? 'no host' : 'a host'}`, () => {
    const found = readHost(text);
    assert.deepEqual(found && [found.name, found.port], expected);
  });

const managementUrl = 'https://admin.example.com:8443/freehold';

test('what is open in development is answered at an address, at localhost and at its own name', async () => {
  const outcome = (host: string, site: { readonly managementUrl: string | undefined }) =>
    readRaw(['GET / HTTP/1.1', `Host: ${host}`], (request) => requireOwnHost(site, request)).then(
      () => 'answered',
      ({ code }: { readonly code?: unknown }) => code,
    );
  for (const host of ['127.0.0.1:4001', '192.168.1.7', '[::1]:4001', 'localhost:4001', 'LOCALHOST', 'me.localhost:1'])
    assert.equal(await outcome(host, { managementUrl: undefined }), 'answered', host);
  assert.equal(await outcome('admin.example.com', { managementUrl }), 'answered');
  for (const host of ['evil.example:4001', 'localhost.evil.example', '127.0.0.1.nip.io', 'freehold', 'notlocalhost'])
    for (const site of [{ managementUrl: undefined }, { managementUrl }])
      assert.equal(await outcome(host, site), 'origin_refused', host);
});
