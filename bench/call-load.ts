/**
 * A load generator, in a process of its own. It sends at a steady rate, whatever is still unanswered (an open loop), or
 * keeps a number of connections busy without a pause (a closed loop), or sends no calls and only burns CPU. A parent
 * sends a `LoadJob` by IPC and is answered with a `LoadDone`.
 */
import { connect, type Socket } from 'node:net';

export interface Call {
  readonly kind: string;
  /** The bytes of the request. */
  readonly request: string;
}

export interface LoadJob {
  readonly port: number;
  readonly milliseconds: number;
  /** Sent in this order, again and again. */
  readonly calls: readonly Call[];
  readonly pace:
    | { readonly perSecond: number }
    | { readonly connections: number }
    /** The part of a core that is burnt. */
    | { readonly burns: number };
}

export interface LoadDone {
  /** Milliseconds from the first byte sent to the last one received, by kind. Of answers of status 2xx alone. */
  readonly took: Readonly<Record<string, readonly number[]>>;
  /** The number of answers of each status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** CPU time of this process as a part of the run. */
  readonly cpuShare: number;
  readonly failure?: string;
}

/** An open loop asks no more of a server than this at once. */
const connectionsMax = 400;

process.on('message', (job: LoadJob) => {
  run(job).then(
    (done) => process.send?.(done),
    (error: unknown) => process.send?.({ took: {}, statuses: {}, cpuShare: 0, failure: String(error) }),
  );
});

async function run(job: LoadJob): Promise<LoadDone> {
  const took: Record<string, number[]> = {};
  const statuses: Record<string, number> = {};
  const before = process.cpuUsage();
  const startedAt = performance.now();
  const calls = job.calls.map(({ kind, request }) => ({ kind, bytes: Buffer.from(request, 'utf8') }));
  let next = 0;
  const line = new Line(job.port, (kind, milliseconds, status) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (!status.startsWith('2')) return;
    took[kind] ??= [];
    took[kind].push(milliseconds);
  });
  const nextCall = () => calls[next++ % calls.length] as SentCall;
  const isOver = () => performance.now() - startedAt >= job.milliseconds;
  if ('perSecond' in job.pace) await openLoop(job.pace.perSecond, { line, nextCall, isOver });
  else if ('connections' in job.pace) await closedLoop(job.pace.connections, { line, nextCall, isOver });
  else await burn(job.pace.burns, isOver);
  await line.end();
  const { user, system } = process.cpuUsage(before);
  return { took, statuses, cpuShare: (user + system) / 1000 / (performance.now() - startedAt) };
}

interface SentCall {
  readonly kind: string;
  readonly bytes: Buffer;
}

interface Loop {
  readonly line: Line;
  readonly nextCall: () => SentCall;
  readonly isOver: () => boolean;
}

/** Each call comes at a random moment of its slot, so that nothing of the server's falls into step with it. */
async function openLoop(perSecond: number, { line, nextCall, isOver }: Loop): Promise<void> {
  const slot = 1000 / perSecond;
  const startedAt = performance.now();
  let index = 0;
  let due = Math.random() * slot;
  while (!isOver()) {
    const now = performance.now() - startedAt;
    while (due <= now) {
      line.send(nextCall());
      index += 1;
      due = (index + Math.random()) * slot;
    }
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, Math.floor(due - now))));
  }
}

async function closedLoop(connections: number, { line, nextCall, isOver }: Loop): Promise<void> {
  const run = async () => {
    while (!isOver()) await new Promise<void>((resolve) => line.send(nextCall(), resolve));
  };
  await Promise.all(Array.from({ length: connections }, run));
}

async function burn(share: number, isOver: () => boolean): Promise<void> {
  const slice = 4;
  while (!isOver()) {
    const startedAt = performance.now();
    while (performance.now() - startedAt < slice * share);
    await new Promise((resolve) => setTimeout(resolve, slice * (1 - share)));
  }
}

type OnAnswer = (kind: string, milliseconds: number, status: string) => void;

/** Connections that are kept alive, one call at a time on each; a new one is opened where all are busy. */
class Line {
  readonly #port: number;
  readonly #onAnswer: OnAnswer;
  readonly #idle: Connection[] = [];
  readonly #all = new Set<Connection>();
  #underWay = 0;
  #whenIdle: (() => void) | undefined;

  constructor(port: number, onAnswer: OnAnswer) {
    this.#port = port;
    this.#onAnswer = onAnswer;
  }

  /** A call for which there is no connection is given up, and counted as `none`. */
  send({ kind, bytes }: SentCall, whenOver?: () => void): void {
    const connection = this.#idle.pop() ?? this.#open();
    if (connection === undefined) {
      this.#onAnswer(kind, 0, 'none');
      whenOver?.();
      return;
    }
    this.#underWay += 1;
    const startedAt = performance.now();
    connection.ask(bytes, (status) => {
      this.#underWay -= 1;
      this.#onAnswer(kind, performance.now() - startedAt, status);
      if (connection.isOpen) this.#idle.push(connection);
      else this.#all.delete(connection);
      whenOver?.();
      if (this.#underWay === 0) this.#whenIdle?.();
    });
  }

  /** Waits for the answers that are under way, for ten seconds at most. */
  async end(): Promise<void> {
    if (this.#underWay > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#whenIdle = resolve;
      const timer = setTimeout(resolve, 10_000);
      await promise;
      clearTimeout(timer);
    }
    for (const connection of this.#all) connection.end();
  }

  #open(): Connection | undefined {
    if (this.#all.size >= connectionsMax) return undefined;
    const connection = new Connection(connect({ port: this.#port, host: '127.0.0.1', noDelay: true }));
    this.#all.add(connection);
    return connection;
  }
}

const lastChunk = Buffer.from('0\r\n\r\n');

/** Reads no more of an answer than where it ends. */
class Connection {
  readonly #socket: Socket;
  #onEnd: ((status: string) => void) | undefined;
  #head = '';
  #status = '';
  /** Bytes that are still to come; undefined while the head is, and where the body has no length. */
  #missing: number | undefined;
  #isChunked = false;
  isOpen = true;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.once('error', () => this.#close());
    socket.once('close', () => this.#close());
  }

  ask(bytes: Buffer, onEnd: (status: string) => void): void {
    this.#onEnd = onEnd;
    this.#socket.write(bytes);
  }

  end(): void {
    this.isOpen = false;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    if (this.#isChunked) {
      if (chunk.subarray(-lastChunk.length).equals(lastChunk)) this.#over();
      return;
    }
    if (this.#missing !== undefined) {
      this.#missing -= chunk.length;
      if (this.#missing <= 0) this.#over();
      return;
    }
    this.#head += chunk.toString('latin1');
    const end = this.#head.indexOf('\r\n\r\n');
    if (end === -1) return;
    const head = this.#head.slice(0, end);
    this.#status = head.slice(9, 12);
    if (/\r\nconnection: close/i.test(head)) this.isOpen = false;
    this.#isChunked = /\r\ntransfer-encoding: chunked/i.test(head);
    this.#missing = end + 4 + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0) - this.#head.length;
    const isWhole = this.#isChunked ? this.#head.endsWith('\r\n0\r\n\r\n') : this.#missing <= 0;
    if (isWhole) this.#over();
  }

  #over(): void {
    this.#head = '';
    this.#missing = undefined;
    this.#isChunked = false;
    const onEnd = this.#onEnd;
    this.#onEnd = undefined;
    if (!this.isOpen) this.#socket.destroy();
    onEnd?.(this.#status);
  }

  #close(): void {
    this.isOpen = false;
    const onEnd = this.#onEnd;
    this.#onEnd = undefined;
    onEnd?.('lost');
  }
}
