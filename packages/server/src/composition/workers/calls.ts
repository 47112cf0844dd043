/**
 * Calls of a worker that the main thread answers while the worker waits: what is counted once for all workers, such as
 * failed sign-ins, keeps the interface that it has in one thread. The main thread never waits for a worker.
 */
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { ProblemCode } from '@freehold/contract/problem';
import { Problem, type ProblemDetails } from '../../lib/problem.ts';
import { Unavailable } from '../../store/port.ts';

/** The worker's end; the port has to be transferred. */
export interface CallLine {
  readonly port: MessagePort;
  /** Moves when there is an answer. */
  readonly answered: SharedArrayBuffer;
}

type Service = Readonly<Record<string, (...args: never[]) => unknown>>;
export type Services = Readonly<Record<string, Service>>;

interface Call {
  readonly id: number;
  readonly service: string;
  readonly method: string;
  readonly args: readonly unknown[];
}

type Outcome = { readonly value: unknown } | { readonly problem: SentProblem } | { readonly error: string };

/** A problem as it passes between threads, which keep no classes. */
interface SentProblem {
  readonly code: ProblemCode;
  readonly message: string;
  readonly details: ProblemDetails;
}

interface Answered {
  readonly id: number;
  readonly outcome: Outcome;
}

/** Answers the calls of one worker. */
export function answerCalls(services: Services): CallLine {
  const { port1, port2 } = new MessageChannel();
  const answered = new SharedArrayBuffer(4);
  const moved = new Int32Array(answered);
  port1.on('message', ({ id, service, method, args }: Call) => {
    port1.postMessage({ id, outcome: outcomeOf(() => callOf(services, service, method)(...args)) });
    Atomics.add(moved, 0, 1);
    Atomics.notify(moved, 0);
  });
  // A worker that has ended keeps nothing alive.
  port1.unref();
  return { port: port2, answered };
}

/**
 * So long may the main thread be busy, 10 s together; it never is in practice. In parts, because a process that was
 * stopped for longer, as a debugger or a snapshot of the machine does, finds all of one part gone.
 */
const waits = { most: 100, milliseconds: 100 };

export class Calls {
  readonly #port: MessagePort;
  readonly #moved: Int32Array<SharedArrayBuffer>;
  #last = 0;

  constructor({ port, answered }: CallLine) {
    this.#port = port;
    this.#moved = new Int32Array(answered);
  }

  /** @throws Problem where the main thread does; `Unavailable` where it does not answer. */
  call(service: string, method: string, ...args: readonly unknown[]): unknown {
    this.#last += 1;
    const id = this.#last;
    this.#port.postMessage({ id, service, method, args } satisfies Call);
    for (let waited = 0; ; ) {
      const before = Atomics.load(this.#moved, 0);
      const received = receiveMessageOnPort(this.#port) as { readonly message: Answered } | undefined;
      if (received?.message.id === id) return resultOf(received.message.outcome);
      if (received !== undefined) continue;
      if (waited >= waits.most) throw new Unavailable('the main thread does not answer');
      if (Atomics.wait(this.#moved, 0, before, waits.milliseconds) === 'timed-out') waited += 1;
    }
  }
}

function callOf(services: Services, service: string, method: string): (...args: readonly unknown[]) => unknown {
  const found = services[service]?.[method];
  if (found === undefined) throw new TypeError(`there is no call ${service}.${method}`);
  return found as (...args: readonly unknown[]) => unknown;
}

function outcomeOf(work: () => unknown): Outcome {
  try {
    return { value: work() };
  } catch (error) {
    if (error instanceof Problem)
      return { problem: { code: error.code, message: error.message, details: error.details } };
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

function resultOf(outcome: Outcome): unknown {
  if ('value' in outcome) return outcome.value;
  if ('error' in outcome) throw new Error(outcome.error);
  const { code, message, details } = outcome.problem;
  throw new Problem(code, message, details);
}
