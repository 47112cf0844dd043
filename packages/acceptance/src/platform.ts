/** A platform as its operator meets it: a process with an environment, a data directory, two URLs and signals. */
import { type ChildProcess, spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { netMilliseconds } from './eventually.ts';
import { launcher, programOf } from './launcher.ts';

/** All that a caller of a platform has to know. */
export interface Gateways {
  readonly app: string;
  readonly management: string;
}

export interface Platform extends Gateways, Running {
  readonly dataDir: string;
  /** Asks for a drain and waits for the end. */
  terminate(): Promise<Ended>;
  /** Ends the process without a chance to tidy up, as a power cut would. */
  kill(): Promise<Ended>;
}

interface Running {
  readonly child: ChildProcess;
  /** Resolves when the process has ended, for any reason, and all of its output can be read. */
  readonly ended: Promise<Ended>;
  stdout(): string;
  stderr(): string;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface StartOptions {
  /** Settings beside the ports and the data directory, as `FREEHOLD_…` variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** The directory of an earlier start, or of another node; left out, an empty one is made and removed when this process exits. */
  readonly dataDir?: string;
  readonly nodeFlags?: readonly string[];
  /** Whether a password costs what it costs an operator's platform; left out, it costs next to nothing. */
  readonly realPasswords?: boolean;
  /** Starts it by the command of an installation, `freehold start`. */
  readonly byCommand?: boolean;
  /** Starts it by these words, as a process manager would, in the root of the repository and in a process group of its own. */
  readonly byWords?: readonly [string, ...string[]];
  /** Opens an IPC channel to the process. */
  readonly ipc?: boolean;
}

/** How fast a start is, other programs measure; here it may be one of many on a busy machine. */
const startMilliseconds = netMilliseconds;
const root = join(import.meta.dirname, '..', '..', '..');
const fastPasswords = new URL('./fast-passwords.ts', import.meta.url).href;

/** Starts a platform on free ports and waits until it says that it is ready. */
export async function startPlatform(options: StartOptions = {}): Promise<Platform> {
  const dataDir = options.dataDir ?? temporaryDirectory();
  const program = options.byCommand === true ? [launcher, 'start'] : programOf('start');
  const passwords = options.realPasswords === true ? [] : ['--import', fastPasswords];
  const running = launch([...passwords, ...(options.nodeFlags ?? []), ...program], { ...options, dataDir });
  const gateways = await ready(running, startMilliseconds);
  return {
    ...gateways,
    ...running,
    dataDir,
    terminate: () => signalled(running, 'SIGTERM'),
    kill: () => signalled(running, 'SIGKILL'),
  };
}

export interface CommandResult extends Ended {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the platform's program to its own end: for starts that are expected to be refused. */
export async function runToEnd(args: readonly string[], options: StartOptions = {}): Promise<CommandResult> {
  const dataDir = options.dataDir ?? temporaryDirectory();
  const running = launch([...programOf('start'), ...args], { ...options, dataDir });
  const timer = setTimeout(() => running.child.kill('SIGKILL'), startMilliseconds);
  const ended = await running.ended;
  clearTimeout(timer);
  return { ...ended, stdout: running.stdout(), stderr: running.stderr() };
}

/** Runs `freehold` with these words to its end. */
export async function commandToEnd(words: readonly string[], options: StartOptions = {}): Promise<CommandResult> {
  const dataDir = options.dataDir ?? temporaryDirectory();
  const running = launch([...(options.nodeFlags ?? []), launcher, ...words], { ...options, dataDir });
  return { ...(await running.ended), stdout: running.stdout(), stderr: running.stderr() };
}

/** Runs the program that looks for drift in the data of a platform that has ended. */
export async function verifyToEnd(dataDir: string): Promise<CommandResult> {
  const running = launch([...programOf('verify'), '--data-dir', dataDir], { dataDir });
  return { ...(await running.ended), stdout: running.stdout(), stderr: running.stderr() };
}

/** Runs the program that shows and changes the signing keys of a running platform. */
export async function keysToEnd(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  const running = launch([...programOf('keys'), ...args], { dataDir: temporaryDirectory(), env });
  return { ...(await running.ended), stdout: running.stdout(), stderr: running.stderr() };
}

const children = new Set<ChildProcess>();
const groups = new Set<number>();
const directories = new Set<string>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  for (const group of groups) process.kill(-group, 'SIGKILL');
  for (const path of directories) rmSync(path, { recursive: true, force: true, maxRetries: 3 });
});
// A signal would end this process without the lines above, and leave its platforms running.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));

export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'freehold-acceptance-'));
  directories.add(path);
  return path;
}

/** Standard error goes to a file: nothing said is lost, and a slow reader never holds the platform up. */
function launch(argv: readonly string[], options: StartOptions & { readonly dataDir: string }): Running {
  const workDir = temporaryDirectory();
  mkdirSync(options.dataDir, { recursive: true });
  const errorPath = join(workDir, 'stderr');
  const errorFile = openSync(errorPath, 'w');
  const [program = process.execPath, ...words] = options.byWords ?? [process.execPath, ...argv];
  const isGroup = options.byWords !== undefined;
  const child = spawn(program, words, {
    env: { ...cleanEnvironment(), ...platformSettings(options.dataDir), ...options.env },
    cwd: isGroup ? root : workDir,
    detached: isGroup,
    stdio: ['ignore', 'pipe', errorFile, ...(options.ipc === true ? ['ipc' as const] : [])],
  });
  closeSync(errorFile);
  let stdout = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  children.add(child);
  if (isGroup && child.pid !== undefined) groups.add(child.pid);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      children.delete(child);
      if (child.pid !== undefined) groups.delete(child.pid);
      resolve({ code, signal });
    });
  });
  return { child, ended, stdout: () => stdout, stderr: () => readFileSync(errorPath, 'utf8') };
}

/** The settings of the shell that runs the tests must not leak into the platform under test, but for what is compiled. */
function cleanEnvironment(): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(
    ([name]) => name === 'NODE_COMPILE_CACHE' || (!name.startsWith('FREEHOLD_') && !name.startsWith('NODE_')),
  );
  return Object.fromEntries(kept);
}

function platformSettings(dataDir: string): Record<string, string> {
  return {
    FREEHOLD_APP_PORT: '0',
    FREEHOLD_MANAGEMENT_PORT: '0',
    FREEHOLD_DATA_DIR: dataDir,
    FREEHOLD_DEMO: 'off',
    FREEHOLD_CONSOLE: 'off',
    FREEHOLD_DOCS: 'off',
    ...(testStore === undefined ? {} : { FREEHOLD_STORE: storeOf(dataDir, testStore) }),
  };
}

/** The address of the PostgreSQL database that platforms under test keep their data in, where it is not the directory. */
const testStore = process.env.FREEHOLD_TEST_STORE;

/** What `/readyz` calls it. */
export const storeKind = testStore === undefined ? 'sqlite' : 'postgres';

/** Why tests of what lies in the data directory cannot run; `false` where they can. */
export const whyNoDataDir: string | false = testStore !== undefined && 'not run: on PostgreSQL nothing lies there';

/** A directory stands for a platform, so each has schemas of its own, named after the one of the address. */
function storeOf(dataDir: string, address: string): string {
  const url = new URL(address);
  const prefix = url.searchParams.get('schema') ?? 'of';
  url.searchParams.set('schema', `${prefix}_${hash('sha256', dataDir).slice(0, 16)}`);
  return url.href;
}

function ready(running: Running, milliseconds: number): Promise<Gateways> {
  return new Promise((resolve, reject) => {
    const fail = (outcome: string) => {
      running.child.kill('SIGKILL');
      reject(new Error(`the platform ${outcome}\n${running.stdout()}\n${running.stderr()}`));
    };
    const timer = setTimeout(() => fail('was not ready in time'), milliseconds);
    running.child.stdout?.on('data', () => {
      const gateways = readyLine(running.stdout());
      if (gateways === undefined) return;
      clearTimeout(timer);
      resolve(gateways);
    });
    running.ended.then((ended) => {
      clearTimeout(timer);
      fail(`ended with code ${ended.code} before it was ready`);
    }, reject);
  });
}

/** `ready app=<url> management=<url>`, on a line of its own. */
function readyLine(stdout: string): Gateways | undefined {
  const found = /^ready app=(\S+) management=(\S+)$/m.exec(stdout);
  if (found?.[1] === undefined || found[2] === undefined) return undefined;
  return { app: found[1], management: found[2] };
}

async function signalled(running: Running, signal: NodeJS.Signals): Promise<Ended> {
  running.child.kill(signal);
  return running.ended;
}
