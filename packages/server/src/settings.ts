import { proxyHeaders } from './gateway/client-address.ts';
/** Every setting from outside, as `--help` shows it. */
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** One setting: its name, what `--help` says of it, and how its text is read. */
interface Setting {
  readonly name: string;
  readonly fallback: string;
  readonly help: string;
}

export const settings: readonly Setting[] = [
  {
    name: 'FREEHOLD_APP_PORT',
    fallback: '4000',
    help: 'port of the app gateway; 0 is any free port, `off` switches it off',
  },
  { name: 'FREEHOLD_MANAGEMENT_PORT', fallback: '4001', help: 'port of the management gateway; 0 and `off` as above' },
  { name: 'FREEHOLD_HOST', fallback: '127.0.0.1, in production 0.0.0.0', help: 'IP address to listen on' },
  { name: 'FREEHOLD_MODE', fallback: 'development', help: 'development or production' },
  {
    name: 'FREEHOLD_DATA_DIR',
    fallback: './data',
    help: 'folder of the embedded store and the secrets; not used on PostgreSQL',
  },
  {
    name: 'FREEHOLD_STORE',
    fallback: 'sqlite:',
    help: '`sqlite:` stores everything in the data folder; postgres://user:password@host/database serves several nodes',
  },
  {
    name: 'FREEHOLD_STORE_PROD',
    fallback: 'where FREEHOLD_STORE is',
    help: 'another place for the prod data space: `sqlite:` and a folder, or another postgres:// address',
  },
  {
    name: 'FREEHOLD_STORE_CACHE_MB',
    fallback: '64',
    help: 'page cache of the embedded store in MB, for each of its three files, and half as much again for writing',
  },
  { name: 'FREEHOLD_RECORD_CACHE_MB', fallback: '64', help: 'records in memory, in MB for each of the files; 0: none' },
  {
    name: 'FREEHOLD_BACKUP_DIR',
    fallback: 'none; `freehold backup` alone makes backups',
    help: 'folder of the backups that the operator and the schedule make of the embedded store; best on another disk',
  },
  {
    name: 'FREEHOLD_BACKUP_SCHEDULE',
    fallback: 'none',
    help: 'when a backup is made and its restore tested: a cron pattern in UTC, such as `0 3 * * *`',
  },
  {
    name: 'FREEHOLD_BACKUP_KEEP',
    fallback: '7',
    help: 'scheduled backups whose restore test passed that are kept, from 1 to 999; older ones are removed',
  },
  {
    name: 'FREEHOLD_MASTER_KEY',
    fallback: 'none',
    help: 'encrypts the secrets in PostgreSQL: 64 hex digits, the same for every node; in production they must be random',
  },
  {
    name: 'FREEHOLD_SIGNUP',
    fallback: 'open, in production first',
    help: 'who may sign up: open, first (only the first org) or closed',
  },
  {
    name: 'FREEHOLD_PUBLIC_URL',
    fallback: 'the app gateway’s own address',
    help: 'URL of the app gateway for apps; that of the first start is the issuer of tokens for good',
  },
  {
    name: 'FREEHOLD_MANAGEMENT_URL',
    fallback: 'the management gateway’s own address',
    help: 'URL of the management gateway for builders',
  },
  {
    name: 'FREEHOLD_UPGRADE_URL',
    fallback: 'a page of the platform that explains limits',
    help: 'URL of a page for people whose org has reached a limit of its plan',
  },
  {
    name: 'FREEHOLD_TRUSTED_PROXIES',
    fallback: 'none',
    help: 'addresses and networks, separated by commas, of proxies that are trusted to say where a request comes from',
  },
  {
    name: 'FREEHOLD_PROXY_HEADER',
    fallback: proxyHeaders[0],
    help: `the header in which trusted proxies say it: ${proxyHeaders.join(' or ')}; the other one is not read`,
  },
  {
    name: 'FREEHOLD_WEBHOOK_NETWORKS',
    fallback: 'none: public addresses alone, in development this machine too',
    help: 'private addresses and networks, separated by commas, that webhooks may be sent to',
  },
  {
    name: 'FREEHOLD_OPERATOR_KEY',
    fallback: 'none, and no such routes',
    help: 'opens the routes under /platform; in production at least 32 random characters',
  },
  {
    name: 'FREEHOLD_KEY_MAX_AGE_DAYS',
    fallback: '90',
    help: 'days until another key signs the app tokens; 0 is never',
  },
  {
    name: 'FREEHOLD_SMTP_URL',
    fallback: 'none; in development mails land in /inbox of the management gateway',
    help: 'the mail server: smtps://user:password@host:465, or smtp:// with STARTTLS',
  },
  {
    name: 'FREEHOLD_MAIL_FROM',
    fallback: 'none; needed with FREEHOLD_SMTP_URL',
    help: 'the sender address of mails',
  },
  {
    name: 'FREEHOLD_METRICS_LISTEN',
    fallback: 'none; `/metrics` of the management gateway, in production with the operator key',
    help: 'an IP address and a port, such as 127.0.0.1:9464, that serves `/metrics` without a key',
  },
  {
    name: 'FREEHOLD_RATE_LIMIT_PRINCIPAL',
    fallback: 'none',
    help: 'calls that one caller may make, such as 600/60: 600 in 60 seconds',
  },
  { name: 'FREEHOLD_RATE_LIMIT_ORG', fallback: 'none', help: 'calls that all callers of an org may make, as above' },
  {
    name: 'FREEHOLD_CONNECTIONS_PER_ADDRESS',
    fallback: 'none; 10000 of all addresses',
    help: 'connections that one address may have; not for use behind a proxy',
  },
  {
    name: 'FREEHOLD_KEEP_ALIVE',
    fallback: '75',
    help: 'seconds that a connection waits for its next request, 1 to 3600: more than the proxy in front keeps it',
  },
  { name: 'FREEHOLD_LOG_LEVEL', fallback: 'info', help: logLevels.join(', ') },
  {
    name: 'FREEHOLD_LOG_FORMAT',
    fallback: 'json; in development on a terminal text',
    help: '`json`, or `text`: short lines for a person',
  },
  {
    name: 'FREEHOLD_DEMO',
    fallback: 'on, in production and on PostgreSQL off',
    help: '`on` makes a demo app at the first start with an empty data folder',
  },
  { name: 'FREEHOLD_CONSOLE', fallback: 'on', help: '`off` leaves the management gateway without its console' },
  {
    name: 'FREEHOLD_DOCS',
    fallback: 'on',
    help: '`off` leaves out the documentation at `/docs` and at `/app/{org}/docs`',
  },
  {
    name: 'FREEHOLD_CONFIG_FILE',
    fallback: 'none',
    help: 'a file of lines `NAME=value`; the environment takes precedence',
  },
];

/** Of earlier releases: a platform that has one starts, and says why it has no effect. */
export const formerSettings: readonly { readonly name: string; readonly sentence: string }[] = [
  {
    name: 'FREEHOLD_WORKERS',
    sentence:
      'FREEHOLD_WORKERS has no effect any more: remove it, and to use several cores run several nodes on one PostgreSQL',
  },
];
