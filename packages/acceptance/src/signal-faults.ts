/**
 * Preloaded into a node: waits for a plan in a file, and does it once. `die` ends the process when it is about to send a
 * signal with this text, after the commit. `hold` keeps back what the server answers to the first statement with these
 * texts, until a signal with that text has been heard; from then on the file has the ending `.held`.
 */
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { Socket } from 'node:net';

export type SignalFault = { readonly die: string } | { readonly hold: readonly string[]; readonly until: string };

const path = process.env.FREEHOLD_TEST_SIGNAL_FAULT ?? '';
const { write, push } = Socket.prototype;

interface Held {
  readonly socket: Socket;
  readonly until: string;
  readonly chunks: (Buffer | null)[];
}

let held: Held | undefined;

function takePlan(isTaken: (plan: SignalFault) => boolean): SignalFault | undefined {
  if (!existsSync(path)) return undefined;
  const plan = JSON.parse(readFileSync(path, 'utf8')) as SignalFault;
  if (!isTaken(plan)) return undefined;
  renameSync(path, `${path}.taken`);
  return plan;
}

function planted(sent: string): SignalFault | undefined {
  return takePlan((plan) => ('die' in plan ? [plan.die] : plan.hold).every((text) => sent.includes(text)));
}

Object.assign(Socket.prototype, {
  write(this: Socket, ...given: Parameters<typeof write>) {
    const plan = planted(String(given[0]));
    if (plan !== undefined && 'die' in plan) process.kill(process.pid, 'SIGKILL');
    if (plan !== undefined && 'hold' in plan) held = { socket: this, until: plan.until, chunks: [] };
    return write.apply(this, given);
  },
  push(this: Socket, ...given: Parameters<typeof push>) {
    if (held?.socket === this) {
      if (held.chunks.push(given[0]) === 1) renameSync(`${path}.taken`, `${path}.held`);
      return true;
    }
    const more = push.apply(this, given);
    // What is pushed to a flowing socket has been read by now.
    if (held !== undefined && held.chunks.length > 0 && String(given[0]).includes(held.until)) release(held);
    return more;
  },
});

function release({ socket, chunks }: Held): void {
  held = undefined;
  for (const chunk of chunks) push.call(socket, chunk);
}
