import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowedDomains, allowsOrigin } from './allowed-domains.ts';
import { appUrl } from './app-url.ts';

/** What is written into the setting, and the origin that it means. */
const taken: readonly (readonly [string, string])[] = [
  ['https://app.example.com', 'https://app.example.com'],
  ['http://app.example.com', 'http://app.example.com'],
  ['https://app.example.com:8443', 'https://app.example.com:8443'],
  ['https://app.example.com:443', 'https://app.example.com'],
  ['http://app.example.com:80', 'http://app.example.com'],
  ['http://app.example.com:443', 'http://app.example.com:443'],
  ['app.example.com', 'https://app.example.com'],
  ['app.example.com:8443', 'https://app.example.com:8443'],
  ['App.Example.COM', 'https://app.example.com'],
  ['localhost', 'http://localhost'],
  ['localhost:3000', 'http://localhost:3000'],
  ['https://localhost:3000', 'https://localhost:3000'],
  ['localhost.example.com', 'https://localhost.example.com'],
  ['intranet', 'https://intranet'],
  ['127.0.0.1:3000', 'https://127.0.0.1:3000'],
  ['http://[::1]:3000', 'http://[::1]:3000'],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ['capacitor://localhost', 'capacitor://localhost'],
  ['ionic://localhost', 'ionic://localhost'],
  ['tauri://localhost', 'tauri://localhost'],
];

for (const [entry, origin] of taken)
  test(`\`${entry}\` means ${origin}`, () => {
    assert.deepEqual(allowedDomains.parse([entry]), { value: [origin] });
    assert.ok(allowsOrigin([origin], origin));
  });

const refused: readonly unknown[] = [
  '',
  ' ',
  '*',
  'null',
  '*.example.com',
  'https://*.example.com',
  'https://',
  'https://example.com/',
  'https://example.com/path',
  'example.com/path',
  'https://example.com?a=b',
  'https://example.com#a',
  'https://ann@example.com',
  'https://example.com@evil.example',
  'https://example.com\\.evil.example',
  'https://example.com.',
  'https://example.com:99999',
  'https://example.com:port',
  ' https://example.com',
  'https://example.com\n',
  'https://exa mple.com',
  'https://ex%61mple.com',
  'HTTPS://example.com',
  'ftp://example.com',
  'file:///',
  'javascript:alert(1)',
  '//example.com',
  'capacitor://example.com',
  'capacitor://localhost:3000',
  'capacitor://localhost/',
  'CAPACITOR://localhost',
  'tauri://',
  'app://localhost',
  'chrome-extension://localhost',
  `https://${'a'.repeat(300)}.example`,
  7,
  null,
  {},
  ['https://example.com'],
];

for (const entry of refused)
  test(`${JSON.stringify(entry)?.slice(0, 50)} is no origin`, () => {
    const parsed = allowedDomains.parse(['https://example.com', entry]);
    assert.ok('errors' in parsed);
    assert.deepEqual(
      parsed.errors.map(({ pointer, code }) => [pointer, code]),
      [['/1', 'invalid_origin']],
    );
  });

test('two spellings of an origin are one, and every mistake is named', () => {
  assert.deepEqual(allowedDomains.parse(['a.example', 'https://a.example:443', 'http://a.example']), {
    value: ['https://a.example', 'http://a.example'],
  });
  const parsed = allowedDomains.parse(['*', 'a.example', '/']);
  assert.deepEqual('errors' in parsed && parsed.errors.map(({ pointer }) => pointer), ['/0', '/2']);
});

test('there are at most a hundred, in an array', () => {
  const entries = Array.from({ length: 101 }, (_, index) => `a${index}.example`);
  assert.ok('value' in allowedDomains.parse(entries.slice(1)));
  for (const input of [entries, 'a.example', { 0: 'a.example' }, null, undefined])
    assert.ok('errors' in allowedDomains.parse(input));
});

/** A list, and the origins of which it must and must not let pages in. */
const lists: readonly {
  readonly list: readonly string[];
  readonly lets: readonly string[];
  readonly not: readonly string[];
}[] = [
  {
    list: ['https://example.com'],
    lets: ['https://example.com'],
    not: [
      'http://example.com',
      'https://example.com:443',
      'https://example.com:8443',
      'https://example.com.',
      'https://example.com/',
      'https://EXAMPLE.com',
      'https://evil-example.com',
      'https://example.com.evil.io',
      'https://exampleXcom',
      'https://example.com@evil.com',
      'https://example.com\\.evil.com',
      'https://example.com, https://example.com',
      'https://example.com https://example.com',
      'example.com',
      'null',
      '*',
      '',
    ],
  },
  {
    list: ['http://localhost'],
    lets: [
      ...['http://localhost', 'http://localhost:3000', 'http://localhost:65535'],
      ...['http://127.0.0.1', 'http://127.0.0.1:3000', 'http://127.0.0.1:65535'],
      ...['http://[::1]', 'http://[::1]:5173', 'http://[::1]:65535'],
    ],
    not: [
      'https://localhost',
      'https://localhost:3000',
      'http://localhost:',
      'http://localhost:3000/',
      'http://localhost:123456',
      'http://localhost.evil.example',
      'http://localhost:3000.evil.example',
      'http://localhost@evil.example',
      'http://LOCALHOST:3000',
      'https://127.0.0.1',
      'https://[::1]:3000',
      'http://127.0.0.1:',
      'http://127.0.0.1:123456',
      'http://127.0.0.1.evil.example',
      'http://127.0.0.1@evil.example',
      'http://127.0.0.2:3000',
      'http://127.1',
      'http://0.0.0.0:3000',
      'http://[::1]:',
      'http://[::1].evil.example',
      'http://[::2]:3000',
      'http://[0:0:0:0:0:0:0:1]',
      'http://[::ffff:127.0.0.1]',
      'http://::1',
      'http://sub.localhost',
      'null',
    ],
  },
  {
    list: ['https://localhost:3000'],
    lets: ['https://localhost', 'https://localhost:4000'],
    not: ['http://localhost:3000'],
  },
  {
    list: ['http://127.0.0.1:3000'],
    lets: ['http://127.0.0.1:3000'],
    not: ['http://127.0.0.1', 'http://127.0.0.1:3001'],
  },
  {
    list: ['capacitor://localhost'],
    lets: ['capacitor://localhost'],
    not: ['capacitor://localhost:3000', 'ionic://localhost', 'http://localhost', 'capacitor://evil.example', 'null'],
  },
  { list: ['http://localhost'], lets: ['http://localhost'], not: ['capacitor://localhost', 'tauri://localhost'] },
  { list: [], lets: [], not: ['http://localhost', 'https://example.com', 'null', '*', ''] },
];

for (const { list, lets, not } of lists)
  test(`G01 G03 G04: ${JSON.stringify(list)} lets in the pages of exactly these origins`, () => {
    for (const origin of lets) assert.equal(allowsOrigin(list, origin), true, origin);
    for (const origin of not) assert.equal(allowsOrigin(list, origin), false, origin);
  });

test('in production pages of localhost do not count unless that was said for production', () => {
  const addresses = ['http://127.0.0.1:3000', 'https://127.0.0.1', 'http://[::1]', 'https://[::1]:8443'];
  const origins = [
    'http://localhost',
    'https://localhost:3000',
    ...addresses,
    'https://localhost.example.com',
    'https://a.example',
  ];
  assert.deepEqual(allowedDomains.inProduction?.(origins), ['https://localhost.example.com', 'https://a.example']);
  const ofApps = ['capacitor://localhost', 'ionic://localhost', 'tauri://localhost'];
  assert.deepEqual(allowedDomains.inProduction?.(ofApps), ofApps, 'an app on a device has no other origin');
  assert.deepEqual(allowedDomains.inProduction?.(allowedDomains.byDefault), []);
  for (const page of ['http://localhost:5173/', 'http://127.0.0.1:5173/', 'http://[::1]/start'])
    assert.equal(appUrl.inProduction?.(page), null, page);
  assert.equal(appUrl.inProduction?.('https://app.example.com/'), 'https://app.example.com/');
});
