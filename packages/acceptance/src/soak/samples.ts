/** The input of a process, looked at from outside, but for what it tells of its heap (`collect-often.ts`). */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type LeftOfHeap, leftOfHeapIn } from './left-of-heap.ts';
import { operate } from './operator.ts';
import { ignoreFound, type SoakCaller } from './soak-caller.ts';
import type { Point } from './trend.ts';

/** Series of one process's life; times in seconds. */
export interface Samples {
  /** Resident memory in MB. */
  readonly resident: Point[];
  /** MB of it that are pages of the program and of files, which the system takes back when it needs them. */
  readonly mapped: Point[];
  /** MB of the heap as the process tells it, garbage included. */
  readonly heap: Point[];
  /** MB of objects that were left of the heap by each collection of all of it. */
  readonly live: Point[];
  /** MB of code that V8 had compiled by then. */
  readonly code: Point[];
  readonly descriptors: Point[];
  readonly threads: Point[];
  /** MB of the longest write-ahead log. */
  readonly log: Point[];
  /** Milliseconds of the latest turn of the event loop since the sample before. */
  readonly lag: Point[];
}

export interface Sampler {
  readonly samples: Samples;
  stop(): Promise<void>;
}

const everyMilliseconds = 1000;
/** A scrape costs the process something. */
const turnsBetweenScrapes = 5;

/** Looks at the process of now until it is stopped. */
export function startSampler(caller: SoakCaller): Sampler {
  const { platform } = caller;
  const samples = newSamples();
  const process = platform.process();
  const collections = collectionsOf(() => process.stdout());
  const now = () => performance.now() / 1000;
  let turn = 0;
  let scraping = Promise.resolve();
  const take = (): void => {
    const pid = process.child.pid ?? 0;
    const at = now();
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    samples.resident.push({ at, value: numberIn(status, /^VmRSS:\s+(\d+) kB$/m) / 1024 });
    samples.mapped.push({ at, value: numberIn(status, /^RssFile:\s+(\d+) kB$/m) / 1024 });
    samples.threads.push({ at, value: numberIn(status, /^Threads:\s+(\d+)$/m) });
    samples.descriptors.push({ at, value: readdirSync(`/proc/${pid}/fd`).length });
    samples.log.push({ at, value: longestLog(platform.dataDir) });
    for (const { objects, code } of collections()) {
      samples.live.push({ at, value: objects / megabyte });
      samples.code.push({ at, value: code / megabyte });
    }
    if (turn++ % turnsBetweenScrapes === 0) scraping = scrape().catch(ignoreFound);
  };
  const scrape = async (): Promise<void> => {
    const { text } = await caller.ask('metrics', 200, () => operate(platform, 'GET', '/metrics'));
    const at = now();
    samples.heap.push({ at, value: numberIn(text, /^nodejs_heap_size_used_bytes (\S+)$/m) / megabyte });
    samples.lag.push({
      at,
      value: numberIn(text, /^freehold_event_loop_lag_seconds\{statistic="max"\} (\S+)$/m) * 1000,
    });
  };
  const timer = setInterval(take, everyMilliseconds);
  return {
    samples,
    stop: async () => {
      clearInterval(timer);
      await scraping;
    },
  };
}

function newSamples(): Samples {
  return { resident: [], mapped: [], heap: [], live: [], code: [], descriptors: [], threads: [], log: [], lag: [] };
}

const megabyte = 1024 * 1024;

function numberIn(text: string, pattern: RegExp): number {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`there is no metric ${pattern}`);
  return Number(found);
}

function longestLog(dataDir: string): number {
  const logs = readdirSync(dataDir).filter((file) => file.endsWith('-wal'));
  return Math.max(0, ...logs.map((file) => statSync(join(dataDir, file)).size / megabyte));
}

/** What each collection since the last look has left. */
function collectionsOf(reported: () => string): () => readonly LeftOfHeap[] {
  let readTo = reported().length;
  return () => {
    const text = reported();
    const end = text.lastIndexOf('\n') + 1;
    const lines = text.slice(readTo, end).split('\n');
    readTo = end;
    return lines.flatMap((line) => leftOfHeapIn(line) ?? []);
  };
}
