import { createSecretKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { type BackupSettings, readBackupSettings } from './backup/backup-settings.ts';
import { engineOf, readStoreAddresses, type StoreAddresses } from './engines/registry.ts';
import { isNetwork, type ProxyHeader, proxyHeaders } from './gateway/client-address.ts';
import type { Quota, RateLimitSettings } from './gateway/rate-limits.ts';
import { isEmailAddress } from './lib/formats/email-address.ts';
import { readSmtpServer, type SmtpSettings } from './mail/smtp-server.ts';
import { operatorKeyDigest, operatorKeyFault } from './people/operator-key.ts';
import { type MasterKeyUse, masterKeyFault } from './people/secrets.ts';
import { formerSettings, type LogLevel, logLevels, settings } from './settings.ts';

/** Everything that is set from outside, read once at start and never changed. */
export interface Config extends StoreAddresses, BackupSettings {
  readonly mode: 'development' | 'production';
  readonly host: string;
  /** Undefined where the listener is switched off; 0 is any free port. */
  readonly appPort: number | undefined;
  readonly managementPort: number | undefined;
  /** What a platform on a folder keeps there; on PostgreSQL it is empty, and is not created. */
  readonly dataDir: string;
  /** Seals the secrets that lie in the store. */
  readonly masterKey: KeyObject | undefined;
  readonly signUp: 'open' | 'first' | 'closed';
  readonly publicUrl: string | undefined;
  readonly managementUrl: string | undefined;
  /** Where people are sent whose org has reached a limit of its plan. */
  readonly upgradeUrl: string | undefined;
  /** Addresses and networks of proxies that are believed to say where a request comes from. */
  readonly trustedProxies: readonly string[];
  /** The header in which they say it. */
  readonly proxyHeader: ProxyHeader;
  /** Private addresses and networks that webhooks may be sent to, besides all public ones. */
  readonly webhookNetworks: readonly string[];
  /** The SHA-256 of the operator key, in hexadecimal; undefined where there is none, and so no route for it. */
  readonly operatorKeyDigest: string | undefined;
  /** The maximum age of a token signing key; 0 is any age. */
  readonly keyAgeDaysMax: number;
  /** The server that mails are handed to; undefined where there is none. */
  readonly smtp: SmtpSettings | undefined;
  readonly rateLimits: RateLimitSettings;
  /** The number of connections of one address that are taken; undefined for as many as there may be. */
  readonly connectionsPerAddressMax: number | undefined;
  /** The time that a connection waits for its next request, in seconds. */
  readonly keepAlive: number;
  /** Undefined for what the store has by itself. */
  readonly storeCacheMegabytes: number | undefined;
  readonly recordCacheMegabytes: number | undefined;
  readonly logLevel: LogLevel;
  readonly logFormat: 'json' | 'text';
  /** Where metrics are served without a key; undefined if they need the operator key. */
  readonly metricsListen: { readonly host: string; readonly port: number } | undefined;
  readonly demo: boolean;
  /** Whether the management gateway serves the console. */
  readonly console: boolean;
  /** Whether the gateways serve the documentation. */
  readonly docs: boolean;
}

export type ReadConfig = ReadSettings | { readonly mistakes: readonly string[] };

interface ReadSettings {
  readonly config: Config;
  /** Sentences for the operator, about settings that have no effect. */
  readonly warnings: readonly string[];
}

/**
 * Reads the environment, and a file where it names one. All mistakes are reported together.
 * @param isTerminal whether a person reads the log on a terminal
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>, isTerminal = false): ReadConfig {
  const mistakes: string[] = [];
  const values = withFile(environment, mistakes);
  const get = (name: string): string | undefined => (values[name] === '' ? undefined : values[name]);
  const count = (name: string, least?: 0): number | undefined => readCount(name, get(name), mistakes, least);
  const oneOf = <T extends string>(name: string, allowed: readonly T[], fallback: T): T => {
    const value = get(name);
    if (value === undefined) return fallback;
    const found = allowed.find((candidate) => candidate === value);
    if (found === undefined) mistakes.push(`${name} must be one of ${allowed.join(', ')}, not \`${value}\``);
    return found ?? fallback;
  };
  for (const name of Object.keys(values)) if (!isKnown(name)) mistakes.push(`${name} is not a setting: see --help`);
  const mode = oneOf('FREEHOLD_MODE', ['development', 'production'], 'development');
  const isProduction = mode === 'production';
  const host = get('FREEHOLD_HOST') ?? (isProduction ? '0.0.0.0' : '127.0.0.1');
  if (isIP(host) === 0) mistakes.push(`FREEHOLD_HOST must be an IP address, not \`${host}\``);
  const dataDir = resolve(get('FREEHOLD_DATA_DIR') ?? './data');
  const addresses = readStoreAddresses(get, dataDir, mistakes);
  const isLocal = addresses.store.folder !== undefined;
  const config: Config = {
    mode,
    host,
    appPort: readPort('FREEHOLD_APP_PORT', get('FREEHOLD_APP_PORT') ?? '4000', mistakes),
    managementPort: readPort('FREEHOLD_MANAGEMENT_PORT', get('FREEHOLD_MANAGEMENT_PORT') ?? '4001', mistakes),
    dataDir,
    ...addresses,
    ...readBackupSettings(get, { dataDir, whyNone: whyNoBackups({ dataDir, ...addresses }) }, mistakes),
    masterKey: readMasterKey(get('FREEHOLD_MASTER_KEY'), { mode, isLocal }, mistakes),
    signUp: oneOf('FREEHOLD_SIGNUP', ['open', 'first', 'closed'], isProduction ? 'first' : 'open'),
    publicUrl: readUrl('FREEHOLD_PUBLIC_URL', get('FREEHOLD_PUBLIC_URL'), mistakes),
    managementUrl: readUrl('FREEHOLD_MANAGEMENT_URL', get('FREEHOLD_MANAGEMENT_URL'), mistakes),
    upgradeUrl: readUrl('FREEHOLD_UPGRADE_URL', get('FREEHOLD_UPGRADE_URL'), mistakes),
    trustedProxies: readNetworks('FREEHOLD_TRUSTED_PROXIES', get('FREEHOLD_TRUSTED_PROXIES'), mistakes),
    proxyHeader: oneOf('FREEHOLD_PROXY_HEADER', proxyHeaders, proxyHeaders[0]),
    webhookNetworks: readNetworks('FREEHOLD_WEBHOOK_NETWORKS', get('FREEHOLD_WEBHOOK_NETWORKS'), mistakes),
    operatorKeyDigest: readOperatorKey(get('FREEHOLD_OPERATOR_KEY'), mode, mistakes),
    keyAgeDaysMax: readDays('FREEHOLD_KEY_MAX_AGE_DAYS', get('FREEHOLD_KEY_MAX_AGE_DAYS') ?? '90', mistakes),
    smtp: readSmtp(get('FREEHOLD_SMTP_URL'), get('FREEHOLD_MAIL_FROM'), mistakes),
    metricsListen: readAddress('FREEHOLD_METRICS_LISTEN', get('FREEHOLD_METRICS_LISTEN'), mistakes),
    rateLimits: {
      principal: readQuota('FREEHOLD_RATE_LIMIT_PRINCIPAL', get('FREEHOLD_RATE_LIMIT_PRINCIPAL'), mistakes),
      org: readQuota('FREEHOLD_RATE_LIMIT_ORG', get('FREEHOLD_RATE_LIMIT_ORG'), mistakes),
    },
    storeCacheMegabytes: count('FREEHOLD_STORE_CACHE_MB'),
    recordCacheMegabytes: count('FREEHOLD_RECORD_CACHE_MB', 0),
    connectionsPerAddressMax: count('FREEHOLD_CONNECTIONS_PER_ADDRESS'),
    keepAlive: readKeepAlive('FREEHOLD_KEEP_ALIVE', get('FREEHOLD_KEEP_ALIVE') ?? '75', mistakes),
    logLevel: oneOf('FREEHOLD_LOG_LEVEL', logLevels, 'info'),
    logFormat: oneOf('FREEHOLD_LOG_FORMAT', ['json', 'text'], logFormatFor(mode, isTerminal)),
    demo: oneOf('FREEHOLD_DEMO', ['on', 'off'], isProduction || !isLocal ? 'off' : 'on') === 'on',
    console: oneOf('FREEHOLD_CONSOLE', ['on', 'off'], 'on') === 'on',
    docs: oneOf('FREEHOLD_DOCS', ['on', 'off'], 'on') === 'on',
  };
  if (get('FREEHOLD_APP_PORT') === 'off' && get('FREEHOLD_MANAGEMENT_PORT') === 'off')
    mistakes.push('FREEHOLD_APP_PORT and FREEHOLD_MANAGEMENT_PORT are both off: nothing would listen');
  mistakes.push(...equalPorts(config));
  if (isProduction && config.smtp !== undefined && config.managementPort !== undefined && !config.managementUrl)
    mistakes.push('FREEHOLD_MANAGEMENT_URL must be set where mail is: links in mails to builders begin with it');
  if (config.demo) mistakes.push(...whyNoDemo(isProduction, addresses));
  if (mistakes.length > 0) return { mistakes };
  const warnings = formerSettings.flatMap(({ name, sentence }) => (get(name) === undefined ? [] : [sentence]));
  return { config: Object.freeze(config), warnings };
}

function logFormatFor(mode: Config['mode'], isTerminal: boolean): Config['logFormat'] {
  return isTerminal && mode === 'development' ? 'text' : 'json';
}

/** Listeners on different addresses may share a port, which only that of the metrics can be. */
function equalPorts({ appPort, managementPort, metricsListen, host }: Config): readonly string[] {
  const isElsewhere = metricsListen === undefined || ![host, '0.0.0.0', '::'].includes(metricsListen.host);
  const ports = new Map<number, string>();
  const mistakes: string[] = [];
  for (const [name, port] of [
    ['FREEHOLD_APP_PORT', appPort],
    ['FREEHOLD_MANAGEMENT_PORT', managementPort],
    ['FREEHOLD_METRICS_LISTEN', isElsewhere ? undefined : metricsListen.port],
  ] as const) {
    if (port === undefined || port === 0) continue;
    const other = ports.get(port);
    if (other !== undefined) mistakes.push(`${name} and ${other} both name port ${port}: each needs a port of its own`);
    ports.set(port, name);
  }
  return mistakes;
}

/** Why the platform and its commands can make no backup of such stores; undefined where they can. */
export function whyNoBackups({ dataDir, store, storeProd }: Pick<Config, 'dataDir' | keyof StoreAddresses>) {
  const { name } = engineOf(store);
  if (store.folder === undefined)
    return `FREEHOLD_STORE names ${name}: back it up and restore it with ${name}’s own tools`;
  if (storeProd.folder === dataDir) return undefined;
  return 'FREEHOLD_STORE_PROD names another place: copy `prod.db` by hand while the platform is stopped';
}

function whyNoDemo(isProduction: boolean, { store }: StoreAddresses): readonly string[] {
  if (isProduction) return ['FREEHOLD_DEMO must be off in production'];
  if (store.folder !== undefined) return [];
  return [`FREEHOLD_DEMO must be off on ${engineOf(store).name}: its passwords lie in a data folder`];
}

/** The output of `--help`. */
export function helpText(): string {
  const width = Math.max(...settings.map(({ name }) => name.length));
  return [
    'Runs the platform in the foreground until it gets SIGTERM, SIGINT or SIGHUP.',
    '',
    'Settings, from the environment:',
    ...settings.map(({ name, fallback, help }) => `  ${name.padEnd(width)}  ${help} (default: ${fallback})`),
    '',
  ].join('\n');
}

function isKnown(name: string): boolean {
  if (!name.startsWith('FREEHOLD_') || name.startsWith('FREEHOLD_TEST_')) return true;
  return [...settings, ...formerSettings].some((setting) => setting.name === name);
}

function readMasterKey(text: string | undefined, use: MasterKeyUse, mistakes: string[]): KeyObject | undefined {
  if (text === undefined) return undefined;
  const fault = masterKeyFault(text, use);
  if (fault === undefined) return createSecretKey(text, 'hex');
  mistakes.push(`FREEHOLD_MASTER_KEY ${fault}`);
  return undefined;
}

function readPort(name: string, value: string, mistakes: string[]): number | undefined {
  if (value === 'off') return undefined;
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN;
  if (port >= 0 && port <= 65_535) return port;
  mistakes.push(`${name} must be a port from 0 to 65535 or \`off\`, not \`${value}\``);
  return undefined;
}

function readAddress(name: string, value: string | undefined, mistakes: string[]): Config['metricsListen'] {
  if (value === undefined) return undefined;
  const [, bracketed, plain = '', port = ''] = /^(?:\[(.+)\]|([^:]+)):(\d{1,5})$/.exec(value) ?? [];
  const host = bracketed ?? plain;
  if (isIP(host) !== 0 && Number(port) <= 65_535) return { host, port: Number(port) };
  mistakes.push(`${name} must be an IP address and a port, as 127.0.0.1:9464 or [::1]:9464, not \`${value}\``);
  return undefined;
}

function readQuota(name: string, value: string | undefined, mistakes: string[]): Quota | undefined {
  if (value === undefined) return undefined;
  const [, calls, seconds] = /^([1-9]\d{0,8})\/([1-9]\d{0,4})$/.exec(value) ?? [];
  if (calls !== undefined && seconds !== undefined) return { calls: Number(calls), seconds: Number(seconds) };
  mistakes.push(`${name} must be calls and seconds, as 600/60, not \`${value}\``);
  return undefined;
}

function readCount(name: string, value: string | undefined, mistakes: string[], least: 0 | 1 = 1): number | undefined {
  if (value === undefined) return undefined;
  if (!/^(0|[1-9]\d{0,4})$/.test(value) || Number(value) < least)
    mistakes.push(`${name} must be a number from ${least} to 99999, not \`${value}\``);
  return Number(value);
}

function readDays(name: string, value: string, mistakes: string[]): number {
  if (!/^\d{1,4}$/.test(value)) mistakes.push(`${name} must be a number of days from 0 to 9999, not \`${value}\``);
  return Number(value);
}

function readKeepAlive(name: string, value: string, mistakes: string[]): number {
  const seconds = /^[1-9]\d{0,3}$/.test(value) ? Number(value) : 0;
  if (seconds < 1 || seconds > 3600)
    mistakes.push(`${name} must be a number of seconds from 1 to 3600, not \`${value}\``);
  return seconds;
}

function readOperatorKey(key: string | undefined, mode: Config['mode'], mistakes: string[]): string | undefined {
  if (key === undefined) return undefined;
  const fault = operatorKeyFault(key, mode);
  if (fault !== undefined) mistakes.push(`FREEHOLD_OPERATOR_KEY ${fault}`);
  return operatorKeyDigest(key);
}

/** The address of the server holds its password, so no mistake quotes it. */
function readSmtp(url: string | undefined, from: string | undefined, mistakes: string[]): SmtpSettings | undefined {
  const server = url === undefined ? undefined : readSmtpServer(url);
  if (url !== undefined && server === undefined)
    mistakes.push('FREEHOLD_SMTP_URL must be smtp://host:port or smtps://user:password@host:port');
  if (from !== undefined && !isEmailAddress(from)) mistakes.push('FREEHOLD_MAIL_FROM must be an email address');
  if ((url === undefined) !== (from === undefined))
    mistakes.push('FREEHOLD_SMTP_URL and FREEHOLD_MAIL_FROM must be set together');
  return server === undefined || from === undefined ? undefined : { ...server, from };
}

function readNetworks(name: string, value: string | undefined, mistakes: string[]): readonly string[] {
  const networks = (value ?? '').split(',').map((text) => text.trim());
  const named = networks.filter((text) => text !== '');
  for (const text of named)
    if (!isNetwork(text))
      mistakes.push(`${name} must be addresses and networks with commas, and \`${text}\` is neither`);
  return named;
}

function readUrl(name: string, value: string | undefined, mistakes: string[]): string | undefined {
  if (value === undefined) return undefined;
  const url = URL.parse(value);
  const isWeb = url !== null && ['http:', 'https:'].includes(url.protocol);
  const isPlain = isWeb && !/[?#]/.test(value) && url.username === '' && url.password === '';
  // `URL` takes hosts such as `*.example` and `a;b`, which mean something else in a header.
  if (isPlain && /^(\[[\da-f:.]+\]|[\w.-]+)$/.test(url.hostname)) return url.href.replace(/\/+$/, '');
  mistakes.push(`${name} must be an http or https address without user, query and fragment, not \`${value}\``);
  return undefined;
}

function withFile(
  environment: Readonly<Record<string, string | undefined>>,
  mistakes: string[],
): Readonly<Record<string, string | undefined>> {
  const path = environment.FREEHOLD_CONFIG_FILE;
  if (path === undefined || path === '') return environment;
  try {
    const set = Object.entries(environment).filter(([, value]) => value !== '');
    return { ...parseFile(readFileSync(path, 'utf8'), mistakes), ...Object.fromEntries(set) };
  } catch {
    mistakes.push(`FREEHOLD_CONFIG_FILE \`${path}\` cannot be read`);
    return environment;
  }
}

function parseFile(text: string, mistakes: string[]): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const [index, line] of text.split('\n').entries()) {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const equals = trimmed.indexOf('=');
    if (equals < 1) mistakes.push(`line ${index + 1} of the config file is not \`NAME=value\``);
    else values[trimmed.slice(0, equals).trim()] = trimmed.slice(equals + 1).trim();
  }
  return values;
}
