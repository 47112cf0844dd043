/** A platform in a process of its own, as its operator starts it, that tells what requests cost it. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { LoadReport } from './report-load.ts';
import type { Gateways } from './send.ts';
import { platformSettings } from './stage.ts';

/** The cost of a call. */
export interface Load {
  /** What the longest turn of the event loop took of the processor. */
  readonly milliseconds: number;
  /** How late the latest one was, with all that the machine did beside it. */
  readonly late: number;
  /** MB that the process has grown by at the worst moment; undefined where the system does not tell. */
  readonly peak: number | undefined;
  /** MB that are left of it when all garbage is collected. */
  readonly left: number;
}

export interface MeasuredPlatform extends Gateways {
  measure(call: () => Promise<unknown>): Promise<Load>;
  close(): Promise<void>;
}

const main = fileURLToPath(new URL('../../main.ts', import.meta.url));
const preloaded = new URL('./report-load.ts', import.meta.url).href;
const megabyte = 1024 * 1024;

export async function startMeasuredPlatform(): Promise<MeasuredPlatform> {
  const folder = mkdtempSync(join(tmpdir(), 'freehold-load-'));
  const child = spawn(process.execPath, ['--expose-gc', '--import', preloaded, main], {
    env: {
      ...platformSettings,
      FREEHOLD_APP_PORT: '0',
      FREEHOLD_MANAGEMENT_PORT: '0',
      FREEHOLD_DATA_DIR: folder,
      FREEHOLD_DEMO: 'off',
    },
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const [app, management] = await ready(child);
  const memory = memoryOf(child.pid ?? 0);
  return {
    app,
    management,
    metrics: '',
    measure: async (call) => {
      const before = await alerts(child);
      const resident = memory.begin();
      await call();
      // What the call leaves to be done after its answer is its work too.
      await sleep(20);
      const peak = memory.peak();
      const after = await alerts(child);
      return {
        milliseconds: after.busyMilliseconds,
        late: after.lateMilliseconds,
        peak: resident === undefined || peak === undefined ? undefined : peak - resident,
        left: (after.left - before.left) / megabyte,
      };
    },
    close: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function ready(child: ChildProcess): Promise<readonly [app: string, management: string]> {
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk);
    const found = /^ready app=(\S+) management=(\S+)$/m.exec(text);
    if (found?.[1] === undefined || found[2] === undefined) continue;
    child.stdout?.resume();
    return [found[1], found[2]];
  }
  return assert.fail(`the platform ended before it was ready: ${text}`);
}

async function alerts(child: ChildProcess): Promise<LoadReport> {
  const answer = once(child, 'message');
  child.send('tell');
  const [message] = await answer;
  return message as LoadReport;
}

/** The resident memory as Linux tells it, and the most of it since the last beginning. */
function memoryOf(pid: number) {
  const read = (pattern: RegExp): number | undefined => {
    try {
      const found = pattern.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
      return found === null ? undefined : Number(found[1]) / 1024;
    } catch {
      return undefined;
    }
  };
  return {
    begin: (): number | undefined => {
      try {
        // Sets the peak back to what there is now (proc(5)).
        writeFileSync(`/proc/${pid}/clear_refs`, '5');
      } catch {
        return undefined;
      }
      return read(/^VmRSS:\s+(\d+) kB$/m);
    },
    peak: () => read(/^VmHWM:\s+(\d+) kB$/m),
  };
}
