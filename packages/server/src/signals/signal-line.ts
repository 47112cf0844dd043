import type { SignalChannel, SignalEars } from '../store/port.ts';
import {
  dropAll,
  dropContent,
  dropSignal,
  readMessage,
  type Signal,
  type SignalledCaches,
  type SignalMessage,
  SignalSet,
  writeMessage,
} from './signal-set.ts';

interface SignalLineDeps {
  /** The id of this node. */
  readonly node: string;
  readonly caches: SignalledCaches;
  /** Milliseconds of a clock that is never set back. */
  readonly now: () => number;
  readonly open: (ears: SignalEars) => Promise<SignalChannel>;
  /** Called once for each time that the line is lost. */
  readonly onError: (error: unknown) => void;
}

interface Peer {
  readonly number: number;
  readonly heardAt: number;
  /** Whether what was kept before its silence has been dropped. */
  readonly isSilent: boolean;
}

const sendEveryMilliseconds = 20;
const beatMilliseconds = 1000;
const lookMilliseconds = 250;
const silentMilliseconds = 3000;
const forgottenMilliseconds = 600_000;
const peersMax = 1000;

/**
 * Tells other nodes at once which of the things that they keep in memory a commit has changed, and drops what they tell.
 * Wherever something may have been missed, all that was kept before is dropped: a message out of its number, a node that
 * went silent, a channel that was opened again. A message bears no state, so a lost, repeated or forged message is no
 * danger: what is kept is read again, and grows old as without any.
 */
export class SignalLine {
  readonly #deps: SignalLineDeps;
  readonly #waiting = new SignalSet();
  readonly #peers = new Map<string, Peer>();
  readonly #timers: NodeJS.Timeout[] = [];
  #channel: SignalChannel | undefined;
  #opening: Promise<void> | undefined;
  #sending: Promise<void> | undefined;
  #flush: NodeJS.Timeout | undefined;
  #number = 0;
  #sentAt = Number.NEGATIVE_INFINITY;
  #openedAt = Number.NEGATIVE_INFINITY;
  #heardOwnAt = Number.NEGATIVE_INFINITY;
  #hasFailed = false;
  #isClosed = false;

  constructor(deps: SignalLineDeps) {
    this.#deps = deps;
  }

  /** Whether this node hears what it sends, and so what others send. */
  get isHeard(): boolean {
    return this.#channel !== undefined && this.#deps.now() - this.#heardOwnAt < silentMilliseconds;
  }

  /** Ends when the channel is open, or was tried once: it is tried again with each beat. */
  async begin(): Promise<void> {
    const every = (milliseconds: number, work: () => void) =>
      this.#timers.push(setInterval(work, milliseconds).unref());
    every(beatMilliseconds, () => this.#beat());
    every(lookMilliseconds, () => this.#look());
    await this.#open();
  }

  /** A commit may have changed this: here it is dropped when the call returns. */
  raise(signal: Signal): void {
    dropSignal(this.#deps.caches, signal);
    if (this.#isClosed) return;
    this.#waiting.add(signal);
    this.#sendSoon();
  }

  /** Others need not wait for a node that has said that it ends. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearInterval(timer);
    clearTimeout(this.#flush);
    await this.#opening;
    await this.#sending;
    await this.#send(true);
    await this.#channel?.close();
    this.#channel = undefined;
  }

  #beat(): void {
    const { now } = this.#deps;
    const channel = this.#channel;
    if (channel === undefined) return void this.#open();
    const heardAt = Math.max(this.#openedAt, this.#heardOwnAt);
    if (now() - heardAt >= silentMilliseconds) this.#lose(channel, new Error('signals of this node do not come back'));
    else void this.#send();
  }

  #look(): void {
    const { now, caches } = this.#deps;
    for (const [id, peer] of this.#peers) {
      const age = now() - peer.heardAt;
      if (age >= forgottenMilliseconds) this.#peers.delete(id);
      if (age < silentMilliseconds || peer.isSilent) continue;
      this.#peers.set(id, { ...peer, isSilent: true });
      dropAll(caches);
    }
  }

  #open(): Promise<void> {
    this.#opening ??= this.#reopen().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #reopen(): Promise<void> {
    const { open, caches, now } = this.#deps;
    let opened: SignalChannel | undefined;
    let isLost = false;
    const lost = () => {
      isLost = true;
      if (opened !== undefined) this.#lose(opened, new Error('the connection for signals was lost'));
    };
    try {
      opened = await open({ heard: (text) => this.#hear(text), lost });
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#channel = opened;
    this.#openedAt = now();
    // Earlier messages were not heard.
    this.#peers.clear();
    dropAll(caches);
    if (isLost) lost();
    else void this.#send();
  }

  #sendSoon(): void {
    if (this.#flush !== undefined || this.#sending !== undefined || this.#channel === undefined) return;
    const wait = Math.max(0, this.#sentAt + sendEveryMilliseconds - this.#deps.now());
    this.#flush = setTimeout(() => void this.#send(), wait);
    this.#flush.unref();
  }

  /** One at a time, so that they are taken in the order of their numbers. A beat is left out while another is under way. */
  async #send(isLast = false): Promise<void> {
    clearTimeout(this.#flush);
    this.#flush = undefined;
    const channel = this.#channel;
    if (channel === undefined || this.#sending !== undefined) return;
    this.#number += 1;
    this.#sentAt = this.#deps.now();
    const content = this.#waiting.take();
    const text = writeMessage({ from: this.#deps.node, number: this.#number, isLast, ...content });
    this.#sending = channel.send(text).catch((error: unknown) => {
      // Twice is a read more, and never is a right that goes on.
      this.#waiting.putBack(content);
      this.#lose(channel, error);
    });
    await this.#sending;
    this.#sending = undefined;
    if (!this.#waiting.isEmpty && !this.#isClosed) this.#sendSoon();
  }

  #hear(text: string): void {
    const { node, caches, now } = this.#deps;
    const message = readMessage(text);
    if (message === undefined) {
      dropAll(caches);
      return;
    }
    if (message.from === node) {
      this.#heardOwnAt = now();
      this.#hasFailed = false;
      return;
    }
    const isNext = message.number === (this.#peers.get(message.from)?.number ?? 0) + 1;
    if (isNext) dropContent(caches, message);
    else dropAll(caches);
    this.#note(message);
  }

  #note({ from, number, isLast }: SignalMessage): void {
    this.#peers.delete(from);
    if (isLast) return;
    this.#peers.set(from, { number, heardAt: this.#deps.now(), isSilent: false });
    const [oldest] = this.#peers.keys();
    if (this.#peers.size > peersMax && oldest !== undefined) this.#peers.delete(oldest);
  }

  #lose(channel: SignalChannel, error: unknown): void {
    if (this.#channel !== channel) return;
    this.#channel = undefined;
    void channel.close().catch(() => undefined);
    if (!this.#isClosed) this.#fail(error);
  }

  #fail(error: unknown): void {
    if (!this.#hasFailed) this.#deps.onError(error);
    this.#hasFailed = true;
  }
}
