import { chainHeadKey } from '../chain.ts';
import type { Current, Head, Member, StoredItem } from '../committing/apply-group.ts';
import { keyBounds } from '../key-bounds.ts';
import type { Change, Due, Key, ScopeName } from '../port.ts';
import type { Answer, Connection } from './connections/connection.ts';
import type { Statements } from './statements.ts';
import { textBounds } from './text-bounds.ts';

/** A row of what stands: `place` is that of its key among those asked for, counted from 1. */
type StoredItemRow = readonly [
  place: number,
  version: number,
  dueQueue: Due['queue'] | null,
  dueAt: number | null,
  value: string | null,
];

type StandingInRow = StoredItemRow extends readonly [number, ...infer Standing]
  ? readonly [sk: string, ...Standing]
  : never;

interface AskedKey extends Key {
  readonly isValueAsked: boolean;
}

interface AskedPrefix {
  readonly pk: string;
  readonly prefix: string;
  readonly atMost: number;
}

/** Everything that judging a group of one scope may ask of the store, so that it can be read at once. */
export class GroupReads {
  readonly #scope: ScopeName;
  readonly #keys: readonly AskedKey[];
  readonly #prefixes: readonly AskedPrefix[];

  constructor(scope: ScopeName, members: readonly Member[]) {
    const changes = members.flatMap((member) => (member.kind === 'commit' ? member.changes : []));
    this.#scope = scope;
    this.#keys = keysOf(changes);
    this.#prefixes = prefixesOf(changes);
  }

  /** Only under the lock of the head: then there are no writes between the statements. */
  async read(
    connection: Connection,
    statements: Statements,
    now: number,
  ): Promise<(head: Head | undefined) => Current> {
    const [standing, ...keys] = await Promise.all([
      this.#readStanding(connection, statements),
      ...this.#prefixes.map((asked) => this.#readKeys(connection, statements, { ...asked, now })),
    ]);
    const found = new Map(standing.rows.map((row) => [nameOf(this.#keys[row[0] - 1]), row]));
    const partitions = new Map(this.#prefixes.map((asked, index) => [`${asked.pk}\0${asked.prefix}`, keys[index]]));
    return (head) => ({
      now,
      head: () => head,
      item: (_scope, key) => standingOf(found.get(nameOf(key))),
      value: (_scope, key) => found.get(nameOf(key))?.[4] ?? undefined,
      keys: (_scope, pk, prefix, atMost) => (partitions.get(`${pk}\0${prefix}`) ?? []).slice(0, atMost),
    });
  }

  async #readStanding(connection: Connection, statements: Statements): Promise<Pick<Answer<StoredItemRow>, 'rows'>> {
    const [first] = this.#keys;
    if (first === undefined) return { rows: [] };
    if (this.#keys.every(({ pk }) => pk === first.pk)) return this.#readStandingIn(connection, statements, first.pk);
    return connection.send<StoredItemRow>(statements.standing(), [
      this.#scope,
      this.#keys.map(({ pk }) => pk),
      this.#keys.map(({ sk }) => sk),
      this.#keys.map(({ isValueAsked }) => String(isValueAsked)),
    ]);
  }

  async #readStandingIn(
    connection: Connection,
    statements: Statements,
    pk: string,
  ): Promise<Pick<Answer<StoredItemRow>, 'rows'>> {
    const places = new Map(this.#keys.map(({ sk }, index) => [sk, index + 1]));
    const counters = this.#keys.flatMap(({ sk, isValueAsked }) => (isValueAsked ? [sk] : []));
    const values = [this.#scope, pk, [...places.keys()], counters];
    const { rows } = await connection.send<StandingInRow>(statements.standingIn(), values);
    return { rows: rows.map(([sk, ...standing]) => [places.get(sk) ?? 0, ...standing]) };
  }

  async #readKeys(
    connection: Connection,
    statements: Statements,
    { pk, prefix, atMost, now }: AskedPrefix & { readonly now: number },
  ): Promise<readonly string[]> {
    const { from, to } = textBounds(keyBounds({ prefix }));
    const values = [this.#scope, pk, from, now, atMost, ...(to === undefined ? [] : [to])];
    const { rows } = await connection.send<readonly [sk: string]>(
      statements.keys({ isOpenEnded: to === undefined }),
      values,
    );
    return rows.map(([sk]) => sk);
  }
}

function keysOf(changes: readonly Change[]): readonly AskedKey[] {
  const asked = new Map<string, AskedKey>();
  for (const change of changes) {
    const key = askedKeyOf(change);
    if (key !== undefined && (key.isValueAsked || !asked.has(nameOf(key)))) asked.set(nameOf(key), key);
  }
  return [...asked.values()];
}

/** Changes that stand under no condition need to know nothing. Values of counters and of heads are read, no other. */
function askedKeyOf(change: Change): AskedKey | undefined {
  if (change.kind === 'append')
    return change.isChained === true ? { ...chainHeadKey(change.pk), isValueAsked: true } : undefined;
  const { pk } = change;
  if (change.kind === 'add') return { pk, sk: change.sk, isValueAsked: true };
  return 'if' in change && change.if !== 'any' ? { pk, sk: change.sk, isValueAsked: false } : undefined;
}

/** As many keys as the group itself could hide, and one more. */
function prefixesOf(changes: readonly Change[]): readonly AskedPrefix[] {
  const asked = new Map<string, AskedPrefix>();
  for (const { kind, pk, ...change } of changes) {
    if (kind !== 'check-empty' || !('prefix' in change)) continue;
    const { prefix } = change;
    const hidden = changes.filter((other) => other.pk === pk && mayWriteUnder(other, prefix)).length;
    asked.set(`${pk}\0${prefix}`, { pk, prefix, atMost: hidden + 1 });
  }
  return [...asked.values()];
}

function mayWriteUnder(change: Change, prefix: string): boolean {
  return change.kind === 'append' || ('sk' in change && change.sk.startsWith(prefix));
}

function standingOf(row: StoredItemRow | undefined): StoredItem | undefined {
  if (row === undefined) return undefined;
  const [, version, queue, at] = row;
  return queue === null || at === null ? { version } : { version, due: { at, queue } };
}

/** U+0000 is in no name, so the join is unambiguous. */
function nameOf(key: Key | undefined): string {
  return key === undefined ? '' : `${key.pk}\0${key.sk}`;
}
