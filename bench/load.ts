/**
 * The load, in a process of its own: many keep-alive connections, each with one request under way. It reads no more
 * of an answer than the status and the length, so that the server and not the load is what is measured.
 * A parent sends a `Job` by IPC and is answered with a `Done`.
 */
import { connect, type Socket } from 'node:net';

export interface Job {
  readonly port: number;
  readonly connections: number;
  /** Ends the run by itself: so many answers, or so much time, whichever comes first. */
  readonly requests: number;
  readonly milliseconds: number;
  readonly staysAwake: boolean;
  /** Sent in this order, again and again. */
  readonly calls: readonly Call[];
}

export interface Call {
  /** The bytes of the request. */
  readonly request: string;
  readonly status: number;
}

export interface Done {
  readonly requests: number;
  readonly milliseconds: number;
  readonly failure?: string;
}

process.on('message', (job: Job) => {
  run(job).then(
    (done) => process.send?.(done),
    (error: unknown) => process.send?.({ requests: 0, milliseconds: 0, failure: String(error) } satisfies Done),
  );
});

async function run(job: Job): Promise<Done> {
  const calls = job.calls.map(({ request, status }) => ({ bytes: Buffer.from(request, 'utf8'), status }));
  const started = performance.now();
  let sent = 0;
  let answered = 0;
  const next = () =>
    sent < job.requests && performance.now() - started < job.milliseconds ? calls[sent++ % calls.length] : undefined;
  const lines = Array.from({ length: job.connections }, async () => {
    const socket = await open(job.port);
    await converse(socket, { next, onAnswer: () => answered++ });
    socket.destroy();
  });
  const waking = job.staysAwake ? stayAwake() : undefined;
  await Promise.all(lines);
  waking?.end();
  return { requests: answered, milliseconds: performance.now() - started };
}

/**
 * Keeps this process from sleeping while it waits. Otherwise each answer of a server that is slower than the load pays
 * for waking the load; a server that keeps the load busy does not.
 */
function stayAwake(): { end(): void } {
  let isAwake = true;
  const turn = () => {
    if (isAwake) setImmediate(turn);
  };
  turn();
  return {
    end: () => {
      isAwake = false;
    },
  };
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

interface Conversation {
  /** The value to send; undefined ends the conversation. */
  next(): { readonly bytes: Buffer; readonly status: number } | undefined;
  onAnswer(): void;
}

function converse(socket: Socket, { next, onAnswer }: Conversation): Promise<void> {
  return new Promise((resolve, reject) => {
    let missing = 0;
    let head = '';
    let status = 0;
    const send = () => {
      const call = next();
      if (call === undefined) {
        resolve();
        return;
      }
      ({ status } = call);
      socket.write(call.bytes);
    };
    const over = () => {
      onAnswer();
      send();
    };
    socket.on('data', (chunk) => {
      if (missing > 0) {
        missing -= chunk.length;
        if (missing === 0) over();
        return;
      }
      head += chunk.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return;
      const length = /\r\ncontent-length: *(\d+)/i.exec(head.slice(0, end))?.[1];
      if (!head.startsWith(`HTTP/1.1 ${status} `) || length === undefined) {
        reject(new Error(`an answer of status ${status} with a length was expected, not: ${head.slice(0, 600)}`));
        return;
      }
      missing = end + 4 + Number(length) - head.length;
      head = '';
      if (missing === 0) over();
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the server closed a connection')));
    send();
  });
}
