import { chainHeadKey } from '../chain.ts';
import type { Current, Head, Member, StoredItem } from '../committing/apply-group.ts';
import { type Part, type PartItem, readAtMost, within } from '../committing/parts.ts';
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

interface AskedPart extends Part {
  readonly atMost: number;
}

/** Everything that judging a group of one scope may ask of the store, so that it can be read at once. */
export class GroupReads {
  readonly #scope: ScopeName;
  readonly #keys: readonly AskedKey[];
  readonly #parts: readonly AskedPart[];

  constructor(scope: ScopeName, members: readonly Member[]) {
    const changes = members.flatMap((member) => (member.kind === 'commit' ? member.changes : []));
    this.#scope = scope;
    this.#keys = keysOf(changes);
    this.#parts = partsOf(changes);
  }

  /** Only under the lock of the head: then there are no writes between the statements. */
  async read(
    connection: Connection,
    statements: Statements,
    now: number,
  ): Promise<(head: Head | undefined) => Current> {
    const [found, ...items] = await Promise.all([
      this.#readStanding(connection, statements),
      ...this.#parts.map((asked) => this.#readPart(connection, statements, { ...asked, now })),
    ]);
    const parts = new Map(this.#parts.map((asked, index) => [nameOfPart(asked), items[index]]));
    return (head) => ({
      now,
      head: () => head,
      item: (_scope, key) => standingOf(found.get(nameOf(key))),
      value: (_scope, key) => found.get(nameOf(key))?.[3] ?? undefined,
      part: (_scope, part, atMost) => (parts.get(nameOfPart(part)) ?? []).slice(0, atMost),
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

  async #readPart(
    connection: Connection,
    statements: Statements,
    { pk, atMost, now, ...range }: AskedPart & { readonly now: number },
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

function keysOf(changes: readonly Change[]): readonly AskedKey[] {
  const asked = new Map<string, AskedKey>();
  for (const change of changes)
    for (const key of askedKeysOf(change)) if (key.isValueAsked || !asked.has(nameOf(key))) asked.set(nameOf(key), key);
  return [...asked.values()];
}

/** Changes that stand under no condition need to know nothing. Values of counters and of heads are read, no other. */
function askedKeysOf(change: Change): readonly AskedKey[] {
  switch (change.kind) {
    case 'append':
      return change.isChained === true ? [{ ...chainHeadKey(change.pk), isValueAsked: true }] : [];
    case 'add':
      return [{ pk: change.pk, sk: change.sk, isValueAsked: true }];
    case 'check-reads':
      return change.items.map(({ pk, sk }) => ({ pk, sk, isValueAsked: false }));
    case 'put':
    case 'remove':
    case 'check':
      return change.if === 'any' ? [] : [{ pk: change.pk, sk: change.sk, isValueAsked: false }];
    case 'put-index':
    case 'check-empty':
      return [];
  }
}

/** Of each part as many items as show what is asked of it, and as many more as the group itself could hide. */
function partsOf(changes: readonly Change[]): readonly AskedPart[] {
  const asked = new Map<string, AskedPart>();
  for (const change of changes) {
    if (change.kind === 'check-empty') addPart(asked, changes, { pk: change.pk, prefix: change.prefix, atMost: 1 });
    if (change.kind !== 'check-reads') continue;
    for (const { count, newest: _, isCut, ...part } of change.parts)
      addPart(asked, changes, { ...part, atMost: readAtMost({ ...part, count, ...(isCut && { isCut }) }) });
  }
  return [...asked.values()];
}

function addPart(asked: Map<string, AskedPart>, changes: readonly Change[], part: AskedPart): void {
  const isOfPart = within(part);
  const mayHide = (other: Change): boolean =>
    other.kind === 'append' ? other.pk === part.pk : 'sk' in other && other.pk === part.pk && isOfPart(other.sk);
  const atMost = part.atMost + changes.filter(mayHide).length;
  const name = nameOfPart(part);
  asked.set(name, { ...part, atMost: Math.max(atMost, asked.get(name)?.atMost ?? 0) });
}

function nameOfPart({ pk, prefix = '', after = '', before = '' }: Part): string {
  return [pk, prefix, after, before].join('\0');
}

function standingOf(row: Standing | undefined): StoredItem | undefined {
  if (row === undefined) return undefined;
  const [version, queue, at] = row;
  return queue === null || at === null ? { version } : { version, due: { at, queue } };
}
