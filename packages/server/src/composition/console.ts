/**
 * The console that lies in `packages/console/dist`. In development it is built beside the running platform if it is
 * missing or older than its sources; production serves what was shipped.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Config } from '../config.ts';
import { readConsoleFiles } from '../gateway/console-files.ts';
import type { ConsoleSource, ConsoleState } from '../gateway/console-source.ts';

export interface OpenedConsole extends ConsoleSource {
  /** Says where the app gateway listens on this machine; undefined where it does not. */
  openedApp(url: string | undefined): void;
  /**
   * Builds the console in the background, in development and where that is needed.
   * @param built is called when it was built or could not be.
   */
  build(built?: () => void): void;
  /** Another thread has built the console. */
  readAgain(): void;
}

/** Where the lines about the console go. */
interface Log {
  info(sentence: string): void;
  warn(sentence: string): void;
}

type Settings = Pick<Config, 'mode' | 'console' | 'managementPort' | 'managementUrl' | 'publicUrl'>;

const root = join(import.meta.dirname, '..', '..', '..', '..');
const consoleFolder = join(root, 'packages', 'console');

/** What goes wrong with the files of the console is logged: the API is served without it. */
export function openConsole(settings: Settings, log: Log, folder = consoleFolder): OpenedConsole {
  const { mode, managementUrl, publicUrl } = settings;
  const isServed = settings.console && settings.managementPort !== undefined;
  const read = (): ConsoleState => {
    try {
      return readState(join(folder, 'dist'));
    } catch (error) {
      log.warn(`the console cannot be read: ${messageOf(error)}`);
      return { is: 'missing' };
    }
  };
  let state: ConsoleState = isServed ? read() : { is: 'off' };
  const builder = isServed && mode !== 'production' ? findBuilder(folder) : undefined;
  // Browsers may come before the build begins, which waits until the demo is made.
  if (state.is === 'missing' && builder !== undefined) state = { is: 'building' };
  let appUrl: string | undefined;
  if (state.is === 'missing' && mode === 'production')
    log.warn('the console is not built: `npm run build:console` builds it for the next start');
  return {
    current: () => state,
    appAddress: () => {
      if (appUrl === undefined) return undefined;
      return publicUrl === undefined ? { port: Number(new URL(appUrl).port) } : { url: publicUrl };
    },
    basePath: `${managementUrl === undefined ? '' : new URL(managementUrl).pathname.replace(/\/$/, '')}/`,
    openedApp: (url) => {
      appUrl = url;
    },
    readAgain: () => {
      if (state.is !== 'off') state = read();
    },
    build: (built) => {
      if (state.is === 'off' || mode === 'production' || (state.is === 'built' && isCurrent(folder))) return;
      if (builder === undefined) {
        if (state.is === 'missing') log.warn('the console is not built: `npm ci && npm run build:console` builds it');
        return;
      }
      log.info('building the console, which takes a few seconds');
      const ended = (fault: string | undefined) => {
        if (fault === undefined) log.info('the console is built');
        else log.warn(`the console could not be built: ${fault}`);
        state = read();
        built?.();
      };
      try {
        runBuilder(builder, ended);
      } catch (error) {
        ended(messageOf(error));
      }
    },
  };
}

function readState(dist: string): ConsoleState {
  if (!existsSync(join(dist, 'index.html'))) return { is: 'missing' };
  return { is: 'built', files: readConsoleFiles(dist) };
}

/**
 * Whether nothing was changed since the build. What was installed without its sources is current; files that come and
 * go while they are looked at are being changed.
 */
function isCurrent(folder: string): boolean {
  const own = ['index.html', 'src', 'build'].map((name) => join(folder, name));
  const sources = [...own, join(root, 'packages', 'contract', 'src')];
  try {
    const builtAt = statSync(join(folder, 'dist', 'index.html')).mtimeMs;
    return sources.every((source) => newestIn(source) <= builtAt);
  } catch {
    return false;
  }
}

/** Of a file, or of all files in a folder; 0 where there is none. */
function newestIn(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) return found?.mtimeMs ?? 0;
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Math.max(0, ...files.map(({ parentPath, name }) => statSync(join(parentPath, name)).mtimeMs));
}

/** The program that builds it; undefined where what development needs is not installed. */
function findBuilder(folder: string): string | undefined {
  const builder = join(folder, 'build', 'build.ts');
  if (!existsSync(builder)) return undefined;
  try {
    createRequire(builder).resolve('vite/package.json');
    return builder;
  } catch {
    return undefined;
  }
}

/** Nothing waits for the build: a platform that ends leaves it to finish by itself. */
function runBuilder(builder: string, ended: (fault: string | undefined) => void): void {
  const child = spawn(process.execPath, [builder], {
    cwd: join(dirname(builder), '..'),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  // First, since a process that could not begin may have no streams.
  child.once('error', (error) => ended(error.message));
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      if (said.length < saidCharactersMax) said += text;
    });
  child.once('close', (code) => ended(code === 0 ? undefined : said.trim()));
  child.unref();
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const saidCharactersMax = 4_000;
