/** Commits of a thread that does not have the writer: both ends of the way to the queue of the thread that has it. */
import type { MessagePort } from 'node:worker_threads';
import { type CommitOptions, OutcomeUnknown, Unavailable } from '../port.ts';
import type { Member, Verdict } from './apply-group.ts';

interface SentCommit {
  readonly id: number;
  readonly member: Member;
  readonly bytes: number;
  readonly options: CommitOptions | undefined;
}

type SentAnswer =
  | { readonly id: number; readonly verdict: Verdict }
  | { readonly id: number; readonly failure: SentFailure };

interface SentFailure {
  readonly kind: 'unavailable' | 'unknown' | 'other';
  readonly message: string;
  readonly cause: string;
}

interface Queue {
  submit(member: Member, bytes: number, options?: CommitOptions): Promise<Verdict>;
}

/**
 * Hands the commits that arrive at a port to a queue, and sends back the answers. A thread that has ended is answered
 * no more; its commits are stored or not, like those of any client that is gone.
 */
export function serveCommits(port: MessagePort, queue: Queue): void {
  const answers = inBatches<SentAnswer>((batch) => port.postMessage(batch), queueMicrotask);
  port.on('message', (commits: readonly SentCommit[]) => {
    for (const { id, member, bytes, options } of commits)
      queue.submit(member, bytes, options).then(
        (verdict) => answers({ id, verdict }),
        (error: unknown) => answers({ id, failure: failureOf(error) }),
      );
  });
}

/** Answers a commit when the other thread has answered it. */
export class RemoteCommitter {
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, PromiseWithResolvers<Verdict>>();
  readonly #send: (commit: SentCommit) => void;
  #last = 0;
  #isClosed = false;
  #whenIdle: (() => void) | undefined;

  constructor(port: MessagePort) {
    this.#port = port;
    // Behind all requests of this round of the event loop, so that their commits are one message.
    this.#send = inBatches((batch) => port.postMessage(batch), setImmediate);
    port.on('message', (answers: readonly SentAnswer[]) => {
      for (const answer of answers) this.#settle(answer);
    });
    port.on('close', () => this.#lose());
  }

  submit(member: Member, bytes: number, options?: CommitOptions): Promise<Verdict> {
    if (this.#isClosed) return Promise.reject(new Unavailable('the store is closed'));
    const answer = Promise.withResolvers<Verdict>();
    this.#last += 1;
    this.#waiting.set(this.#last, answer);
    this.#send({ id: this.#last, member, bytes, options });
    return answer.promise;
  }

  /** Takes no more commits and ends when those that were taken are answered. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#waiting.size > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
    this.#port.close();
  }

  #settle(answer: SentAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ('verdict' in answer) waiting?.resolve(answer.verdict);
    else waiting?.reject(errorOf(answer.failure));
    if (this.#waiting.size === 0) this.#whenIdle?.();
  }

  #lose(): void {
    this.#isClosed = true;
    const lost = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of lost) reject(new OutcomeUnknown('the writer was lost while it stored a commit'));
    this.#whenIdle?.();
  }
}

/** What is added until the turn comes goes together. */
function inBatches<T>(send: (batch: readonly T[]) => void, turn: (flush: () => void) => unknown): (one: T) => void {
  let batch: T[] = [];
  return (one) => {
    batch.push(one);
    if (batch.length > 1) return;
    turn(() => {
      const gathered = batch;
      batch = [];
      send(gathered);
    });
  };
}

/** Errors lose their class on the way between threads. */
function failureOf(error: unknown): SentFailure {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  const kind =
    error instanceof Unavailable ? 'unavailable' : error instanceof OutcomeUnknown ? 'unknown' : ('other' as const);
  return { kind, message, cause: cause instanceof Error ? cause.message : '' };
}

function errorOf({ kind, message, cause }: SentFailure): Error {
  const options = cause === '' ? undefined : { cause: new Error(cause) };
  switch (kind) {
    case 'unavailable':
      return new Unavailable(message, options);
    case 'unknown':
      return new OutcomeUnknown(message, options);
    case 'other':
      return new Error(message, options);
  }
}
