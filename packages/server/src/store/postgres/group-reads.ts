import { chainHeadKey } from '../chain.ts';
import type { Current, Head, Member, StoredItem } from '../committing/apply-group.ts';
import { keyBounds } from '../key-bounds.ts';
import type { Change, Due, Key, ScopeName } from '../port.ts';
import type { Connection } from './connections/connection.ts';
import { keyProduct, nameOf } from './key-product.ts';
import type { Statements } from './statements.ts';
import { textBounds } from './text-bounds.ts';

/** What stands under a key. */
type Standing = readonly [version: number, dueQueue: Due['queue'] | null, dueAt: number | null, value: string | null];

/** `place` is that of its key among those asked for, counted from 1. */
type PlacedRow = readonly [place: number, ...Standing];
type NamedRow = readonly [sk: string, pk: string, ...Standing];

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
    const [found, ...keys] = await Promise.all([
      this.#readStanding(connection, statements),
      ...this.#prefixes.map((asked) => this.#readKeys(connection, statements, { ...asked, now })),
    ]);
    const partitions = new Map(this.#prefixes.map((asked, index) => [`${asked.pk}\0${asked.prefix}`, keys[index]]));
    return (head) => ({
      now,
      head: () => head,
      item: (_scope, key) => standingOf(found.get(nameOf(key))),
      value: (_scope, key) => found.get(nameOf(key))?.[3] ?? undefined,
      keys: (_scope, pk, prefix, atMost) => (partitions.get(`${pk}\0${prefix}`) ?? []).slice(0, atMost),
    });
  }

  /** By the names of the keys. */
  async #readStanding(connection: Connection, statements: Statements): Promise<ReadonlyMap<string, Standing>> {
    if (this.#keys.length === 0) return new Map();
    const counters = this.#keys.filter(({ isValueAsked }) => isValueAsked);
    const among = statements.isDistributed ? keyProduct(this.#keys) : undefined;
    if (among !== undefined) {
      const values = [this.#scope, ...among, counters.map(({ sk }) => sk)];
      const { rows } = await connection.send<NamedRow>(statements.standingAmong(), values);
      return new Map(rows.map(([sk, pk, ...standing]) => [nameOf({ pk, sk }), standing]));
    }
    const { rows } = await connection.send<PlacedRow>(statements.standing(), [
      this.#scope,
      this.#keys.map(({ pk }) => pk),
      this.#keys.map(({ sk }) => sk),
      this.#keys.map(({ isValueAsked }) => String(isValueAsked)),
    ]);
    return new Map(rows.map(([place, ...standing]) => [nameOf(this.#keys[place - 1] ?? { pk: '', sk: '' }), standing]));
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

function standingOf(row: Standing | undefined): StoredItem | undefined {
  if (row === undefined) return undefined;
  const [version, queue, at] = row;
  return queue === null || at === null ? { version } : { version, due: { at, queue } };
}
