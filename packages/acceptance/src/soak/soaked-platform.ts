/** A platform that is started again now and then on the same ports, as its operator would, while its callers go on. */

import { freePort } from '../free-port.ts';
import { type Gateways, type Platform, startPlatform, temporaryDirectory } from '../platform.ts';
import { operatorEnv } from './operator.ts';

export interface SoakedPlatform extends Gateways {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
  /** The process of now. */
  process(): Platform;
  /** Asks for a drain, waits for the end and starts it again on what is there. */
  restart(): Promise<{ readonly drainMilliseconds: number; readonly startMilliseconds: number }>;
  /** Resolves when there is a process that answers. */
  up(): Promise<void>;
  /** Whether a call that was begun then, by `performance.now()`, may end without an answer, or with 503. */
  mayBreak(startedAt: number): boolean;
  /** Whether it was away at any time since then: for what takes longer than a call. */
  wasAwaySince(startedAt: number): boolean;
}

/**
 * The signal and a call may cross each other. A call that was begun longer before the signal than this has been read by
 * the platform, however busy the machine is, and what is under way is answered in a drain.
 */
const crossingMilliseconds = 5000;

export interface SoakedOptions {
  /** A module with faults for the platform. */
  readonly preloaded?: URL;
  readonly env?: Readonly<Record<string, string>>;
}

export async function startSoaked({ preloaded, env: more = {} }: SoakedOptions): Promise<SoakedPlatform> {
  const [app, management] = [await freePort(), await freePort()];
  const env = {
    ...operatorEnv,
    ...more,
    FREEHOLD_APP_PORT: String(app),
    FREEHOLD_MANAGEMENT_PORT: String(management),
    FREEHOLD_LOG_LEVEL: 'warn',
    // As the image and the unit file have it.
    MALLOC_ARENA_MAX: '2',
    // What it keeps of its store's pages grows with the store, up to a bound that minutes do not reach.
    FREEHOLD_STORE_CACHE_MB: '1',
    FREEHOLD_RECORD_CACHE_MB: '1',
  };
  const dataDir = temporaryDirectory();
  const modules = [new URL('./collect-often.ts', import.meta.url), ...(preloaded === undefined ? [] : [preloaded])];
  const nodeFlags = ['--expose-gc', ...modules.flatMap(({ href }) => ['--import', href])];
  const start = () => startPlatform({ dataDir, env, nodeFlags, realPasswords: true });
  let process = await start();
  let gap = { from: Number.NEGATIVE_INFINITY, to: Number.NEGATIVE_INFINITY };
  let upAgain = Promise.resolve();
  return {
    app: process.app,
    management: process.management,
    dataDir,
    env,
    process: () => process,
    restart: async () => {
      const from = performance.now();
      gap = { from, to: Number.POSITIVE_INFINITY };
      const answers = Promise.withResolvers<void>();
      const { code, signal } = await process.terminate();
      upAgain = answers.promise;
      const ended = performance.now();
      try {
        if (code !== 0) throw new Error(`the drain ended with ${signal ?? code}\n${process.stderr()}`);
        process = await start();
      } finally {
        gap = { from, to: performance.now() };
        answers.resolve();
      }
      return { drainMilliseconds: ended - from, startMilliseconds: gap.to - ended };
    },
    up: () => upAgain,
    wasAwaySince: (started) => started <= gap.to,
    mayBreak: (started) => started >= gap.from - crossingMilliseconds && started <= gap.to,
  };
}
