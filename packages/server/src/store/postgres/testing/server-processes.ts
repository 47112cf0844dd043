/** The processes of a PostgreSQL server on this machine, as Linux shows them. Only tests and measurements may use it. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { runOn } from './test-server.ts';

/** The first process of the server behind an address; undefined where it does not run on this machine. */
export async function serverProcess(url: string): Promise<number | undefined> {
  const [row] = await runOn(url, `select pid from pg_stat_activity where backend_type = 'checkpointer'`);
  const parent = statOf(Number(row?.pid));
  return parent !== undefined && /^postgres/.test(parent.name) ? parent.parent : undefined;
}

/** To the server and to each of its sessions. */
export function signalAll(server: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
  for (const pid of [server, ...childrenOf(server).map((child) => child.pid)]) signalOne(pid, signal);
}

/** As if the server had failed: none of its processes gets to say anything. The first one then starts it again. */
export function signalSessions(server: number, signal: 'SIGKILL'): void {
  for (const { pid } of childrenOf(server)) signalOne(pid, signal);
}

/** As if its machine had lost power. The result starts the server again, as it was started, if nothing has done so. */
export function killServer(server: number): () => void {
  const place = `/proc/${server}`;
  const program = readlinkSync(`${place}/exe`);
  const [, ...words] = textsOf(`${place}/cmdline`);
  const { uid, gid } = statSync(place);
  const cwd = readlinkSync(`${place}/cwd`);
  const log = readlinkSync(`${place}/fd/2`);
  const env = Object.fromEntries(textsOf(`${place}/environ`).map((text) => text.split(/=(.*)/s, 2)));
  for (const pid of [server, ...childrenOf(server).map((child) => child.pid)]) signalOne(pid, 'SIGKILL');
  let isStarted = false;
  // Until the killed process is gone for good, a new one takes it for running, and ends.
  const start = () => {
    const output = openSync(log, 'a');
    const child = spawn(program, words, { cwd, env, uid, gid, detached: true, stdio: ['ignore', output, output] });
    closeSync(output);
    child.unref();
    child.on('exit', (code) => code === 1 && setTimeout(start, 500));
  };
  return () => {
    if (!isStarted) start();
    isStarted = true;
  };
}

function textsOf(path: string): readonly string[] {
  return readFileSync(path, 'utf8').split('\0').slice(0, -1);
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Milliseconds of CPU that a server has used: of its sessions that are open, and of those that have ended. */
export function cpuOf(server: number): number {
  const own = statOf(server);
  const ticks = childrenOf(server).reduce((sum, { used }) => sum + used, (own?.used ?? 0) + (own?.usedByEnded ?? 0));
  return ticks * millisecondsOfTick;
}

/** Linux tells programs of ticks of this length, whatever its own are. */
const millisecondsOfTick = 10;

interface Stat {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
  /** In ticks. */
  readonly used: number;
  readonly usedByEnded: number;
}

function childrenOf(server: number): readonly Stat[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return all.flatMap((pid) => {
    const stat = statOf(Number(pid));
    return stat?.parent === server ? [stat] : [];
  });
}

function statOf(pid: number): Stat | undefined {
  try {
    const [, name = '', rest = ''] = /^\d+ \((.+)\) (.+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    const fields = rest.split(' ').map(Number);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    return { pid, name, parent: fields[1] ?? 0, used: user + system, usedByEnded: endedUser + endedSystem };
  } catch {
    return undefined;
  }
}
