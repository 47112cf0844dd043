import { BoundedMap } from '../../lib/bounded-map.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { invalidBody } from '../../lib/problem.ts';
import type { Change, Condition, Key, Scope } from '../../store/port.ts';
import { type Codec, json, type Table, table } from '../../store/table.ts';

/** The data that are kept of a key of any kind. */
export interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly secret_hash: string;
  readonly created_at: string;
  /** The org user. */
  readonly created_by: string;
  readonly expires_at: string | null;
}

/** The keys of one kind, by which something outside the platform calls it. */
export interface KeyRows<Place, Row extends KeyRow, Entry extends object> {
  readonly rows: Table<Place, Row>;
  /** The way in, by the hash of the secret: a copy of the store opens nothing. */
  readonly entries: Table<string, Entry>;
  /** One key more of an owner; refused where it has as many as it may. */
  counted(owner: string): Change;
  /** The last of a key: the first of these changes is refused where the condition does not hold. */
  ended(place: Place, row: Pick<Row, 'id' | 'secret_hash'>, owner: string, condition: Condition): readonly Change[];
  /** The times at which the keys with these ids were used last, in their order. */
  lastUses(scope: Scope, ids: readonly string[]): Promise<readonly (string | null)[]>;
  use(place: Place, id: string): KeyUse;
}

export interface KeyKind<Place> {
  readonly kind: 'deploy-key' | 'service-key';
  /** The most keys that an owner may have. */
  readonly ownedMax: number;
  readonly keyOf: (place: Place) => Key;
}

export function keyRows<Place, Row extends KeyRow, Entry extends { readonly id: string }>({
  kind,
  ownedMax,
  keyOf,
}: KeyKind<Place>): KeyRows<Place, Row, Entry> {
  const name = kind.replace('-', ' ');
  const isRow = { id: 'string', name: 'string', secret_hash: 'string' } as const;
  const rows: Table<Place, Row> = table(keyOf, json<KeyRow>(name, isRow) as Codec<Row>);
  const entries = table(
    (secret_hash: string) => ({ pk: `${kind}-hash`, sk: secret_hash }),
    json<{ readonly id: string }>(`hash of a ${name}`, { id: 'string' }) as Codec<Entry>,
  );
  const uses = table(
    (id: string) => ({ pk: `${kind}-use`, sk: id }),
    json<{ readonly at: string }>(`use of a ${name}`, { at: 'string' }),
  );
  const countKey = (owner: string): Key => ({ pk: `${kind}-count`, sk: owner });
  return {
    rows,
    entries,
    counted: (owner) => ({ kind: 'add', ...countKey(owner), by: 1, max: ownedMax }),
    ended: (place, { id, secret_hash }, owner, condition) => [
      rows.remove(place, condition),
      entries.remove(secret_hash, 'any'),
      uses.remove(id, 'any'),
      { kind: 'add', ...countKey(owner), by: -1, min: 0 },
    ],
    lastUses: async (scope, ids) =>
      ids.length === 0 ? [] : (await uses.readMany(scope, ids)).map((use) => use?.value.at ?? null),
    use: (place, id) => ({
      id,
      changes: (now) => [
        { kind: 'check', ...keyOf(place), if: 'present' },
        uses.put(id, { at: timestamp(now) }, { if: 'any' }),
      ],
    }),
  };
}

/** The changes that note the use of a key at a time, while the key exists. */
export interface KeyUse {
  readonly id: string;
  readonly changes: (now: number) => readonly Change[];
}

/** Records the last uses of keys, so that an owner sees which of them may go. */
export interface KeyUses {
  /** Returns at once; what is lost by a crash is lost. */
  seen(scope: Scope, use: KeyUse): void;
}

const intervalMilliseconds = 10 * 60 * 1000;

/** Writes a key's use at most once in ten minutes, behind everything that a caller waits for. */
export function createKeyUses(clock: Clock, keysMax = 10_000): KeyUses {
  const written = new BoundedMap<string, number>(keysMax);
  return {
    seen: (scope, { id, changes }) => {
      const now = clock.now();
      const last = written.get(id);
      if (last !== undefined && now - last < intervalMilliseconds) return;
      written.set(id, now);
      // The key may be gone by then, or the store closed: no caller waits, and there is nothing to make good.
      scope.commit(changes(now), { priority: 'background' }).catch(() => undefined);
    },
  };
}

/**
 * The time at which a key ends, or null for never.
 * @param at in UTC with milliseconds.
 * @throws Problem `validation_failed` for a time that has passed.
 */
export function readExpiry(at: string | undefined, now: number): string | null {
  if (at === undefined) return null;
  if (Date.parse(at) > now) return at;
  const message = '`expires_at` must be a time to come, such as `2030-01-31T12:00:00Z`';
  throw invalidBody([{ pointer: '/expires_at', code: 'invalid_value', message }]);
}
