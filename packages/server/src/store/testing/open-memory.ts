import { compareBytes } from '../../lib/byte-order.ts';
import type { Clock } from '../../lib/clock.ts';
import {
  applyGroup,
  type CommittedState,
  type CommitVerdict,
  type GroupMember,
  type Head,
  isExpired,
  type Write,
} from '../committing/apply-group.ts';
import { dataVersion } from '../data-version.ts';
import { type BoundedRead, type Engine, storeOnEngine } from '../engine.ts';
import { keyBounds } from '../key-bounds.ts';
import {
  type DueItem,
  type FollowedEntry,
  type Item,
  type Key,
  limits,
  type OpenedStore,
  type Queue,
  type ScopeHead,
  type ScopeName,
} from '../port.ts';

/** A store that lives as long as the process. */
export function openMemory({ clock }: { readonly clock: Clock }): OpenedStore {
  return storeOnEngine(new MemoryEngine(), clock);
}

/** Sorted arrays in byte order: the model that the other adapters are held to. */
export class MemoryEngine implements Engine {
  readonly kind = 'memory';
  readonly synchronous = 'none';
  readonly #heads = new Map<ScopeName, Head>();
  readonly #scopes = new Map<ScopeName, Map<string, Item[]>>();
  #dataVersion = dataVersion;

  get(scope: ScopeName, keys: readonly Key[], now: number): readonly (Item | undefined)[] {
    return keys.map((key) => live(this.#find(scope, key), now));
  }

  range(scope: ScopeName, read: BoundedRead, now: number): readonly Item[] {
    return takeWhileFits(this.#liveItems(scope, read, now), read, (item) => item.value);
  }

  follow(scope: ScopeName, read: BoundedRead, now: number): readonly FollowedEntry[] {
    const followed = this.#liveItems(scope, read, now).flatMap(({ sk, target }) => {
      const item = target === undefined ? undefined : live(this.#find(scope, target), now);
      return item === undefined ? [] : [{ sk, version: item.version, value: item.value }];
    });
    return takeWhileFits(followed, read, ({ value }) => value);
  }

  count(scope: ScopeName, read: BoundedRead, now: number): number {
    return Math.min(this.#liveItems(scope, read, now).length, read.limit);
  }

  async runGroup(members: readonly GroupMember[], now: number): Promise<readonly CommitVerdict[]> {
    const { verdicts, writes, heads } = applyGroup(this.#current(now), members);
    for (const write of writes) this.#write(write);
    for (const [scope, head] of heads) this.#heads.set(scope, head);
    return verdicts;
  }

  scopes(after: ScopeName | undefined, limit: number): readonly ScopeHead[] {
    return [...this.#heads]
      .map(([name, head]) => ({ name, ...head }))
      .filter(({ name }) => after === undefined || compareBytes(name, after) > 0)
      .sort((left, right) => compareBytes(left.name, right.name))
      .slice(0, limit);
  }

  scan(scope: ScopeName, after: Key | undefined, limit: number): readonly Item[] {
    const found = this.#itemsOf(scope).filter((item) => after === undefined || compareKeys(item, after) > 0);
    return takeWhileFits(found.sort(compareKeys), { limit, bytesMax: limits.scanBytesMax }, (item) => item.value);
  }

  due(queue: Queue, before: number, limit: number): readonly DueItem[] {
    return [...this.#scopes.keys()]
      .flatMap((scope) => this.#itemsOf(scope).map((item) => ({ scope, item })))
      .filter(({ item }) => item.due?.queue === queue && item.due.at <= before)
      .sort((left, right) => (left.item.due?.at ?? 0) - (right.item.due?.at ?? 0))
      .slice(0, limit);
  }

  dataVersion(): number {
    return this.#dataVersion;
  }

  setDataVersion(version: number): void {
    this.#dataVersion = version;
  }

  isHealthy(): boolean {
    return true;
  }

  async close(): Promise<void> {}

  #current(now: number): CommittedState {
    return {
      now,
      head: (scope) => this.#heads.get(scope),
      item: (scope, key) => this.#find(scope, key),
      value: (scope, key) => this.#find(scope, key)?.value,
      part: (scope, part, atMost) => {
        const read = { ...keyBounds(part), pk: part.pk, isReverse: false, limit: atMost, bytesMax: 0 };
        return this.#liveItems(scope, read, now).slice(0, atMost);
      },
    };
  }

  #partition(scope: ScopeName, pk: string): readonly Item[] {
    return this.#scopes.get(scope)?.get(pk) ?? [];
  }

  #itemsOf(scope: ScopeName): Item[] {
    return [...(this.#scopes.get(scope)?.values() ?? [])].flat();
  }

  #find(scope: ScopeName, { pk, sk }: Key): Item | undefined {
    const items = this.#partition(scope, pk);
    const item = items[positionOf(items, sk)];
    return item?.sk === sk ? item : undefined;
  }

  /** In the order of the read, without a limit. */
  #liveItems(scope: ScopeName, { pk, from, isFromIncluded, to, isReverse }: BoundedRead, now: number): Item[] {
    const items = this.#partition(scope, pk);
    const start = positionOf(items, from);
    const skipsFirst = !isFromIncluded && items[start]?.sk === from;
    const found = items
      .slice(skipsFirst ? start + 1 : start, to === undefined ? items.length : positionOf(items, to))
      .filter((item) => live(item, now) !== undefined);
    return isReverse ? found.reverse() : found;
  }

  #write({ scope, pk, sk, item }: Write): void {
    const partitions = this.#scopes.get(scope) ?? new Map<string, Item[]>();
    this.#scopes.set(scope, partitions);
    const items = partitions.get(pk) ?? [];
    partitions.set(pk, items);
    const position = positionOf(items, sk);
    items.splice(position, items[position]?.sk === sk ? 1 : 0, ...(item === undefined ? [] : [item]));
    if (items.length === 0) partitions.delete(pk);
  }
}

/** The position of `sk` in a sorted partition, also of an `sk` that is not in it. */
function positionOf(items: readonly Item[], sk: string): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareBytes(items[middle]?.sk ?? '', sk) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function live(item: Item | undefined, now: number): Item | undefined {
  return isExpired(item?.due, now) ? undefined : item;
}

function compareKeys(left: Key, right: Key): number {
  return compareBytes(left.pk, right.pk) || compareBytes(left.sk, right.sk);
}

function takeWhileFits<T>(
  found: readonly T[],
  { limit, bytesMax }: Pick<BoundedRead, 'limit' | 'bytesMax'>,
  storedText: (entry: T) => string,
): T[] {
  const taken: T[] = [];
  let bytes = 0;
  for (const entry of found) {
    if (taken.length >= limit || bytes > bytesMax) break;
    taken.push(entry);
    bytes += Buffer.byteLength(storedText(entry));
  }
  return taken;
}
