/**
 * A site whose files lie in a folder `dist` beside its sources. In development it is built beside the running platform if
 * it is missing or older than its sources; production serves what was shipped.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Config } from '../config.ts';
import { hasSite, type SiteState } from '../gateway/site-files.ts';

/** The log for the lines about a site. */
export interface SiteLog {
  info(sentence: string): void;
  warn(sentence: string): void;
}

export interface BuiltSite<Files> {
  current(): SiteState<Files>;
  /**
   * Builds the site in the background, in development and where that is needed.
   * @param ended is called when nothing is built any more.
   */
  build(ended?: () => void): void;
}

export interface SiteOptions<Files> {
  /** As the log calls it: `the console`. */
  readonly name: string;
  readonly verb: 'is' | 'are';
  readonly isServed: boolean;
  readonly mode: Config['mode'];
  readonly log: SiteLog;
  readonly folder: string;
  /** The sources that it is built of, beside its own folder. */
  readonly sources: readonly string[];
  read(dist: string): Files;
}

/** A fault in the files of a site is logged: the API is served without it. */
export function openBuiltSite<Files>(options: SiteOptions<Files>): BuiltSite<Files> {
  const { name, verb, isServed, mode, log, folder } = options;
  const read = (): SiteState<Files> => {
    const dist = join(folder, 'dist');
    try {
      return hasSite(dist) ? { is: 'built', files: options.read(dist) } : { is: 'missing' };
    } catch (error) {
      log.warn(`${name} cannot be read: ${messageOf(error)}`);
      return { is: 'missing' };
    }
  };
  let state: SiteState<Files> = isServed ? read() : { is: 'off' };
  const builder = isServed && mode !== 'production' ? findBuilder(folder) : undefined;
  // Browsers may come before the build begins, which waits until the demo is made.
  if (state.is === 'missing' && builder !== undefined) state = { is: 'building' };
  const them = verb === 'is' ? 'it' : 'them';
  const notBuilt = `${name} ${verb} not built: \`npm ci && npm run build\` builds ${them} for the next start`;
  if (state.is === 'missing' && mode === 'production') log.warn(notBuilt);
  return {
    current: () => state,
    build: (ended) => {
      const isCurrent = () => state.is === 'built' && isNewerThanSources(options);
      if (state.is === 'off' || mode === 'production' || isCurrent()) return ended?.();
      if (builder === undefined) {
        if (state.is === 'missing') log.warn(notBuilt);
        return ended?.();
      }
      log.info(`building ${name}, which takes a few seconds`);
      const end = (fault: string | undefined) => {
        if (fault === undefined) log.info(`${name} ${verb} built`);
        else log.warn(`${name} could not be built: ${fault}`);
        state = read();
        ended?.();
      };
      try {
        runBuilder(builder, end);
      } catch (error) {
        end(messageOf(error));
      }
    },
  };
}

/**
 * Whether nothing was changed since the build. What was installed without its sources is current; files that come and
 * go while they are looked at are being changed.
 */
function isNewerThanSources({ folder, sources }: Pick<SiteOptions<unknown>, 'folder' | 'sources'>): boolean {
  const own = ['index.html', 'src', 'build'].map((name) => join(folder, name));
  try {
    const builtAt = statSync(join(folder, 'dist', 'index.html')).mtimeMs;
    return [...own, ...sources].every((source) => newestIn(source) <= builtAt);
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
  let output = '';
  // First, since a process that could not begin may have no streams.
  child.once('error', (error) => ended(error.message));
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      if (output.length < outputCharactersMax) output += text;
    });
  child.once('close', (code) => ended(code === 0 ? undefined : output.trim()));
  child.unref();
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const outputCharactersMax = 4_000;
