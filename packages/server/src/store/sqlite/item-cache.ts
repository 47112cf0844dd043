import { chainHeads } from '../chain.ts';
import { type GroupMember, isAppendedKey, isExpired } from '../committing/apply-group.ts';
import {
  type Add,
  type Change,
  type Due,
  type Item,
  isIndexPartition,
  type Key,
  ownerOf,
  type Put,
  type Remove,
  type ScopeName,
  type Tally,
  Unavailable,
} from '../port.ts';

/** A member of a ring; at first it is a ring alone. */
class RingMember {
  next: this = this;
  previous: this = this;
}

/**
 * Members in the order in which they came, with a hand that goes round. It holds no iterator: V8 keeps each table that a
 * Map leaves behind, with all its entries, for as long as an iterator that has not moved since points to it.
 */
class Ring<Member extends RingMember> {
  #hand: Member | undefined;

  get isEmpty(): boolean {
    return this.#hand === undefined;
  }

  /** The hand comes to it last. */
  add(member: Member): void {
    const hand = this.#hand;
    if (hand === undefined) {
      this.#hand = member;
      return;
    }
    member.previous = hand.previous;
    member.next = hand;
    hand.previous.next = member;
    hand.previous = member;
  }

  remove(member: Member): void {
    if (this.#hand === member) this.#hand = member.next === member ? undefined : member.next;
    member.previous.next = member.next;
    member.next.previous = member.previous;
    member.next = member;
    member.previous = member;
  }

  /** Moves the hand on by one. Returns the member that it passes. */
  turn(): Member | undefined {
    const passed = this.#hand;
    this.#hand = passed?.next;
    return passed;
  }
}

/** An entry that weighs more is read from the file each time: there, copying the text takes most of the time. */
const weightMax = 64 * 1024;
/** What an entry takes beside its texts, and a share beside its entries. Estimates, in bytes. */
const entryBytes = 184;
const shareBytes = 512;
/** So many owners are looked at for one to take room from. */
const ownersLookedAt = 32;

type CachedItems = readonly (Item | undefined)[];

/**
 * Items that were read by key, for a store that this process alone writes to. Bounded by weight; where it is full, an
 * owner makes room with entries of its own, or with those of an owner that has more than an average share.
 *
 * INVARIANT: what is kept under a key is what a read of the store would give. A group of commits may take effect at any
 * moment between its start and its answer, so its keys are dropped before it starts and not kept again before its
 * answer. Reads are synchronous: none begins before an answer and ends after it. For the same reason an entry and an
 * item that is read beside it are of one snapshot.
 */
export class ItemCache {
  readonly #bytesMax: number;
  /** By owner. */
  readonly #shares = new Map<string, CacheShare>();
  /** Of how many groups without an answer each key is. */
  readonly #inFlight = new Map<string, number>();
  #bytes = 0;
  #owners = new Ring<CacheShare>();
  #largest: CacheShare | undefined;
  #isOff = false;

  /** @param bytesMax what it may take in memory, as far as that can be estimated. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** @param read reads from the store what is not kept. */
  get(
    scope: ScopeName,
    keys: readonly Key[],
    read: { readonly now: number; from(keys: readonly Key[]): CachedItems },
  ): CachedItems {
    const share = this.#shares.get(ownerOf(scope));
    const { now } = read;
    const kept = keys.map((key) => {
      const stored = share?.get(nameOf(scope, key));
      return stored && itemOf(stored, key, now);
    });
    if (!kept.includes(undefined)) return kept;
    const missing = keys.filter((_, index) => kept[index] === undefined);
    const items = read.from(missing);
    for (const item of items) if (item !== undefined) this.#keep(scope, item);
    if (items.length === keys.length) return items;
    const rest = items.values();
    return kept.map((item) => item ?? rest.next().value);
  }

  /** Runs a group of commits. */
  async run<T>(members: readonly GroupMember[], runGroup: () => Promise<T>): Promise<T> {
    const written = members.flatMap(writtenNames);
    for (const { owner, name } of written) {
      this.#drop(owner, name);
      this.#inFlight.set(name, (this.#inFlight.get(name) ?? 0) + 1);
    }
    try {
      return await runGroup();
    } catch (error) {
      // Anything else leaves open whether the group takes effect, and when.
      if (!(error instanceof Unavailable)) this.#switchOff();
      throw error;
    } finally {
      for (const { name } of written) this.#land(name);
    }
  }

  #land(name: string): void {
    const groups = this.#inFlight.get(name) ?? 0;
    if (groups > 1) this.#inFlight.set(name, groups - 1);
    else this.#inFlight.delete(name);
  }

  #switchOff(): void {
    this.#isOff = true;
    this.#shares.clear();
    this.#owners = new Ring();
    this.#largest = undefined;
    this.#bytes = 0;
  }

  #keep(scope: ScopeName, item: Item): void {
    if (this.#isOff || isNeverKept(item)) return;
    // Copied: a text that was put together keeps its parts in memory, such as the URL that an id was read from.
    const name = Buffer.from(nameOf(scope, item)).toString();
    const { version, value, due } = item;
    const weight = entryBytes + textBytes(name) + textBytes(value);
    if (weight > weightMax || this.#inFlight.has(name)) return;
    const owner = ownerOf(scope);
    this.#drop(owner, name);
    if (!this.#makeRoom(owner, weight + shareBytes)) return;
    const share = this.#shares.get(owner) ?? this.#addShare(owner);
    share.set(name, { version, value, due }, weight);
    this.#bytes += weight;
  }

  #addShare(owner: string): CacheShare {
    const share = new CacheShare(owner, shareBytes);
    this.#shares.set(owner, share);
    this.#owners.add(share);
    this.#bytes += shareBytes;
    return share;
  }

  #drop(owner: string, name: string): void {
    const share = this.#shares.get(owner);
    if (share !== undefined) this.#account(share, share.delete(name));
  }

  /** False where no owner was found to take room from: nothing is kept then. */
  #makeRoom(owner: string, bytes: number): boolean {
    while (this.#bytes + bytes > this.#bytesMax) {
      const own = this.#shares.get(owner);
      const share = this.#isLarge(own) ? own : this.#findLarge();
      if (share === undefined) return false;
      this.#account(share, share.evict());
    }
    return true;
  }

  /** Whether it has at least what all have on average, so one of them has. */
  #isLarge(share: CacheShare | undefined): share is CacheShare {
    return share !== undefined && share.bytes * this.#shares.size >= this.#bytes;
  }

  /** The one found last, as long as it is large, so that many small owners do not hide it. */
  #findLarge(): CacheShare | undefined {
    for (let looked = 0; looked < ownersLookedAt && !this.#isLarge(this.#largest); looked++) {
      this.#largest = this.#owners.turn();
    }
    return this.#isLarge(this.#largest) ? this.#largest : undefined;
  }

  #account(share: CacheShare, freed: number): void {
    this.#bytes -= freed;
    if (freed === 0 || !share.isEmpty) return;
    this.#shares.delete(share.owner);
    this.#owners.remove(share);
    if (this.#largest === share) this.#largest = undefined;
    this.#bytes -= shareBytes;
  }
}

function itemOf(stored: StoredValue, { pk, sk }: Key, now: number): Item | undefined {
  if (isExpired(stored.due, now)) return undefined;
  const { version, value, due } = stored;
  return due === undefined ? { pk, sk, version, value } : { pk, sk, version, value, due };
}

/** V8 stores a text with one byte for each character where all are of Latin-1, else with two. An upper bound. */
function textBytes(text: string): number {
  return Buffer.byteLength(text) === text.length ? text.length : 2 * text.length;
}

/** U+0000 is in no name and in no stored key: no other key has the same text. */
function nameOf(scope: ScopeName, { pk, sk }: Key): string {
  return `${scope}\0${pk}\0${sk}`;
}

/** Items whose key no commit names: the store makes it. And index items, which have no value. */
function isNeverKept({ pk, sk }: Key): boolean {
  return isIndexPartition(pk) || pk === chainHeads || isAppendedKey(sk);
}

interface WrittenName {
  readonly owner: string;
  readonly name: string;
}

/** The keys that a member of a group may write, as far as they are kept. */
function writtenNames(member: GroupMember): readonly WrittenName[] {
  const { scope } = member;
  const owner = ownerOf(scope);
  const named = (key: Key): readonly WrittenName[] => (isNeverKept(key) ? [] : [{ owner, name: nameOf(scope, key) }]);
  switch (member.kind) {
    case 'set-state':
      return [];
    case 'load':
      return member.items.flatMap(named);
    case 'commit':
      return member.changes.flatMap((change) => (writesKey(change) ? named(change) : []));
  }
}

function writesKey(change: Change): change is Put | Remove | Add | Tally {
  const { kind } = change;
  return kind === 'put' || kind === 'remove' || kind === 'add' || kind === 'tally';
}

/** So many entries that were used since the last look are spared in a row; a look at all would take too long. */
const sparedInARow = 16;

/** An item as it is stored, without its key. */
interface StoredValue {
  readonly version: number;
  readonly value: string;
  readonly due: Due | undefined;
}

/** One object for each entry, since a cache has many. */
class CacheEntry extends RingMember implements StoredValue {
  readonly name: string;
  readonly version: number;
  readonly value: string;
  readonly due: Due | undefined;
  readonly bytes: number;
  isUsed = false;

  constructor(name: string, { version, value, due }: StoredValue, bytes: number) {
    super();
    this.name = name;
    this.version = version;
    this.value = value;
    this.due = due;
    this.bytes = bytes;
  }
}

/**
 * What a cache keeps for one owner. It gives up entries in the order of a clock: the hand goes round and takes the next
 * one that was not used since it last came by. Unlike with a list by last use, a use writes no more than a flag.
 */
class CacheShare extends RingMember {
  readonly owner: string;
  readonly #entries = new Map<string, CacheEntry>();
  readonly #ring = new Ring<CacheEntry>();
  /** Of the share and of all entries. */
  #bytes: number;

  constructor(owner: string, bytes: number) {
    super();
    this.owner = owner;
    this.#bytes = bytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isEmpty(): boolean {
    return this.#ring.isEmpty;
  }

  /** Counts as a use. */
  get(name: string): StoredValue | undefined {
    const entry = this.#entries.get(name);
    if (entry !== undefined) entry.isUsed = true;
    return entry;
  }

  /** There is none of this name. */
  set(name: string, value: StoredValue, bytes: number): void {
    const entry = new CacheEntry(name, value, bytes);
    this.#entries.set(name, entry);
    this.#ring.add(entry);
    this.#bytes += bytes;
  }

  /** Returns the bytes that are free then. */
  delete(name: string): number {
    const entry = this.#entries.get(name);
    if (entry === undefined) return 0;
    this.#entries.delete(name);
    this.#ring.remove(entry);
    this.#bytes -= entry.bytes;
    return entry.bytes;
  }

  /** Gives up one entry. Returns the bytes that are free then, 0 where there is no entry. */
  evict(): number {
    for (let spared = 0; ; spared++) {
      const entry = this.#ring.turn();
      if (entry === undefined) return 0;
      if (!entry.isUsed || spared >= sparedInARow) return this.delete(entry.name);
      entry.isUsed = false;
    }
  }
}
