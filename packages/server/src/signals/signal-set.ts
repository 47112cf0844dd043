import { isObject } from '../lib/unknown-names.ts';
import { ownerOf } from '../store/port.ts';

/** The kinds of cached facts that a commit may change, each with its names. */
const signalKinds = ['tokens', 'sessions', 'rights', 'config', 'plan', 'keys'] as const;

export type SignalKind = (typeof signalKinds)[number];

/** Ids alone, never what was written. The owner of a name is the text before its first hyphen. */
export type Signal = NamedSignal | { readonly owner: string };

interface NamedSignal {
  readonly kind: SignalKind;
  readonly name: string;
}

/** A cache that keeps something by such names. */
export interface SignalledCache {
  bump(name: string): void;
  /** Drops all that is kept under names of an owner. */
  bumpOwner(owner: string): void;
  bumpAll(): void;
}

/** Each kind has what it drops, so that no kind is sent in vain. */
export type SignalledCaches = Readonly<Record<SignalKind, readonly SignalledCache[]>>;

/** The changes that one message names. */
interface SignalContent {
  readonly names: Partial<Readonly<Record<SignalKind, readonly string[]>>>;
  /** All of these. */
  readonly owners: readonly string[];
  readonly isAll: boolean;
}

const namesMax = 500;
/** For the rest of a message. */
/** A channel takes a little more. */
export const signalBytesMax = 7000;
const contentBytesMax = signalBytesMax - 200;

/** Signals that wait to be sent, in bounded memory: too many names become those of their owners, and these become all. */
export class SignalSet {
  readonly #names = new Map<SignalKind, Set<string>>();
  readonly #owners = new Set<string>();
  #count = 0;
  #isAll = false;

  get isEmpty(): boolean {
    return this.#count === 0 && this.#owners.size === 0 && !this.#isAll;
  }

  add(signal: Signal): void {
    if (this.#isAll) return;
    if ('owner' in signal) this.#addOwner(signal.owner);
    else if (!this.#owners.has(ownerOf(signal.name))) this.#addName(signal);
  }

  #addOwner(owner: string): void {
    this.#owners.add(owner);
    if (this.#owners.size > namesMax) this.#addAll();
  }

  #addName({ kind, name }: NamedSignal): void {
    const names = this.#names.get(kind) ?? new Set();
    this.#names.set(kind, names);
    if (!names.has(name)) this.#count += 1;
    names.add(name);
    if (this.#count > namesMax) this.#widen();
  }

  /** Puts back the content of a message that may not have been sent. */
  putBack({ names, owners, isAll }: SignalContent): void {
    if (isAll) this.#addAll();
    for (const owner of owners) this.add({ owner });
    for (const kind of signalKinds) for (const name of names[kind] ?? []) this.add({ kind, name });
  }

  /** Empties the set into a content that fits into a message. */
  take(): SignalContent {
    const content = this.#content();
    this.#clear();
    this.#isAll = false;
    return content;
  }

  #content(): SignalContent {
    for (;;) {
      const names = Object.fromEntries([...this.#names].map(([kind, ids]) => [kind, [...ids]]));
      const content = { names, owners: [...this.#owners], isAll: this.#isAll };
      if (Buffer.byteLength(JSON.stringify(content)) <= contentBytesMax) return content;
      this.#widen();
    }
  }

  #widen(): void {
    if (this.#count === 0) {
      this.#addAll();
      return;
    }
    for (const names of this.#names.values()) for (const name of names) this.#owners.add(ownerOf(name));
    this.#names.clear();
    this.#count = 0;
    if (this.#owners.size > namesMax) this.#addAll();
  }

  #addAll(): void {
    this.#clear();
    this.#isAll = true;
  }

  #clear(): void {
    this.#names.clear();
    this.#owners.clear();
    this.#count = 0;
  }
}

export function dropContent(caches: SignalledCaches, { names, owners, isAll }: SignalContent): void {
  if (isAll) dropAll(caches);
  for (const owner of owners) dropSignal(caches, { owner });
  for (const kind of signalKinds) for (const name of names[kind] ?? []) dropSignal(caches, { kind, name });
}

export function dropSignal(caches: SignalledCaches, signal: Signal): void {
  if ('owner' in signal) for (const cache of eachOf(caches)) cache.bumpOwner(signal.owner);
  else for (const cache of caches[signal.kind]) cache.bump(signal.name);
}

export function dropAll(caches: SignalledCaches): void {
  for (const cache of eachOf(caches)) cache.bumpAll();
}

function eachOf(caches: SignalledCaches): ReadonlySet<SignalledCache> {
  return new Set(Object.values(caches).flat());
}

/** A beat is a message without content. */
export interface SignalMessage extends SignalContent {
  /** The node that sends it. */
  readonly from: string;
  /** Counts the messages of the node, from 1. */
  readonly number: number;
  /** Whether the node ends in order. */
  readonly isLast: boolean;
}

export function writeMessage({ from, number, isLast, names, owners, isAll }: SignalMessage): string {
  return JSON.stringify({
    ...{ from, number },
    ...(isLast ? { isLast } : {}),
    ...(Object.keys(names).length === 0 ? {} : { names }),
    ...(owners.length === 0 ? {} : { owners }),
    ...(isAll ? { isAll } : {}),
  });
}

/** Undefined where the text says more than this release understands, or is no message. */
export function readMessage(text: string): SignalMessage | undefined {
  const { from, number, isLast = false, names = {}, owners = [], isAll = false, ...rest } = parsed(text);
  const isOrdinary = typeof from === 'string' && from !== '' && from.length <= 64 && Number.isSafeInteger(number);
  const isKnown = isObject(names) && Object.entries(names).every(([kind, ids]) => isKind(kind) && areTexts(ids));
  if (!isOrdinary || !isKnown || !areTexts(owners) || Object.keys(rest).length > 0) return undefined;
  if (typeof isLast !== 'boolean' || typeof isAll !== 'boolean') return undefined;
  return { from, number: Number(number), isLast, names, owners, isAll };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isKind(text: string): boolean {
  return signalKinds.some((kind) => kind === text);
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
