import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { CallWatch } from '../gateway/call-trace.ts';
import { connectionsMax } from '../gateway/listener.ts';
import type { Clock } from '../lib/clock.ts';
import { descriptorsKept, descriptorsMax, descriptorsOpen } from '../lib/descriptors.ts';
import type { Metrics } from './metrics.ts';

/** The delay of the event loop since the last scrape, in milliseconds. */
export interface LoopDelay {
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly max_ms: number;
}

interface ProcessMetrics {
  loopDelay(): LoopDelay;
  /** Ends the watching of the event loop. */
  close(): Promise<void>;
}

/** The way the process is. */
export function startProcessMetrics(metrics: Metrics): ProcessMetrics {
  const delay = monitorEventLoopDelay({ resolution: resolutionMilliseconds });
  delay.enable();
  metrics.collected(
    {
      name: 'freehold_event_loop_lag_seconds',
      help: 'How late the event loop was since the last scrape.',
      type: 'gauge',
    },
    () => {
      const statistics = [
        ['p50', delay.percentile(50)],
        ['p99', delay.percentile(99)],
        ['max', delay.max],
      ] as const;
      const isEmpty = delay.count === 0;
      delay.reset();
      return statistics.map(([statistic, value]) => ({
        labels: { statistic },
        value: isEmpty ? 0 : latenessOf(value),
      }));
    },
  );
  const value = (of: number) => [{ value: of }];
  const gauge = { type: 'gauge' } as const;
  metrics.collected({ name: 'process_cpu_seconds_total', help: 'CPU time of all threads.', type: 'counter' }, () => {
    const { user, system } = process.cpuUsage();
    return value((user + system) / 1e6);
  });
  metrics.collected({ name: 'process_resident_memory_bytes', help: 'Resident memory.', ...gauge }, () =>
    value(process.memoryUsage.rss()),
  );
  metrics.collected(
    { name: 'nodejs_heap_size_used_bytes', help: 'Used memory of the JavaScript heap.', ...gauge },
    () => value(process.memoryUsage().heapUsed),
  );
  metrics.collected(
    { name: 'process_start_time_seconds', help: 'When the process started, in seconds since 1970.', ...gauge },
    () => value(performance.timeOrigin / 1000),
  );
  const known = (of: number | undefined) => (of === undefined ? [] : [{ value: of }]);
  metrics.collected({ name: 'process_open_fds', help: 'Open file descriptors.', ...gauge }, () =>
    known(descriptorsOpen()),
  );
  metrics.collected({ name: 'process_max_fds', help: 'File descriptors that the process may have.', ...gauge }, () =>
    known(descriptorsMax()),
  );
  const inMilliseconds = (measured: number): number =>
    delay.count === 0 ? 0 : Math.round(latenessOf(measured) * 10_000) / 10;
  return {
    loopDelay: () => ({
      p50_ms: inMilliseconds(delay.percentile(50)),
      p99_ms: inMilliseconds(delay.percentile(99)),
      max_ms: inMilliseconds(delay.max),
    }),
    close: async () => {
      delay.disable();
    },
  };
}

const resolutionMilliseconds = 20;

/** Seconds of what was measured in nanoseconds: the time between two looks, of which each is asked for after so long. */
function latenessOf(measured: number): number {
  return Math.max(0, measured / 1e9 - resolutionMilliseconds / 1000);
}

interface Warnings {
  warn(facts: object, sentence: string): void;
}

const silentMilliseconds = 10_000;

/** Says that connections are refused for want of file descriptors: at once, and then at most every ten seconds. */
export function warnOfDescriptors(log: Warnings, clock: Clock): Pick<CallWatch, 'refused'> {
  let [refused, warnedAt] = [0, Number.NEGATIVE_INFINITY];
  return {
    refused: (code) => {
      if (code !== 'no_descriptors') return;
      refused += 1;
      const now = clock.now();
      if (Math.abs(now - warnedAt) < silentMilliseconds) return;
      const facts = { refused, open: descriptorsOpen(), max: descriptorsMax() };
      log.warn(facts, `connections are refused, as the process has hardly a file descriptor left: ${raise}`);
      [refused, warnedAt] = [0, now];
    },
  };
}

const raise = 'raise its limit (`LimitNOFILE` of systemd, `--ulimit nofile` of a container, `ulimit -n`)';

/** Both gateways may have so many connections, and each call to the store, a mail server or a webhook takes one more. */
export const descriptorsNeeded = 2 * connectionsMax + descriptorsKept(2 * connectionsMax);

/** A sentence where a process with so many descriptors takes fewer connections than the gateways would; undefined elsewhere. */
export function tooFewDescriptors(max: number | undefined): string | undefined {
  if (max === undefined || max >= descriptorsNeeded) return undefined;
  return `the process may have ${max} file descriptors, which is enough for some ${max - descriptorsKept(max)} connections, and each gateway takes ${connectionsMax}: ${raise}`;
}
