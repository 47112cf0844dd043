import { compareBytes } from '../../lib/byte-order.ts';
import type { BoundedRead } from '../engine.ts';
import {
  type DueItem,
  type FollowedEntry,
  type Item,
  type Key,
  limits,
  type Queue,
  type ScopeHead,
  type ScopeName,
  type ScopeState,
} from '../port.ts';
import type { Value } from './connections/connection.ts';
import { type ItemRow, isWritable, itemOfRow, keyProduct, nameOf, textBounds } from './rows.ts';
import type { ServerPools } from './servers/server-pools.ts';
import { type RangeShape, type SqlStatements, serverState } from './statements.ts';

/** More rows than that cost the server more than a plan. */
const countedByRowsMax = 128;

/** Every read is one statement, and so sees one snapshot. */
export class PostgresReader {
  readonly #connections: Pick<ServerPools, 'read' | 'dueOfThoseUp'>;
  readonly #statements: SqlStatements;

  constructor(connections: Pick<ServerPools, 'read' | 'dueOfThoseUp'>, statements: SqlStatements) {
    this.#connections = connections;
    this.#statements = statements;
  }

  async get(scope: ScopeName, keys: readonly Key[], now: number): Promise<readonly (Item | undefined)[]> {
    const requested = keys.filter(({ pk, sk }) => isWritable(pk) && isWritable(sk));
    const [first] = requested;
    if (first === undefined) return keys.map(() => undefined);
    if (keys.length === 1) {
      const values = [scope, first.pk, first.sk, now];
      const [row] = await this.#connections.read<ItemRow>(this.#statements.getOne(), values);
      return [row === undefined ? undefined : itemOfRow(row)];
    }
    const among = this.#statements.isDistributed ? keyProduct(requested) : undefined;
    if (among !== undefined) {
      const rows = await this.#connections.read<ItemRow>(this.#statements.getAmong(), [scope, ...among, now]);
      const found = new Map(rows.map(itemOfRow).map((item) => [nameOf(item), item]));
      return keys.map((key) => found.get(nameOf(key)));
    }
    const values = [scope, requested.map(({ pk }) => pk), requested.map(({ sk }) => sk), now];
    const rows = await this.#connections.read<readonly [...ItemRow, place: number]>(this.#statements.get(), values);
    const found = new Map(rows.map((row) => [requested[row[itemColumnsMax] - 1], itemOfRow(row)]));
    return keys.map((key) => found.get(key));
  }

  async range(scope: ScopeName, read: BoundedRead, now: number): Promise<readonly Item[]> {
    if (!isWritable(read.pk)) return [];
    const rows = await this.#connections.read<ItemRow>(
      this.#statements.range(shapeOf(read)),
      rangeValues(scope, read, now),
    );
    return rows.filter(([, , , , , value]) => value !== null).map(itemOfRow);
  }

  async follow(scope: ScopeName, read: BoundedRead, now: number): Promise<readonly FollowedEntry[]> {
    if (!isWritable(read.pk)) return [];
    const rows = await this.#connections.read<FollowedRow>(
      this.#statements.follow(shapeOf(read)),
      rangeValues(scope, read, now),
    );
    return rows.flatMap(([version, value, sk]) => (value === null ? [] : [{ sk, version, value }]));
  }

  async count(scope: ScopeName, read: BoundedRead, now: number): Promise<number> {
    if (!isWritable(read.pk)) return 0;
    const unsized = { ...read, bytesMax: Number.POSITIVE_INFINITY, isReverse: false };
    if (this.#statements.isDistributed && read.limit <= countedByRowsMax) {
      const statement = this.#statements.counted(shapeOf(unsized));
      return (await this.#connections.read(statement, rangeValues(scope, unsized, now))).length;
    }
    const rows = await this.#connections.read<readonly [number]>(
      this.#statements.count(shapeOf(unsized)),
      rangeValues(scope, unsized, now),
    );
    return rows[0]?.[0] ?? 0;
  }

  async scopes(after: ScopeName | undefined, limit: number): Promise<readonly ScopeHead[]> {
    if (limit === 0) return [];
    // No scope has an empty name.
    const rows = await this.#connections.read<HeadRow>(this.#statements.heads(), [after ?? '', limit]);
    const found = new Map(rows.map(([name, seq, state]) => [name, { name, seq, state }]));
    const names = rows.map(([name]) => name);
    const bounds = [after ?? '', ...names, ...(rows.length < limit ? [aboveAllNames] : [])];
    for (const name of await this.#lostBetween(bounds, limit)) found.set(name, { name, seq: 0, state: 'open' });
    return [...found.values()].sort((left, right) => compareBytes(left.name, right.name)).slice(0, limit);
  }

  /** The first scopes between names that have items, of which a whole store has none: one statement, and two for each. */
  async #lostBetween(bounds: readonly ScopeName[], limit: number): Promise<readonly ScopeName[]> {
    const found: ScopeName[] = [];
    for (let left = bounds; found.length < limit; ) {
      const name = await this.#firstBetween(left);
      if (name === undefined) break;
      found.push(name);
      left = [name, ...left.filter((bound) => compareBytes(bound, name) > 0)];
    }
    return found;
  }

  /** The statement gives any: the first is found when there is none before it. */
  async #firstBetween(bounds: readonly ScopeName[]): Promise<ScopeName | undefined> {
    let first: ScopeName | undefined;
    for (let left = bounds; ; ) {
      const gaps = [left.slice(0, -1), left.slice(1)];
      const [row] = await this.#connections.read<readonly [ScopeName]>(this.#statements.scopeBetween(), gaps);
      if (row === undefined) return first;
      const [name] = row;
      first = name;
      left = [...bounds.filter((bound) => compareBytes(bound, name) < 0), name];
    }
  }

  async scan(scope: ScopeName, after: Key | undefined, limit: number): Promise<readonly Item[]> {
    const values = [scope, after?.pk ?? '', after?.sk ?? '', limit, limits.scanBytesMax];
    return (await this.#connections.read<ItemRow>(this.#statements.scan(), values)).map(itemOfRow);
  }

  async due(queue: Queue, before: number, limit: number): Promise<readonly DueItem[]> {
    const values = [queue, before, limit];
    // A server that was not asked may have what is due earlier: it comes when the server is back.
    const rows =
      (await this.#connections.dueOfThoseUp?.<DueRow>(values)) ??
      (await this.#connections.read<DueRow>(this.#statements.due(), values));
    return rows.map((row) => ({ scope: row[itemColumnsMax], item: itemOfRow(row) }));
  }

  async server(): Promise<Server> {
    const rows = await this.#connections.read<readonly [boolean, boolean, boolean, boolean]>(serverState, []);
    const [isWriter = false, isWaitedFor = false, isSynced = false, takesWrites = false] = rows[0] ?? [];
    return { isWriter, isWaitedFor, isSynced, takesWrites };
  }
}

/** `isWaitedFor`: commits are answered when they are on disk. `isSynced`: the disk syncs them. */
export interface Server {
  readonly isWriter: boolean;
  readonly isWaitedFor: boolean;
  readonly isSynced: boolean;
  readonly takesWrites: boolean;
}

/** Above every name of a scope, which has at most {@link limits.scopeBytesMax} bytes. */
const aboveAllNames = '\u{10ffff}'.repeat(limits.scopeBytesMax / 4 + 1);

/** Other columns of a statement come behind those of an item. */
const itemColumnsMax = 8;

type FollowedRow = readonly [version: number, value: string | null, sk: string];
type HeadRow = readonly [name: ScopeName, seq: number, state: ScopeState];
type DueRow = readonly [...ItemRow, scope: ScopeName];

function shapeOf({ to, isReverse, bytesMax }: BoundedRead): RangeShape {
  return { isOpenEnded: to === undefined, isReverse, isSized: bytesMax !== Number.POSITIVE_INFINITY };
}

function rangeValues(scope: ScopeName, read: BoundedRead, now: number): Value[] {
  const { from, to } = textBounds(read);
  return [
    scope,
    read.pk,
    from,
    now,
    read.limit,
    ...(to === undefined ? [] : [to]),
    ...(read.bytesMax === Number.POSITIVE_INFINITY ? [] : [read.bytesMax]),
  ];
}
