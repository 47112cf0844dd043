/**
 * Loaded into the platform (`--import`): how long it had the victim's calls, from their heads to their answers. The
 * parent asks by IPC, and is answered with what came since it asked before.
 */
import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { victimHeader } from './victim-header.ts';

export interface CallReport {
  readonly took: readonly number[];
  /** CPU time of the process, in microseconds. */
  readonly cpuMicroseconds: number;
  /** How late a timer was, in milliseconds: how long the event loop was at one turn. */
  readonly lateP99: number;
  readonly lateMost: number;
}

interface HttpMessage {
  readonly request: IncomingMessage;
}

let took: number[] = [];
let cpu = process.cpuUsage();
const startedAt = new WeakMap<IncomingMessage, number>();
const late = monitorEventLoopDelay({ resolution: 2 });
late.enable();

channel('http.server.request.start').subscribe((message) => {
  const { request } = message as HttpMessage;
  if (request.headers[victimHeader] !== undefined) startedAt.set(request, performance.now());
});
channel('http.server.response.finish').subscribe((message) => {
  const { request } = message as HttpMessage;
  const since = startedAt.get(request);
  if (since !== undefined) took.push(performance.now() - since);
});

process.on('message', () => {
  const { user, system } = process.cpuUsage(cpu);
  const report: CallReport = {
    took,
    cpuMicroseconds: user + system,
    lateP99: late.percentile(99) / 1e6 - 2,
    lateMost: late.max / 1e6 - 2,
  };
  took = [];
  cpu = process.cpuUsage();
  late.reset();
  process.send?.(report);
});
process.channel?.unref();
