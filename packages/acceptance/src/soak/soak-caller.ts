/** How all clients of a soak call: at a bounded rate, through restarts, and each answer is judged. */
import { setTimeout as after } from 'node:timers/promises';
import type { Reply } from '../call.ts';
import { Findings } from './findings.ts';
import type { SoakedPlatform } from './soaked-platform.ts';

/** What a call must be answered. */
export interface Expected {
  readonly statuses: readonly number[];
  /** What is also right if the call was sent before with an unknown outcome. */
  readonly whenRepeated?: readonly number[];
}

/** Something was found and noted; the client goes on with something else. */
class EarlyEnd extends Error {}

/** For what goes on with something else where something was found. */
export function ignoreFound(error: unknown): void {
  if (!(error instanceof EarlyEnd)) throw error;
}

export class SoakCaller {
  readonly findings = new Findings();
  readonly platform: SoakedPlatform;
  /** Answers by status; `none` were broken off by a restart. */
  readonly answers = new Map<number | 'none', number>();
  readonly #betweenMilliseconds: number;
  #nextTurn = 0;
  #isOver = false;

  constructor(platform: SoakedPlatform, callsPerSecond: number) {
    this.platform = platform;
    this.#betweenMilliseconds = 1000 / callsPerSecond;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Lets clients finish what they are at. */
  end(): void {
    this.#isOver = true;
  }

  /** Sends until there is an answer: again after a restart has cut the call off. @throws Found */
  async ask<Body>(what: string, expected: Expected | number, send: () => Promise<Reply<Body>>): Promise<Reply<Body>> {
    const { statuses, whenRepeated = [] } = typeof expected === 'number' ? { statuses: [expected] } : expected;
    let isRepeated = false;
    for (;;) {
      await this.platform.up();
      await this.#turn();
      const startedAt = performance.now();
      const reply = await send().catch((error: unknown) => this.#unanswered(error, { what, startedAt }));
      this.#count(reply?.status ?? 'none');
      if (reply === undefined || (reply.status === 503 && this.platform.mayBreak(startedAt))) {
        isRepeated = true;
        continue;
      }
      if (statuses.includes(reply.status) || (isRepeated && whenRepeated.includes(reply.status))) return reply;
      const kind = reply.status >= 500 ? 'server error' : reply.status === 401 ? 'refused token' : 'wrong answer';
      throw this.found(kind, `${what}: ${reply.status} ${reply.text}`);
    }
  }

  found(kind: Parameters<Findings['note']>[0], what: string): EarlyEnd {
    this.findings.note(kind, what);
    return new EarlyEnd(what);
  }

  /** What `fetch` throws where a connection cannot be made or breaks off. */
  #unanswered(error: unknown, { what, startedAt }: { readonly what: string; readonly startedAt: number }): undefined {
    if (!(error instanceof TypeError)) throw error;
    if (!this.platform.mayBreak(startedAt))
      throw this.found('broken connection', `${what}: ${error.message} ${String(error.cause)}`);
    return undefined;
  }

  async #turn(): Promise<void> {
    const now = performance.now();
    const at = Math.max(now, this.#nextTurn);
    this.#nextTurn = at + this.#betweenMilliseconds;
    await after(at - now);
  }

  #count(status: number | 'none'): void {
    this.answers.set(status, (this.answers.get(status) ?? 0) + 1);
  }
}

/** Takes turns until the soak is over; what was found in one is noted, and the next one begins. */
export async function untilOver(caller: SoakCaller, turn: () => Promise<void>): Promise<void> {
  while (!caller.isOver)
    try {
      await turn();
    } catch (error) {
      ignoreFound(error);
      await after(50);
    }
}
