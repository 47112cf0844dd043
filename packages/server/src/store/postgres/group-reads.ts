import { chainHeadKey } from '../chain.ts';
import type { CommittedState, GroupMember, Head, StoredItem } from '../committing/apply-group.ts';
import { keyBounds, type PartItem, type PartitionPart, readAtMost, within } from '../key-bounds.ts';
import type { Change, Due, Key, ScopeName } from '../port.ts';
import type { Connection } from './connections/connection.ts';
import { keyProduct, nameOf, textBounds } from './rows.ts';
import type { SqlStatements } from './statements.ts';

/** The current row under a key. */
type CurrentRow = readonly [version: number, dueQueue: Due['queue'] | null, dueAt: number | null, value: string | null];

/** `place` is that of its key among those asked for, counted from 1. */
type PlacedRow = readonly [place: number, ...CurrentRow];
type NamedRow = readonly [sk: string, pk: string, ...CurrentRow];

interface KeyToRead extends Key {
  readonly needsValue: boolean;
}

interface PartToRead extends PartitionPart {
  readonly atMost: number;
}

/** Everything that judging a group of one scope may ask of the store, so that it can be read at once. */
export class GroupReads {
  readonly #scope: ScopeName;
  readonly #keys: readonly KeyToRead[];
  readonly #parts: readonly PartToRead[];

  constructor(scope: ScopeName, members: readonly GroupMember[]) {
    const changes = members.flatMap((member) => (member.kind === 'commit' ? member.changes : []));
    this.#scope = scope;
    this.#keys = keysOf(changes);
    this.#parts = partsOf(changes);
  }

  /** Only under the lock of the head: then there are no writes between the statements. */
  async read(
    connection: Connection,
    statements: SqlStatements,
    now: number,
  ): Promise<(head: Head | undefined) => CommittedState> {
    const [found, ...items] = await Promise.all([
      this.#readStanding(connection, statements),
      ...this.#parts.map((part) => this.#readPart(connection, statements, { ...part, now })),
    ]);
    const parts = new Map(this.#parts.map((part, index) => [nameOfPart(part), items[index]]));
    return (head) => ({
      now,
      head: () => head,
      item: (_scope, key) => currentOf(found.get(nameOf(key))),
      value: (_scope, key) => found.get(nameOf(key))?.[3] ?? undefined,
      part: (_scope, part, atMost) => (parts.get(nameOfPart(part)) ?? []).slice(0, atMost),
    });
  }

  /** By the names of the keys. */
  async #readStanding(connection: Connection, statements: SqlStatements): Promise<ReadonlyMap<string, CurrentRow>> {
    if (this.#keys.length === 0) return new Map();
    const counters = this.#keys.filter(({ needsValue }) => needsValue);
    const among = statements.isDistributed ? keyProduct(this.#keys) : undefined;
    if (among !== undefined) {
      const values = [this.#scope, ...among, counters.map(({ sk }) => sk)];
      const { rows } = await connection.send<NamedRow>(statements.currentAmong(), values);
      return new Map(rows.map(([sk, pk, ...current]) => [nameOf({ pk, sk }), current]));
    }
    const { rows } = await connection.send<PlacedRow>(statements.current(), [
      this.#scope,
      this.#keys.map(({ pk }) => pk),
      this.#keys.map(({ sk }) => sk),
      this.#keys.map(({ needsValue }) => String(needsValue)),
    ]);
    return new Map(rows.map(([place, ...current]) => [nameOf(this.#keys[place - 1] ?? { pk: '', sk: '' }), current]));
  }

  async #readPart(
    connection: Connection,
    statements: SqlStatements,
    { pk, atMost, now, ...range }: PartToRead & { readonly now: number },
  ): Promise<readonly PartItem[]> {
    const { from, to } = textBounds(keyBounds(range));
    const values = [this.#scope, pk, from, now, atMost, ...(to === undefined ? [] : [to])];
    const { rows } = await connection.send<readonly [sk: string, version: number]>(
      statements.part({ isOpenEnded: to === undefined }),
      values,
    );
    return rows.map(([sk, version]) => ({ sk, version }));
  }
}

function keysOf(changes: readonly Change[]): readonly KeyToRead[] {
  const keys = new Map<string, KeyToRead>();
  for (const change of changes)
    for (const key of keysToRead(change)) if (key.needsValue || !keys.has(nameOf(key))) keys.set(nameOf(key), key);
  return [...keys.values()];
}

/** Changes that stand under no condition need to know nothing. Values of counters and of heads are read, no other. */
function keysToRead(change: Change): readonly KeyToRead[] {
  switch (change.kind) {
    case 'append':
      return change.isChained === true ? [{ ...chainHeadKey(change.pk), needsValue: true }] : [];
    case 'add':
    case 'tally':
      return [{ pk: change.pk, sk: change.sk, needsValue: true }];
    case 'check-reads':
      return change.items.map(({ pk, sk }) => ({ pk, sk, needsValue: false }));
    case 'put':
    case 'remove':
    case 'check':
      return change.if === 'any' ? [] : [{ pk: change.pk, sk: change.sk, needsValue: false }];
    case 'put-index':
    case 'check-empty':
      return [];
  }
}

/** Of each part as many items as show what is asked of it, and as many more as the group itself could hide. */
function partsOf(changes: readonly Change[]): readonly PartToRead[] {
  const parts = new Map<string, PartToRead>();
  for (const change of changes) {
    if (change.kind === 'check-empty') addPart(parts, changes, { pk: change.pk, prefix: change.prefix, atMost: 1 });
    if (change.kind !== 'check-reads') continue;
    for (const { count, newest: _, isCut, ...part } of change.parts)
      addPart(parts, changes, { ...part, atMost: readAtMost({ ...part, count, ...(isCut && { isCut }) }) });
  }
  return [...parts.values()];
}

function addPart(parts: Map<string, PartToRead>, changes: readonly Change[], part: PartToRead): void {
  const isOfPart = within(part);
  const mayHide = (other: Change): boolean =>
    other.kind === 'append' ? other.pk === part.pk : 'sk' in other && other.pk === part.pk && isOfPart(other.sk);
  const atMost = part.atMost + changes.filter(mayHide).length;
  const name = nameOfPart(part);
  parts.set(name, { ...part, atMost: Math.max(atMost, parts.get(name)?.atMost ?? 0) });
}

function nameOfPart({ pk, prefix = '', after = '', before = '' }: PartitionPart): string {
  return [pk, prefix, after, before].join('\0');
}

function currentOf(row: CurrentRow | undefined): StoredItem | undefined {
  if (row === undefined) return undefined;
  const [version, queue, at] = row;
  return queue === null || at === null ? { version } : { version, due: { at, queue } };
}
