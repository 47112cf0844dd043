import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { type Config, helpText, readConfig } from './config.ts';
import { operatorKeyDigest } from './people/operator-key.ts';

type Environment = Readonly<Record<string, string>>;

const directory = mkdtempSync(join(tmpdir(), 'freehold-config-'));
after(() => rmSync(directory, { recursive: true, force: true }));

function configOf(environment: Environment): Config {
  const read = readConfig(environment);
  assert.ok('config' in read, JSON.stringify(read));
  return read.config;
}

function mistakesOf(environment: Environment): readonly string[] {
  const read = readConfig(environment);
  return 'mistakes' in read ? read.mistakes : [];
}

test('nothing needs to be set', () => {
  assert.deepEqual(configOf({ HOME: '/root', PATH: '/bin' }), {
    mode: 'development',
    host: '127.0.0.1',
    appPort: 4000,
    managementPort: 4001,
    dataDir: resolve('./data'),
    store: { kind: 'sqlite', folder: resolve('./data') },
    storeProd: { kind: 'sqlite', folder: resolve('./data') },
    backupDir: undefined,
    backupSchedule: undefined,
    backupKeep: 7,
    masterKey: undefined,
    signUp: 'open',
    publicUrl: undefined,
    managementUrl: undefined,
    upgradeUrl: undefined,
    trustedProxies: [],
    proxyHeader: 'x-forwarded-for',
    webhookNetworks: [],
    operatorKeyDigest: undefined,
    keyAgeDaysMax: 90,
    smtp: undefined,
    metricsListen: undefined,
    rateLimits: { principal: undefined, org: undefined },
    connectionsPerAddressMax: undefined,
    keepAlive: 75,
    storeCacheMegabytes: undefined,
    recordCacheMegabytes: undefined,
    logLevel: 'info',
    logFormat: 'json',
    demo: true,
    console: true,
    docs: true,
  });
});

test('backups have a folder, a schedule in UTC, and how many are kept', () => {
  const set = { FREEHOLD_BACKUP_DIR: './backups', FREEHOLD_BACKUP_SCHEDULE: '0 3 * * 1-5', FREEHOLD_BACKUP_KEEP: '30' };
  const { backupDir, backupSchedule, backupKeep } = configOf(set);
  assert.deepEqual([backupDir, backupSchedule, backupKeep], [resolve('./backups'), '0 3 * * 1-5', 30]);
  const folder = { FREEHOLD_BACKUP_DIR: '/backups' };
  for (const [environment, mistake] of [
    [{ FREEHOLD_BACKUP_SCHEDULE: '0 3 * * *' }, /^FREEHOLD_BACKUP_SCHEDULE needs FREEHOLD_BACKUP_DIR/],
    [{ ...folder, FREEHOLD_BACKUP_SCHEDULE: 'daily' }, /^FREEHOLD_BACKUP_SCHEDULE must be a cron pattern, such as/],
    [{ ...folder, FREEHOLD_BACKUP_SCHEDULE: '0 3 30 2 *' }, /^FREEHOLD_BACKUP_SCHEDULE must be .* no time fits/],
    [{ FREEHOLD_BACKUP_DIR: './data/backups' }, /^FREEHOLD_BACKUP_DIR must not lie in the data folder/],
    [{ FREEHOLD_BACKUP_DIR: './data' }, /^FREEHOLD_BACKUP_DIR must not lie in the data folder/],
    ...['0', '1000', '-1', '7.5', 'all'].map(
      (keep) => [{ FREEHOLD_BACKUP_KEEP: keep }, /^FREEHOLD_BACKUP_KEEP must be/] as const,
    ),
    [
      { ...folder, FREEHOLD_BACKUP_SCHEDULE: '0 3 * * *', FREEHOLD_STORE: 'postgres://u:p@127.0.0.1/d' },
      /^FREEHOLD_BACKUP_SCHEDULE cannot be used: FREEHOLD_STORE names PostgreSQL/,
    ],
  ] as const) {
    const [first = '', ...others] = mistakesOf({ FREEHOLD_DEMO: 'off', ...environment });
    assert.match(first, mistake);
    assert.deepEqual(others, []);
  }
  assert.equal(configOf({ FREEHOLD_BACKUP_DIR: './data-backups' }).backupDir, resolve('./data-backups'));
  const all = mistakesOf({ FREEHOLD_BACKUP_DIR: './data', FREEHOLD_BACKUP_SCHEDULE: 'x', FREEHOLD_BACKUP_KEEP: '0' });
  assert.equal(all.length, 3);
});

test('production has defaults of its own', () => {
  const { host, signUp, demo } = configOf({ FREEHOLD_MODE: 'production' });
  assert.deepEqual([host, signUp, demo], ['0.0.0.0', 'first', false]);
});

test('an empty setting counts as not set', () => {
  const unset = configOf({});
  const names = ['APP_PORT', 'HOST', 'MODE', 'DATA_DIR', 'STORE', 'SIGNUP', 'PUBLIC_URL', 'DEMO', 'CONFIG_FILE'];
  assert.deepEqual(configOf(Object.fromEntries(names.map((name) => [`FREEHOLD_${name}`, '']))), unset);
  assert.deepEqual(configOf({ FREEHOLD_OPERATOR_KEY: '' }), unset);
});

test('lines are short ones for a person in development on a terminal alone, and as they are set anywhere', () => {
  const formatOf = (environment: Environment, isTerminal: boolean) => {
    const read = readConfig(environment, isTerminal);
    return 'config' in read ? read.config.logFormat : undefined;
  };
  assert.deepEqual([formatOf({}, true), formatOf({}, false)], ['text', 'json']);
  assert.equal(formatOf({ FREEHOLD_MODE: 'production' }, true), 'json');
  assert.equal(formatOf({ FREEHOLD_LOG_FORMAT: 'json' }, true), 'json');
  assert.equal(formatOf({ FREEHOLD_LOG_FORMAT: 'text' }, false), 'text');
});

test('two listeners on one port are refused by their names, but not two that are off or take any port', () => {
  const mistakes = mistakesOf({ FREEHOLD_APP_PORT: '4001' });
  assert.deepEqual(mistakes, [
    'FREEHOLD_MANAGEMENT_PORT and FREEHOLD_APP_PORT both name port 4001: each needs a port of its own',
  ]);
  assert.equal(mistakesOf({ FREEHOLD_METRICS_LISTEN: '127.0.0.1:4000' }).length, 1);
  configOf({ FREEHOLD_METRICS_LISTEN: '127.0.0.2:4000' });
  configOf({ FREEHOLD_APP_PORT: '0', FREEHOLD_MANAGEMENT_PORT: '0', FREEHOLD_METRICS_LISTEN: '127.0.0.1:0' });
});

test('what was read does not change any more', () => {
  assert.ok(Object.isFrozen(configOf({})));
});

const postgres = 'postgres://freehold:hidden-word@localhost/x';

const taken: readonly (readonly [environment: Environment, setting: keyof Config, value: unknown])[] = [
  [{ FREEHOLD_APP_PORT: '0' }, 'appPort', 0],
  [{ FREEHOLD_APP_PORT: '65535' }, 'appPort', 65_535],
  [{ FREEHOLD_APP_PORT: 'off' }, 'appPort', undefined],
  [{ FREEHOLD_HOST: '::1' }, 'host', '::1'],
  [{ FREEHOLD_DATA_DIR: '/var/lib/x' }, 'dataDir', resolve('/var/lib/x')],
  [{ FREEHOLD_PUBLIC_URL: 'https://example.com/' }, 'publicUrl', 'https://example.com'],
  [{ FREEHOLD_PUBLIC_URL: ' HTTPS://Example.com:443/base/ ' }, 'publicUrl', 'https://example.com/base'],
  [{ FREEHOLD_PUBLIC_URL: 'https://bücher_1.example' }, 'publicUrl', 'https://xn--bcher_1-n2a.example'],
  [{ FREEHOLD_PUBLIC_URL: 'http://[::1]:8080' }, 'publicUrl', 'http://[::1]:8080'],
  [{ FREEHOLD_MANAGEMENT_URL: 'http://localhost:8080' }, 'managementUrl', 'http://localhost:8080'],
  [{ FREEHOLD_STORE: 'sqlite:' }, 'mode', 'development'],
  [{ FREEHOLD_LOG_LEVEL: 'silent' }, 'logLevel', 'silent'],
  [{ FREEHOLD_DEMO: 'off' }, 'demo', false],
  [{ FREEHOLD_CONSOLE: 'off' }, 'console', false],
  [{ FREEHOLD_DOCS: 'off' }, 'docs', false],
  [{ FREEHOLD_OPERATOR_KEY: 'short' }, 'operatorKeyDigest', operatorKeyDigest('short')],
  [{ FREEHOLD_KEY_MAX_AGE_DAYS: '0' }, 'keyAgeDaysMax', 0],
  [{ FREEHOLD_KEY_MAX_AGE_DAYS: '9999' }, 'keyAgeDaysMax', 9999],
];

for (const [environment, setting, value] of taken)
  test(`${JSON.stringify(environment)} sets ${setting}`, () => {
    assert.equal(configOf(environment)[setting], value);
  });

const inProduction = { FREEHOLD_MODE: 'production', FREEHOLD_STORE: postgres };
const guessableKeys = [
  '0'.repeat(64),
  'f'.repeat(64),
  '0123456789abcdef'.repeat(4),
  'c0ffee15a57r0n6k3y'.replaceAll(/[^0-9a-f]/g, '0').padEnd(64, '0'),
  Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('hex'),
  Buffer.from(Array.from({ length: 32 }, (_, index) => 255 - 3 * index)).toString('hex'),
  Buffer.from('the quick brown fox jumped (lazy').toString('hex'),
];

const refused: readonly Environment[] = [
  ...['65536', '-1', '4000.0', '1e3', ' 4000', 'OFF', 'x', '٤'].map((port) => ({ FREEHOLD_APP_PORT: port })),
  ...['localhost', '127.0.0.1:80', '256.0.0.1', '*'].map((host) => ({ FREEHOLD_HOST: host })),
  ...['Production', 'prod', 'toString'].map((mode) => ({ FREEHOLD_MODE: mode })),
  ...['postgres:/x?sslmode=prefer', 'mysql://x/y', 'sqlite:/x', 'memory:'].map((store) => ({ FREEHOLD_STORE: store })),
  ...['sqlite:', 'elsewhere', 'postgres://localhost/x'].map((store) => ({ FREEHOLD_STORE_PROD: store })),
  { FREEHOLD_STORE: postgres, FREEHOLD_STORE_PROD: 'sqlite:elsewhere' },
  { FREEHOLD_STORE: postgres, FREEHOLD_DEMO: 'on' },
  ...['x', 'a'.repeat(63), 'g'.repeat(64)].map((key) => ({ FREEHOLD_STORE: postgres, FREEHOLD_MASTER_KEY: key })),
  { FREEHOLD_MASTER_KEY: 'a'.repeat(64) },
  ...guessableKeys.map((key) => ({ ...inProduction, FREEHOLD_MASTER_KEY: key })),
  ...[
    'example.com',
    'ftp://example.com',
    'https://',
    'https://x/?a=1',
    'https://x/?',
    'https://x/#',
    'https://u:p@x',
    ...['a;b', 'a,b', '*.example.com', 'a b', 'a"b', 'a&b', "'self'"].map((host) => `https://${host}/`),
  ].map((url) => ({ FREEHOLD_PUBLIC_URL: url })),
  { FREEHOLD_SIGNUP: 'yes' },
  { FREEHOLD_LOG_LEVEL: 'verbose' },
  { FREEHOLD_DEMO: 'true' },
  { FREEHOLD_CONSOLE: 'yes' },
  { FREEHOLD_DOCS: 'yes' },
  { FREEHOLD_MODE: 'production', FREEHOLD_DEMO: 'on' },
  { FREEHOLD_APP_PORT: 'off', FREEHOLD_MANAGEMENT_PORT: 'off' },
  { FREEHOLD_OPERATOR_KEY: 'two words' },
  { FREEHOLD_MODE: 'production', FREEHOLD_OPERATOR_KEY: 'changeme' },
  { FREEHOLD_MODE: 'production', FREEHOLD_OPERATOR_KEY: 'changeme'.repeat(8) },
  ...['-1', '10000', '1.5', 'never'].map((days) => ({ FREEHOLD_KEY_MAX_AGE_DAYS: days })),
  { FREEHOLD_PORT: '4000' },
  { FREEHOLD_CONFIG_FILE: '/nowhere/at/all' },
];

for (const environment of refused)
  test(`${JSON.stringify(environment)} is one mistake, which names the setting`, () => {
    const [mistake = '', ...others] = mistakesOf(environment);
    assert.deepEqual(others, []);
    assert.ok(
      Object.keys(environment).some((name) => mistake.includes(name)),
      mistake,
    );
  });

test('a secret that is set by mistake is not repeated', () => {
  const mistakes = mistakesOf({ FREEHOLD_MODE: 'production', FREEHOLD_OPERATOR_KEY: 'a bad one' });
  assert.equal(mistakes.length, 1);
  assert.ok(!mistakes.join().includes('a bad one'));
});

test('PostgreSQL serves all data spaces, or prod elsewhere, and makes no demo', () => {
  const store = { kind: 'postgres', url: postgres };
  const config = configOf({ FREEHOLD_STORE: postgres });
  assert.deepEqual([config.store, config.storeProd, config.demo], [store, store, false]);
  const elsewhere = { kind: 'postgres', url: `${postgres}?schema=other` };
  const apart = configOf({ FREEHOLD_STORE: postgres, FREEHOLD_STORE_PROD: elsewhere.url });
  assert.deepEqual([apart.store, apart.storeProd], [store, elsewhere]);
});

test('a master key that can be guessed is taken in development alone, and a random one everywhere', () => {
  for (const key of guessableKeys) {
    assert.ok(configOf({ FREEHOLD_STORE: postgres, FREEHOLD_MASTER_KEY: key }).masterKey !== undefined);
    assert.deepEqual(mistakesOf({ ...inProduction, FREEHOLD_MASTER_KEY: key }), [
      'FREEHOLD_MASTER_KEY must be random in production, such as what `openssl rand -hex 32` prints',
    ]);
  }
  for (let round = 0; round < 1000; round++)
    configOf({ ...inProduction, FREEHOLD_MASTER_KEY: randomBytes(32).toString('hex') });
  const short = mistakesOf({ ...inProduction, FREEHOLD_MASTER_KEY: 'abc', FREEHOLD_APP_PORT: 'x' });
  assert.deepEqual(short.map((mistake) => mistake.split(' ')[0]).sort(), ['FREEHOLD_APP_PORT', 'FREEHOLD_MASTER_KEY']);
});

test('the data space prod may lie in another folder', () => {
  const { store, storeProd } = configOf({ FREEHOLD_STORE_PROD: 'sqlite:/var/lib/prod' });
  assert.deepEqual(store, { kind: 'sqlite', folder: resolve('./data') });
  assert.deepEqual(storeProd, { kind: 'sqlite', folder: resolve('/var/lib/prod') });
});

test('no mistake in an address repeats it, and none in a key', () => {
  const mistakes = mistakesOf({
    FREEHOLD_STORE: postgres,
    FREEHOLD_STORE_PROD: 'postgres://freehold:1?hidden-word@localhost/x',
    FREEHOLD_MASTER_KEY: 'hidden-word',
  });
  assert.equal(mistakes.length, 2);
  assert.equal(mistakesOf({ FREEHOLD_STORE: `${postgres}?citus=perhaps` }).length, 1);
  for (const mistake of [...mistakes, ...mistakesOf({ FREEHOLD_STORE: `${postgres}?citus=perhaps` })])
    assert.ok(!mistake.includes('hidden-word'), mistake);
});

test('all mistakes are reported at once', () => {
  const environment = {
    FREEHOLD_APP_PORT: 'x',
    FREEHOLD_MANAGEMENT_PORT: '70000',
    FREEHOLD_HOST: 'here',
    FREEHOLD_MODE: 'fast',
    FREEHOLD_STORE: 'x',
    FREEHOLD_SIGNUP: 'x',
    FREEHOLD_PUBLIC_URL: 'x',
    FREEHOLD_LOG_LEVEL: 'x',
    FREEHOLD_DEMO: 'x',
    FREEHOLD_UNKNOWN: 'x',
    FREEHOLD_MASTER_KEY: 'x',
  };
  const mistakes = mistakesOf(environment);
  for (const name of Object.keys(environment))
    assert.equal(mistakes.filter((mistake) => mistake.startsWith(name)).length, 1, name);
  assert.equal(mistakes.length, Object.keys(environment).length);
});

test('a file sets what the environment does not, and its mistakes are reported with the others', () => {
  const path = join(directory, 'settings');
  writeFileSync(path, '# a remark\r\n\r\nFREEHOLD_APP_PORT = 5000\r\nFREEHOLD_HOST=::1\nFREEHOLD_DEMO=off\n');
  const { appPort, host, demo } = configOf({
    FREEHOLD_CONFIG_FILE: path,
    FREEHOLD_HOST: '127.0.0.2',
    FREEHOLD_APP_PORT: '',
  });
  assert.deepEqual([appPort, host, demo], [5000, '127.0.0.2', false]);
  writeFileSync(path, 'nonsense\nFREEHOLD_APP_PORT=x\n=1\nFREEHOLD_TYPO=1\n');
  assert.equal(mistakesOf({ FREEHOLD_CONFIG_FILE: path, FREEHOLD_MODE: 'x' }).length, 5);
});

test('the help names every setting once', () => {
  const help = helpText();
  for (const name of [
    'APP_PORT',
    'MANAGEMENT_PORT',
    'HOST',
    'MODE',
    'DATA_DIR',
    'STORE',
    'STORE_PROD',
    'MASTER_KEY',
    'SIGNUP',
    'OPERATOR_KEY',
    'KEY_MAX_AGE_DAYS',
    'PUBLIC_URL',
    'MANAGEMENT_URL',
    'TRUSTED_PROXIES',
    'PROXY_HEADER',
    'WEBHOOK_NETWORKS',
    'LOG_LEVEL',
    'DEMO',
  ])
    assert.equal(help.split('\n').filter((line) => line.startsWith(`  FREEHOLD_${name} `)).length, 1, name);
});

test('trusted proxies and networks of webhooks are addresses and networks, and nothing else', () => {
  for (const [name, member] of [
    ['FREEHOLD_TRUSTED_PROXIES', 'trustedProxies'],
    ['FREEHOLD_WEBHOOK_NETWORKS', 'webhookNetworks'],
  ] as const) {
    assert.deepEqual(configOf({ [name]: '10.0.0.0/8, ::1,' })[member], ['10.0.0.0/8', '::1']);
    assert.deepEqual(configOf({})[member], []);
    const [mistake = ''] = mistakesOf({ [name]: '10.0.0.1,proxy.example' });
    assert.ok(mistake.startsWith(name) && mistake.includes('`proxy.example`'), mistake);
  }
});

test('the header of proxies is one of two', () => {
  assert.equal(configOf({}).proxyHeader, 'x-forwarded-for');
  assert.equal(configOf({ FREEHOLD_PROXY_HEADER: 'forwarded' }).proxyHeader, 'forwarded');
  const [mistake] = mistakesOf({ FREEHOLD_PROXY_HEADER: 'X-Real-IP' });
  assert.equal(mistake, 'FREEHOLD_PROXY_HEADER must be one of x-forwarded-for, forwarded, not `X-Real-IP`');
});

test('addresses and quotas are read as they are meant', () => {
  const { metricsListen, rateLimits, connectionsPerAddressMax, storeCacheMegabytes, recordCacheMegabytes } = configOf({
    FREEHOLD_STORE_CACHE_MB: '8',
    FREEHOLD_RECORD_CACHE_MB: '0',
    FREEHOLD_METRICS_LISTEN: '[::1]:9464',
    FREEHOLD_RATE_LIMIT_PRINCIPAL: '600/60',
    FREEHOLD_RATE_LIMIT_ORG: '1/99999',
    FREEHOLD_CONNECTIONS_PER_ADDRESS: '200',
  });
  assert.deepEqual(metricsListen, { host: '::1', port: 9464 });
  assert.deepEqual(rateLimits, { principal: { calls: 600, seconds: 60 }, org: { calls: 1, seconds: 99_999 } });
  assert.equal(connectionsPerAddressMax, 200);
  assert.equal(storeCacheMegabytes, 8);
  assert.equal(recordCacheMegabytes, 0);
});

test('connections wait for the next request for 1 to 3,600 s', () => {
  for (const value of ['1', '75', '3600'])
    assert.equal(configOf({ FREEHOLD_KEEP_ALIVE: value }).keepAlive, Number(value));
  for (const value of ['0', '3601', '-1', '1.5', '075', '75s', 'off'])
    assert.deepEqual(mistakesOf({ FREEHOLD_KEEP_ALIVE: value }), [
      `FREEHOLD_KEEP_ALIVE must be a number of seconds from 1 to 3600, not \`${value}\``,
    ]);
});

test('a setting of an earlier release is taken with a sentence, whatever it says', () => {
  const sentence =
    'FREEHOLD_WORKERS has no effect any more: remove it, and to use several cores run several nodes on one PostgreSQL';
  for (const value of ['1', '4', 'auto', 'all']) {
    const read = readConfig({ FREEHOLD_WORKERS: value });
    assert.deepEqual('warnings' in read && read.warnings, [sentence]);
  }
  for (const environment of [{}, { FREEHOLD_WORKERS: '' }]) {
    const read = readConfig(environment);
    assert.deepEqual('warnings' in read && read.warnings, []);
  }
  assert.doesNotMatch(helpText(), /FREEHOLD_WORKERS/);
});
