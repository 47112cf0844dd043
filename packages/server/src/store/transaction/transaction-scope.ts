/**
 * Reads and writes of one scope that take effect as if nothing else had happened meanwhile: what was read is checked in
 * the commit of what is written. Of two that meet the first to commit wins, and the other does its work again.
 */
import { compareBytes } from '../../lib/byte-order.ts';
import { validateChanges } from '../committing/validate-changes.ts';
import { newestOf } from '../key-bounds.ts';
import {
  type Change,
  type CheckReads,
  type Committed,
  type Condition,
  Conflict,
  type FollowedEntry,
  type Item,
  type Key,
  limits,
  type Measured,
  type MeasureRead,
  type Range,
  type RangeRead,
  type Scope,
  type Selected,
  type SelectRead,
  TooLarge,
} from '../port.ts';
import { measureByReading, selectByReading } from '../read-where.ts';
import { tryCommit } from '../transact.ts';
import { itemAfter, type OwnWrite, OwnWrites, ownVersion, type WritingChange } from './own-writes.ts';
import { overtaken, ReadSet } from './read-set.ts';

/** Below what one commit checks, and the changes of a commit beside it. */
const readsMaxDefault = 8_000;

/** So many targets of index items are read first: as many as take no more memory than they should, however large. */
const followedFirst = 16;

/**
 * A scope as a transaction sees it: what it commits stays here, and its reads have that in them. It is for one piece of
 * work, whose commits come one after the other.
 */
export class TransactionScope implements Scope {
  readonly name: string;
  readonly #base: Scope;
  readonly #read: ReadSet;
  readonly #own = new OwnWrites();
  #calls = 0;

  /** @param readsMax how many items it may read, with those that it finds absent. */
  constructor(base: Scope, readsMax = readsMaxDefault) {
    this.name = base.name;
    this.#base = base;
    this.#read = new ReadSet(readsMax);
  }

  /** The data that were read, to be checked in the commit. */
  get reads(): CheckReads {
    return this.#read.change;
  }

  /** What is to be written, in one commit that checks the reads. It has no conditions: what they look at was read. */
  get changes(): readonly Change[] {
    return this.#own.changes((key) => this.#read.has(key) && this.#read.versionOf(key) === undefined);
  }

  /** @throws Overtaken where what was read does not hold any more. */
  async assertReads(): Promise<void> {
    // The data that were read at one moment stood together then.
    if (this.#calls <= 1) return;
    if (!(await tryCommit(this.#base, [this.reads]))) throw overtaken();
  }

  async get(keys: readonly Key[]): Promise<readonly (Item | undefined)[]> {
    const isBeneath = (key: Key): boolean => ['sum', 'tally', undefined].includes(this.#own.at(key)?.kind);
    const found = (await this.#readItems(keys.filter(isBeneath))).values();
    return keys.map((key) => itemAfter(key, this.#own.at(key), isBeneath(key) ? found.next().value : undefined));
  }

  async range(pk: string, read: RangeRead): Promise<readonly Item[]> {
    const own = this.#own.in(pk, read);
    if (own.length === 0) return (await this.#readPart(pk, read)).items;
    if (read.reverse === true) own.reverse();
    const page = new Page<Item>(read.limit, read.bytesMax);
    for (let rest = read, left = own; ; ) {
      const { items, isWhole } = await this.#readPart(pk, { ...rest, limit: read.limit + own.length });
      const last = items.at(-1)?.sk;
      const isNow = ([sk]: readonly [string, OwnWrite]): boolean =>
        isWhole || (last !== undefined && inOrder(read, sk, last) <= 0);
      for (const item of merged(pk, read, { items, own: left.filter(isNow) })) page.add(item);
      if (page.isFull || isWhole || last === undefined) return page.items;
      left = left.filter((one) => !isNow(one));
      rest = behind(read, last);
    }
  }

  /** By the entries and then by their targets, since what was read of either is checked. */
  async follow(indexPk: string, { bytesMax, ...read }: RangeRead): Promise<readonly FollowedEntry[]> {
    const page = new Page<FollowedEntry>(read.limit, bytesMax);
    let rest: RangeRead = read;
    for (let atOnce = followedFirst; !page.isFull; atOnce = page.fitting()) {
      const limit = Math.min(read.limit - page.items.length, atOnce);
      const entries = await this.range(indexPk, { ...rest, limit });
      const targets = await this.get(entries.flatMap(({ target }) => target ?? []));
      for (const [index, target] of targets.entries()) {
        const sk = entries[index]?.sk;
        if (sk !== undefined && target !== undefined) page.add({ sk, version: target.version, value: target.value });
      }
      const last = entries.at(-1)?.sk;
      if (last === undefined || entries.length < limit) break;
      rest = behind(rest, last);
    }
    return page.items;
  }

  async count(pk: string, range: Range, atMost: number): Promise<number> {
    const own = this.#own.in(pk, range);
    const stored = await this.#readItems(own.map(([sk]) => ({ pk, sk })));
    const hidden = stored.filter((item) => item !== undefined).length;
    const live = own.filter(([sk, write], index) => itemAfter({ pk, sk }, write, stored[index]) !== undefined).length;
    const found = await this.#countPart(pk, range, atMost + hidden);
    return Math.min(atMost, found - hidden + live);
  }

  /** What a transaction asks has its writes in it, and has read its whole range: so it is read here, within its bounds. */
  select(pk: string, read: SelectRead): Promise<Selected> {
    return selectByReading(this, pk, read);
  }

  measure(pk: string, read: MeasureRead): Promise<Measured> {
    return measureByReading(this, pk, read);
  }

  /**
   * Keeps changes here. What their conditions look at counts as read.
   * @throws Conflict where one of them is refused, also by what the transaction has written before; Overtaken.
   */
  async commit(changes: readonly Change[]): Promise<Committed> {
    validateChanges(changes);
    await this.#assertHold(changes);
    const writes = changes.filter(isWriting);
    const before = writes.map((write): readonly [Key, OwnWrite | undefined] => [write, this.#own.at(write)]);
    for (const write of writes) this.#own.add(write);
    const occupied = await this.#firstOccupied(changes);
    if (occupied !== undefined) {
      for (const [key, write] of before) this.#own.set(key, write);
      throw new Conflict(occupied, 'not-empty');
    }
    for (const change of changes) if (change.kind === 'append') this.#own.append(change);
    if (this.#own.bytes > limits.commitBytesMax || this.#own.length > limits.changesMax)
      throw new TooLarge('a transaction writes no more than one commit holds');
    return {
      seq: ownVersion,
      get sums(): never {
        throw new TypeError('the sums of a transaction are not known before its commit');
      },
    };
  }

  async #assertHold(changes: readonly Change[]): Promise<void> {
    const looked = changes.flatMap((change, changeIndex) =>
      'if' in change && change.if !== 'any' ? [{ change, changeIndex, condition: change.if }] : [],
    );
    const versions = await this.#versions(looked.map(({ change }) => change));
    for (const [index, { change, changeIndex, condition }] of looked.entries()) {
      if (holds(condition, versions[index])) continue;
      // A condition that knows more than what was read here has it read again, and then this is overtaken.
      if (this.#own.at(change) === undefined) await this.#readItems([change]);
      throw new Conflict(changeIndex, 'condition');
    }
  }

  /** A cached value is not read again. */
  async #versions(keys: readonly Key[]): Promise<readonly (number | undefined)[]> {
    const isOpen = (key: Key): boolean =>
      this.#own.at(key)?.kind === 'sum' || (this.#own.at(key) === undefined && !this.#read.has(key));
    await this.#readItems(keys.filter(isOpen));
    return keys.map((key) => {
      const write = this.#own.at(key);
      if (write === undefined) return this.#read.versionOf(key);
      if (write.kind === 'tally') throw new TypeError('a transaction holds no row of figures to a condition');
      return write.kind === 'gone' ? undefined : ownVersion;
    });
  }

  /** Judged after the changes. */
  async #firstOccupied(changes: readonly Change[]): Promise<number | undefined> {
    for (const [changeIndex, change] of changes.entries())
      if (change.kind === 'check-empty' && (await this.count(change.pk, { prefix: change.prefix }, 1)) > 0)
        return changeIndex;
    return undefined;
  }

  async #readItems(keys: readonly Key[]): Promise<readonly (Item | undefined)[]> {
    if (keys.length === 0) return [];
    this.#calls += 1;
    const items = await this.#base.get(keys);
    for (const [index, key] of keys.entries()) this.#read.addItem(key, items[index]?.version);
    return items;
  }

  async #readPart(
    pk: string,
    read: RangeRead,
  ): Promise<{ readonly items: readonly Item[]; readonly isWhole: boolean }> {
    this.#calls += 1;
    const items = await this.#base.range(pk, read);
    const page = new Page<Item>(read.limit, read.bytesMax);
    for (const item of items) page.add(item);
    const last = items.at(-1);
    if (!page.isFull) this.#read.addPart({ pk, ...boundsIn(read), count: items.length, newest: newestOf(items) });
    else if (last !== undefined) {
      // A bound leaves its own item out, so that one is noted apart.
      const others = items.slice(0, -1);
      this.#read.addItem(last, last.version);
      this.#read.addPart({
        ...{ pk, ...boundsIn(read), count: others.length, newest: newestOf(others) },
        ...(read.reverse === true ? { after: last.sk } : { before: last.sk }),
      });
    }
    return { items, isWhole: !page.isFull };
  }

  async #countPart(pk: string, range: Range, atMost: number): Promise<number> {
    this.#calls += 1;
    const count = await this.#base.count(pk, range, atMost);
    this.#read.addPart({ pk, ...boundsIn(range), count, ...(count === atMost ? { isCut: true } : {}) });
    return count;
  }
}

function isWriting(change: Change): change is WritingChange {
  return 'sk' in change && change.kind !== 'check';
}

function boundsIn({ prefix, after, before }: Range): Omit<Range, 'reverse'> {
  return {
    ...(prefix === undefined ? {} : { prefix }),
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
  };
}

/** What was written in the place of what is stored. */
function merged(
  pk: string,
  range: Range,
  { items, own }: { readonly items: readonly Item[]; readonly own: readonly (readonly [sk: string, OwnWrite])[] },
): readonly Item[] {
  const stored = new Map(items.map((item) => [item.sk, item]));
  const written = own.flatMap(([sk, write]) => itemAfter({ pk, sk }, write, stored.get(sk)) ?? []);
  const hidden = new Set(own.map(([sk]) => sk));
  const left = items.filter(({ sk }) => !hidden.has(sk));
  return [...left, ...written].sort((one, other) => inOrder(range, one.sk, other.sk));
}

function inOrder({ reverse }: Range, left: string, right: string): number {
  return reverse === true ? compareBytes(right, left) : compareBytes(left, right);
}

function behind(read: RangeRead, sk: string): RangeRead {
  return read.reverse === true ? { ...read, before: sk } : { ...read, after: sk };
}

function holds(condition: Condition, version: number | undefined): boolean {
  if (condition === 'any') return true;
  if (condition === 'absent') return version === undefined;
  if (condition === 'present') return version !== undefined;
  return version === condition.version;
}

/** So many more items are read at once, at most, and as many as are likely to fit into so many bytes. */
const countMax = 256;
const bytesAtOnce = 4 * 1024 * 1024;

/** Takes items up to the bounds of a read, as a store does. */
class Page<T extends { readonly value: string }> {
  readonly items: T[] = [];
  readonly #limit: number;
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(limit: number, bytesMax = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
    this.#bytesMax = bytesMax;
  }

  get isFull(): boolean {
    return this.items.length >= this.#limit || this.#bytes > this.#bytesMax;
  }

  add(item: T): void {
    if (this.isFull) return;
    this.items.push(item);
    this.#bytes += Buffer.byteLength(item.value);
  }

  /** How many more are read at once, if they are about as large as those before. */
  fitting(): number {
    const each = Math.max(1, this.#bytes / Math.max(1, this.items.length));
    return Math.max(1, Math.min(countMax, Math.floor(bytesAtOnce / each)));
  }
}
