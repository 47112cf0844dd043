import type { DatabaseSync } from 'node:sqlite';
import type { BoundedRead } from '../../engine.ts';
import {
  type DueItem,
  type Followed,
  type Item,
  type Key,
  type Queue,
  type ScopeHead,
  type ScopeName,
  Unavailable,
} from '../../port.ts';
import type { ItemCache } from '../item-cache.ts';
import { SqliteReader } from '../reader.ts';
import { readVersion } from '../schema.ts';
import { isPassing, isSqliteError } from '../sqlite-error.ts';

/** What an engine on a file reads, by a connection of its own on the calling thread. */
export class EngineReads {
  readonly kind = 'sqlite';
  readonly synchronous = 'full';
  /** Everybody waits for the one writer: a group of one owner takes about as long as its sync. */
  readonly groupChangesOfOwnerMax = 64;
  readonly #database: DatabaseSync;
  readonly #items: ItemCache | undefined;
  #reader: SqliteReader;
  #hasFault = false;

  constructor(database: DatabaseSync, items: ItemCache | undefined) {
    this.#database = database;
    this.#items = items;
    this.#reader = new SqliteReader(database);
  }

  /** Whether the file could not be read for a reason that stays. */
  get hasReadFault(): boolean {
    return this.#hasFault;
  }

  get fault(): string | undefined {
    return this.#hasFault ? 'a file of the store could not be read: check the disk, and start again' : undefined;
  }

  get(scope: ScopeName, keys: readonly Key[], now: number): readonly (Item | undefined)[] {
    const from = (missing: readonly Key[]) => this.#read(() => this.#reader.get(scope, missing, now));
    return this.#items?.get(scope, keys, { now, from }) ?? from(keys);
  }

  range(scope: ScopeName, read: BoundedRead, now: number): readonly Item[] {
    return this.#read(() => this.#reader.range(scope, read, now));
  }

  follow(scope: ScopeName, read: BoundedRead, now: number): readonly Followed[] {
    return this.#read(() => this.#reader.follow(scope, read, now));
  }

  count(scope: ScopeName, read: BoundedRead, now: number): number {
    return this.#read(() => this.#reader.count(scope, read, now));
  }

  scopes(after: ScopeName | undefined, limit: number): readonly ScopeHead[] {
    return this.#read(() => this.#reader.scopes(after, limit));
  }

  scan(scope: ScopeName, after: Key | undefined, limit: number): readonly Item[] {
    return this.#read(() => this.#reader.scan(scope, after, limit));
  }

  due(queue: Queue, before: number, limit: number): readonly DueItem[] {
    return this.#read(() => this.#reader.due(queue, before, limit));
  }

  dataVersion(): number {
    return this.#read(() => readVersion(this.#database));
  }

  #read<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!isSqliteError(error)) throw error;
      if (!isPassing(error)) this.#hasFault = true;
      // A statement that has failed tells its error once more when it is used again.
      this.#reader = new SqliteReader(this.#database);
      throw new Unavailable('the store cannot be read', { cause: error });
    }
  }
}
