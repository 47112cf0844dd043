import { Ring } from '../../lib/ring.ts';
import { chainHeads } from '../chain.ts';
import { isAppendedKey, isExpired, type Member } from '../committing/apply-group.ts';
import {
  type Add,
  type Change,
  type Item,
  isIndexPartition,
  type Key,
  ownerOf,
  type Put,
  type Remove,
  type ScopeName,
  Unavailable,
} from '../port.ts';
import { CacheShare, type StoredValue } from './cache-share.ts';

/** An entry that weighs more is read from the file each time: there, copying the text takes most of the time. */
const weightMax = 64 * 1024;
/** What an entry takes beside its texts, and a share beside its entries. Estimates, in bytes. */
const entryBytes = 184;
const shareBytes = 512;
/** So many owners are looked at for one to take room from. */
const ownersLookedAt = 32;

type Items = readonly (Item | undefined)[];

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
    read: { readonly now: number; from(keys: readonly Key[]): Items },
  ): Items {
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
  async run<T>(members: readonly Member[], runGroup: () => Promise<T>): Promise<T> {
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
function writtenNames(member: Member): readonly WrittenName[] {
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

function writesKey(change: Change): change is Put | Remove | Add {
  return change.kind === 'put' || change.kind === 'remove' || change.kind === 'add';
}
