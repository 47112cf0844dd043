/** System calls of a running process that fail as a disk has them fail: strace puts the error in the call's place. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Fault {
  /** The names of the calls, with commas between. */
  readonly calls: string;
  readonly error: 'ENOSPC' | 'EIO' | 'EFBIG';
  /** Calls on other files go on as ever. */
  readonly files: readonly string[];
}

/** Why no calls can be made to fail here; `false` where they can. */
export const whyNoFaults: string | false = await tryOn();

/** From when it resolves until `end` has, the calls fail. */
export async function failCalls(pid: number, { calls, error, files }: Fault): Promise<{ end(): Promise<void> }> {
  const paths = files.flatMap((file) => ['-P', file]);
  const args = [
    '-f',
    '-p',
    `${pid}`,
    '-o',
    '/dev/null',
    '-e',
    `trace=${calls}`,
    '-e',
    `inject=${calls}:error=${error}`,
  ];
  const tracer = spawn('strace', [...args, ...paths], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<void>((resolve) => {
    tracer.once('close', () => resolve());
    tracer.once('error', () => resolve());
  });
  const isAttached = await Promise.race([attachment(tracer), ended.then(() => false)]);
  if (!isAttached) throw new Error('strace could not be attached');
  return {
    end: async () => {
      tracer.kill('SIGINT');
      await ended;
    },
  };
}

/** strace says so once all threads are held. */
async function attachment({ stderr }: ChildProcess): Promise<boolean> {
  if (stderr === null) return false;
  for (;;) {
    const [chunk] = await once(stderr, 'data');
    if (String(chunk).includes('attached')) {
      stderr.resume();
      return true;
    }
  }
}

async function tryOn(): Promise<string | false> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  try {
    const tried = await failCalls(child.pid ?? 0, { calls: 'pwrite64', error: 'EIO', files: ['/nothing'] });
    await tried.end();
    return false;
  } catch {
    return 'not run: strace is not there, or may not look at another process';
  } finally {
    child.kill('SIGKILL');
  }
}
