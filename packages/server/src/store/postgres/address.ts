import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import type pg from 'pg';

/** The way the server is reached, and where in its database the stores lie. */
export interface Address {
  readonly client: pg.ClientConfig;
  /** Other addresses of the server, which takes writes at one place at a time. */
  readonly others?: readonly ServerAddress[];
  /** Each store has a schema of its own: this name, `_` and the name of its data space. */
  readonly schema: string;
  /** Whether Citus is to distribute the tables when they are made; undefined where the address does not say. */
  readonly wantsCitus: boolean | undefined;
  /** The number of connections that a store opens at most, to each server. */
  readonly counts: { readonly reads?: number; readonly commits?: number };
  /**
   * Longest time of a read, in milliseconds; undefined where the address does not say. Calls are answered within 30 s,
   * so a read that may take longer has no answer.
   */
  readonly readTimeout: number | undefined;
}

export interface ServerAddress {
  readonly host?: string;
  readonly port?: number;
}

/** The connection settings of each place. */
export function configsOf({ client, others = [] }: Address): readonly pg.ClientConfig[] {
  return [client, ...others.map((place) => ({ ...client, port: undefined, ...place }))];
}

/** One server, with the credentials and the encryption of the address. */
export function addressAt(address: Address, { host, port }: ServerAddress): Address {
  return { ...address, client: { ...address.client, host, port }, others: [] };
}

/**
 * Reads `postgres://user:password@host:port/database?sslmode=…`. What it throws names the mistake and never repeats the
 * address, which holds a password.
 */
export function parseAddress(url: string): Address {
  const [first, ...others] = splitHosts(url);
  const parsed = URL.parse(first ?? '');
  if (parsed === null || !/^postgres(ql)?:$/.test(parsed.protocol))
    throw new Error('the address of the PostgreSQL store must be a URL such as `postgres://user@host:5432/database`');
  const options = readOptions(parsed.searchParams);
  const schema = options.schema ?? 'freehold';
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(schema))
    throw new Error('the `schema` of the PostgreSQL store takes up to 40 of a-z, 0-9 and `_`, a letter first');
  const place = options.host === undefined ? placeOf(parsed) : { ...placeOf(parsed), host: options.host };
  return {
    client: {
      application_name: options.application_name ?? 'freehold',
      ssl: readSsl(options),
      ...place,
      ...(parsed.username === '' ? {} : { user: decoded(parsed.username) }),
      ...(parsed.password === '' ? {} : { password: decoded(parsed.password) }),
      ...(parsed.pathname.length < 2 ? {} : { database: decoded(parsed.pathname.slice(1)) }),
    },
    ...(others.length === 0 ? {} : { others: others.map(readPlace) }),
    schema,
    wantsCitus: readFlag(options.citus),
    counts: {
      ...(options.reads === undefined ? {} : { reads: readNumber(options, 'reads', { min: 1, max: 64 }) }),
      ...(options.commits === undefined ? {} : { commits: readNumber(options, 'commits', { min: 1, max: 64 }) }),
    },
    readTimeout:
      options.read_timeout === undefined ? undefined : readNumber(options, 'read_timeout', { min: 500, max: 25_000 }),
  };
}

/** The address with each of its hosts, which `libpq` takes with commas between them and `URL` does not. */
function splitHosts(url: string): readonly string[] {
  const [, scheme = '', credentials = '', hosts = '', rest = ''] =
    /^([a-z]+:\/\/)([^/?#]*@)?([^/?#@]*)(.*)$/s.exec(url) ?? [];
  return hosts.includes(',') ? hosts.split(',').map((host) => `${scheme}${credentials}${host}${rest}`) : [url];
}

function readPlace(url: string): ServerAddress {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.hostname === '')
    throw new Error('the address of the PostgreSQL store has a host that is none');
  return placeOf(parsed);
}

function placeOf({ hostname, port }: URL): ServerAddress {
  const host = decoded(hostname.replace(/^\[(.+)\]$/, '$1'));
  return { ...(host === '' ? {} : { host }), ...(port === '' ? {} : { port: Number(port) }) };
}

const optionNames = [
  'schema',
  'citus',
  'reads',
  'commits',
  'read_timeout',
  'host',
  'application_name',
  'target_session_attrs',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
] as const;

type AddressOptions = { readonly [Name in (typeof optionNames)[number]]?: string };

function readOptions(parameters: URLSearchParams): AddressOptions {
  for (const name of parameters.keys()) {
    if (optionNames.some((known) => known === name)) continue;
    // A password with a question mark in it makes an option of what follows.
    const description = /^[a-z_]+$/.test(name)
      ? `an option \`${name}\`, which is not known`
      : 'an option that is not known';
    throw new Error(`the address of the PostgreSQL store has ${description}`);
  }
  const options: AddressOptions = Object.fromEntries(parameters);
  const { target_session_attrs: wanted = 'read-write' } = options;
  if (wanted === 'read-write' || wanted === 'primary') return options;
  throw new Error('the option `target_session_attrs` of the PostgreSQL store is `read-write` or `primary`');
}

function readFlag(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (text === 'false') return false;
  if (text === 'true') return true;
  throw new Error('the option `citus` of the PostgreSQL store is `true` or `false`');
}

function readNumber(
  options: AddressOptions,
  name: 'reads' | 'commits' | 'read_timeout',
  { min, max }: { readonly min: number; readonly max: number },
): number {
  const text = options[name] ?? '';
  const found = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (found >= min && found <= max) return found;
  throw new Error(`the option \`${name}\` of the PostgreSQL store is a whole number from ${min} to ${max}`);
}

/**
 * As libpq understands the modes, but that `prefer` is refused: it does not protect from an attacker who can change
 * traffic.
 */
function readSsl({ sslmode = 'disable', sslrootcert, sslcert, sslkey }: AddressOptions): boolean | ConnectionOptions {
  const files = {
    ...(sslrootcert === undefined ? {} : { ca: readFile(sslrootcert, 'sslrootcert') }),
    ...(sslcert === undefined ? {} : { cert: readFile(sslcert, 'sslcert') }),
    ...(sslkey === undefined ? {} : { key: readFile(sslkey, 'sslkey') }),
  };
  switch (sslmode) {
    case 'disable':
      return false;
    case 'require':
      return sslrootcert === undefined ? { ...files, rejectUnauthorized: false } : { ...files, ...anyHost };
    case 'verify-ca':
      return { ...files, ...anyHost };
    case 'verify-full':
      return files;
    default:
      throw new Error('the `sslmode` of the PostgreSQL store is `disable`, `require`, `verify-ca` or `verify-full`');
  }
}

const anyHost: ConnectionOptions = { checkServerIdentity: () => undefined };

function readFile(path: string, option: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Error(`the file that \`${option}\` of the PostgreSQL store names cannot be read`, { cause });
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('the address of the PostgreSQL store has a `%` that is not an escape: write `%25`');
  }
}
