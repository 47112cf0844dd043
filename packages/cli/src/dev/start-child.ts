/** The platform that `freehold dev` runs: a process of its own, started as an operator starts it, which ends with this one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { CommandError } from '../frame/command-error.ts';

export interface StartedPlatform {
  readonly app: string;
  readonly management: string;
  readonly pid: number;
  /** Resolves when the process has ended, for any reason. */
  readonly ended: Promise<void>;
  /** Asks it to drain, and waits for its end. */
  stop(): Promise<void>;
}

export interface ChildOptions {
  /** The program that starts a platform. */
  readonly launcher: string;
  readonly dataDir: string;
  /** 0 is a free one. */
  readonly appPort: number;
  readonly managementPort: number;
  readonly hasConsole: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Each line of its log. */
  log(line: string): void;
}

/** A drain takes ten seconds at most. */
const drainMilliseconds = 15_000;

/** @throws CommandError where it ends before it is ready. */
export async function startChild(options: ChildOptions): Promise<StartedPlatform> {
  // By the channel the platform learns that this process was killed.
  const child = spawn(process.execPath, [options.launcher, 'start'], {
    env: environmentOf(options),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // Ctrl-C reaches the whole group of a terminal; this process is the one that ends the platform.
    detached: true,
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const lines: string[] = [];
  eachLine(child.stderr, (line) => {
    lines.push(line);
    if (lines.length > 20) lines.shift();
    options.log(line);
  });
  const urls = await ready(child, ended, lines);
  return { ...urls, pid: child.pid ?? 0, ended, stop: () => stop(child, ended) };
}

/** Settings of the shell, such as the address of a database, are for another platform. */
function environmentOf({ env, dataDir, appPort, managementPort, hasConsole }: ChildOptions): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('FREEHOLD_'));
  return {
    ...Object.fromEntries(kept),
    FREEHOLD_MODE: 'development',
    FREEHOLD_DATA_DIR: dataDir,
    FREEHOLD_APP_PORT: String(appPort),
    FREEHOLD_MANAGEMENT_PORT: String(managementPort),
    FREEHOLD_DEMO: 'off',
    FREEHOLD_CONSOLE: hasConsole ? 'on' : 'off',
    FREEHOLD_LOG_FORMAT: 'text',
    FREEHOLD_LOG_LEVEL: 'warn',
  };
}

function ready(child: ChildProcess, ended: Promise<void>, lines: readonly string[]) {
  return new Promise<{ readonly app: string; readonly management: string }>((resolve, reject) => {
    eachLine(child.stdout, (line) => {
      const [, app, management] = /^ready app=(\S+) management=(\S+)$/.exec(line) ?? [];
      if (app !== undefined && management !== undefined) resolve({ app, management });
    });
    child.once('error', reject);
    void ended.then(() =>
      reject(new CommandError('the platform did not start', { code: 'platform_failed', lines: [...lines] })),
    );
  });
}

async function stop(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), drainMilliseconds);
  await ended;
  clearTimeout(timer);
}

function eachLine(stream: NodeJS.ReadableStream | null, take: (line: string) => void): void {
  let rest = '';
  stream?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  });
}
