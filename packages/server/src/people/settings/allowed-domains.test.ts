import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConfigReader } from '../../config/config-reader.ts';
import { openStore } from '../../store/testing/open-store.ts';
import type { Environment } from '../../tenancy/workspace.ts';
import { orgs } from '../org-users/org-directory.ts';
import { type AppOrigins, allowedDomains, allowsOrigin, appUrl, createAppOrigins } from './allowed-domains.ts';
import { createOrgSettings, type OrgSettings, settingTypes } from './org-settings.ts';

/** The text of the setting, and the origin that it means. */
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

const auditContext = { at: '', actor: { kind: 'org_user', id: 'builder' }, request_id: '' } as const;

const clock = { now: () => Date.UTC(2026, 10, 21, 9, 30) };
const local = 'http://localhost:3000';

interface Bench {
  readonly origins: AppOrigins;
  readonly settings: Readonly<Record<Environment, OrgSettings>>;
  /** The environments (`undefined` is a call without one) that pages of the origin may call. */
  allows(orgCode: string, origin: string): Promise<readonly string[]>;
}

async function bench(...codes: readonly string[]): Promise<Bench> {
  const stores = await Promise.all(['platform', 'test', 'prod'].map(() => openStore({ kind: 'memory', clock })));
  const [platform, test, prod] = stores.map(({ store }) => store);
  assert.ok(platform !== undefined && test !== undefined && prod !== undefined);
  const scope = platform.scope('platform');
  for (const code of codes)
    await scope.commit([{ kind: 'put', ...orgs.key(code), value: JSON.stringify({ code }), if: 'absent' }]);
  const configs = {
    test: createConfigReader({ store: test, clock }),
    prod: createConfigReader({ store: prod, clock }),
  };
  const origins = createAppOrigins({ platform: scope, configs, clock });
  return {
    origins,
    settings: {
      test: createOrgSettings({ env: 'test', types: settingTypes, store: test, configs: configs.test, auditContext }),
      prod: createOrgSettings({ env: 'prod', types: settingTypes, store: prod, configs: configs.prod, auditContext }),
    },
    allows: async (orgCode, origin) => {
      const requested = [undefined, 'test', 'prod'] as const;
      const answers = await Promise.all(requested.map((env) => origins.isAllowed(orgCode, origin, env)));
      return requested.filter((_, index) => answers[index]).map(String);
    },
  };
}

function domains(value: readonly string[], prod_value?: readonly string[]): object {
  return { group: 'auth', name: 'allowed_domains', value, ...(prod_value === undefined ? {} : { prod_value }) };
}

test('before anything is settled, pages of localhost may call the test environment and no page production', async () => {
  const { allows, settings } = await bench('acme');
  assert.deepEqual(await allows('acme', local), ['undefined', 'test']);
  assert.deepEqual(await allows('acme', 'https://a.example'), []);
  const shown = await Promise.all([settings.test, settings.prod].map((one) => one.list('acme', 'auth')));
  assert.deepEqual(
    shown.map((items) => items.find(({ name }) => name === 'allowed_domains')?.value),
    [['http://localhost'], []],
  );
});

test('a call is held to the list of its own environment, and a preflight, which is of neither, to both', async () => {
  const { allows, settings } = await bench('acme');
  await settings.test.put('acme', domains(['https://test.example']));
  await settings.prod.put('acme', domains(['https://prod.example']));
  assert.deepEqual(await allows('acme', 'https://test.example'), ['undefined', 'test']);
  assert.deepEqual(await allows('acme', 'https://prod.example'), ['undefined', 'prod']);
  assert.deepEqual(await allows('acme', 'https://a.example'), []);
});

test('in production localhost counts only where that was said for production itself', async () => {
  const { allows, settings } = await bench('acme');
  await settings.prod.put('acme', domains(['localhost', 'a.example']));
  assert.deepEqual(await allows('acme', 'https://a.example'), ['undefined', 'prod']);
  assert.deepEqual(await allows('acme', local), ['undefined', 'test']);
  await settings.prod.put('acme', domains(['localhost', 'a.example'], ['localhost']));
  assert.deepEqual(await allows('acme', 'https://a.example'), []);
  assert.deepEqual(await allows('acme', local), ['undefined', 'test', 'prod']);
});

test('what is said for production changes nothing in test', async () => {
  const { allows, settings } = await bench('acme');
  await settings.test.put('acme', domains(['https://test.example'], ['https://prod.example']));
  assert.deepEqual(await allows('acme', 'https://test.example'), ['undefined', 'test']);
  assert.deepEqual(await allows('acme', 'https://prod.example'), []);
});

test('G07: what one org lets in another does not, and an unknown org lets in none', async () => {
  const { allows, settings } = await bench('acme', 'beta');
  await settings.test.put('acme', domains(['https://a.example']));
  assert.deepEqual(await allows('beta', 'https://a.example'), []);
  for (const code of ['absent', 'Acme', '', '__proto__']) assert.deepEqual(await allows(code, local), []);
});

test('who was refused is counted, the last one first', async () => {
  const { origins } = await bench('acme', 'beta');
  for (const origin of ['https://a.example', 'null', 'https://a.example', local])
    await origins.isAllowed('acme', origin, 'test');
  const last_at = '2026-11-21T09:30:00.000Z';
  assert.deepEqual(origins.refused('acme'), [
    { origin: 'https://a.example', count: 2, last_at },
    { origin: 'null', count: 1, last_at },
  ]);
  assert.deepEqual(origins.refused('beta'), []);
});

test('of those who were refused the last hundred are kept, of each org, and no endless text', async () => {
  const { origins } = await bench('acme', 'beta');
  await origins.isAllowed('beta', 'https://beta.example', 'test');
  await origins.isAllowed('acme', `https://${'a'.repeat(400)}.example`, 'test');
  for (let index = 0; index < 150; index++) await origins.isAllowed('acme', `https://a${index}.example`, 'test');
  const kept = origins.refused('acme').map(({ origin }) => origin);
  assert.deepEqual([kept.length, kept.at(0), kept.at(-1)], [100, 'https://a149.example', 'https://a50.example']);
  assert.equal(origins.refused('beta').length, 1);
});

test('G06: invented origins push out no origin that is refused again and again', async () => {
  const { origins } = await bench('acme');
  const real = ['https://app.example', 'https://admin.example'];
  const refuse = async (origin: string) => void (await origins.isAllowed('acme', origin, 'test'));
  const shown = () => origins.refused('acme').map(({ origin }) => origin);
  for (const origin of [...real, ...real]) await refuse(origin);
  for (let index = 0; index < 10_000; index++) await refuse(`https://invented-${index}.example`);
  assert.deepEqual(
    shown().filter((origin) => real.includes(origin)),
    real.toReversed(),
  );
  // A new origin finds a place all the same.
  await refuse('https://new.example');
  assert.equal(shown()[0], 'https://new.example');
  for (let index = 0; index < 50; index++) await refuse(`https://later-${index}.example`);
  assert.ok(shown().includes('https://new.example'));
  assert.equal(shown().length, 100);
});

test('C16: ten thousand orgs that do not exist leave nothing in memory, and ask for no configuration', async () => {
  const { origins, settings } = await bench('acme');
  await settings.test.put('acme', domains(['https://a.example']));
  await origins.isAllowed('acme', 'https://refused.example', 'test');
  for (let index = 0; index < 10_000; index++)
    assert.equal(await origins.isAllowed(`absent${index}`, 'https://a.example', undefined), false);
  assert.deepEqual(origins.refused('nobody0'), []);
  assert.equal(origins.refused('acme').length, 1);
  assert.equal(await origins.isAllowed('acme', 'https://a.example', 'test'), true);
});
