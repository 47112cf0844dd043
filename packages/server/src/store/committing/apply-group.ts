import { type ChainHead, chainHeadKey, headValue, linkDigest, linkValue, noChain, readHead } from '../chain.ts';
import { isAsRead, type PartItem, type PartitionPart, readAtMost, within } from '../key-bounds.ts';
import type {
  Add,
  Append,
  Change,
  Check,
  CheckEmpty,
  CheckReads,
  Condition,
  ConflictReason,
  Due,
  Item,
  Key,
  PartRead,
  Put,
  Remove,
  ScopeName,
  ScopeState,
  Tally,
} from '../port.ts';
import { isLeft, tallied, tallyText } from '../tally.ts';

/** What is stored at the moment a group is judged. Adapters answer from a transaction, or from what they prefetched. */
export interface CommittedState {
  /** Milliseconds since the epoch; the one time that the whole group is judged by. */
  readonly now: number;
  head(scope: ScopeName): Head | undefined;
  /** The item as it is stored, expired or not. */
  item(scope: ScopeName, key: Key): StoredItem | undefined;
  /** The value of an item; asked for counters, rows of figures and heads of chains only. */
  value(scope: ScopeName, key: Key): string | undefined;
  /** Items of a part of a partition that have not expired at `now`, at most `atMost` of them. */
  part(scope: ScopeName, part: PartitionPart, atMost: number): readonly PartItem[];
}

export interface Head {
  readonly seq: number;
  readonly state: ScopeState;
}

export interface StoredItem {
  readonly version: number;
  readonly due?: Due;
}

export type GroupMember =
  | { readonly kind: 'commit'; readonly scope: ScopeName; readonly changes: readonly Change[] }
  | { readonly kind: 'set-state'; readonly scope: ScopeName; readonly state: ScopeState }
  | { readonly kind: 'load'; readonly scope: ScopeName; readonly head: Head; readonly items: readonly Item[] };

export type CommitVerdict =
  | { readonly kind: 'committed'; readonly seq: number; readonly sums: readonly number[] }
  | { readonly kind: 'conflict'; readonly changeIndex: number; readonly reason: ConflictReason }
  | { readonly kind: 'closed' }
  | { readonly kind: 'not-a-counter'; readonly changeIndex: number };

/** The last state of one key after the group: an item, or nothing. */
export interface Write extends Key {
  readonly scope: ScopeName;
  readonly item: Item | undefined;
}

/**
 * Decides a group of commits: members apply in order, a later one sees what the earlier ones wrote, and a refused one
 * leaves no trace. Pure, so that every adapter decides alike and only has to lock, read and write.
 */
export function applyGroup(current: CommittedState, members: readonly GroupMember[]) {
  const group: CommitGroup = { current, heads: new Map(), written: new Layer(), checked: new Map() };
  const verdicts = members.map((member) => applyMember(group, member));
  return { verdicts, writes: [...group.written.writes()], heads: group.heads };
}

export function isExpired(due: Due | undefined, now: number): boolean {
  return due !== undefined && due.queue === 'expire' && due.at <= now;
}

interface CommitGroup {
  readonly current: CommittedState;
  readonly heads: Map<ScopeName, Head>;
  readonly written: Layer;
  /** What was read for checks: the commits of a group often check the same key, such as the fence of an entity. */
  readonly checked: Map<string, StoredItem | undefined>;
}

/** One commit while it is judged. Its `own` writes reach the group only when nothing refuses it. */
interface CommitAttempt {
  readonly group: CommitGroup;
  readonly scope: ScopeName;
  readonly seq: number;
  readonly own: Layer;
  readonly sums: number[];
  appended: number;
}

function applyMember(group: CommitGroup, member: GroupMember): CommitVerdict {
  const { scope } = member;
  if (member.kind === 'load') {
    for (const item of member.items) group.written.set(scope, item, item);
    group.heads.set(scope, member.head);
    return { kind: 'committed', seq: member.head.seq, sums: [] };
  }
  const head = group.heads.get(scope) ?? group.current.head(scope) ?? { seq: 0, state: 'open' };
  if (member.kind === 'set-state') {
    group.heads.set(scope, { seq: head.seq, state: member.state });
    return { kind: 'committed', seq: head.seq, sums: [] };
  }
  if (head.state === 'closed') return { kind: 'closed' };
  const seq = head.seq + 1;
  const attempt: CommitAttempt = { group, scope, seq, own: new Layer(), sums: [], appended: 0 };
  const refusal = judge(attempt, member.changes);
  if (refusal !== undefined) return refusal;
  if (!takesSeq(member)) return { kind: 'committed', seq: head.seq, sums: [] };
  group.written.take(attempt.own);
  group.heads.set(scope, { seq, state: head.state });
  return { kind: 'committed', seq, sums: attempt.sums };
}

/** Whether the member counts among the commits of its scope: what only looks whether its reads still hold does not. */
export function takesSeq(member: GroupMember): boolean {
  return member.kind === 'commit' && !(member.changes.length === 1 && member.changes[0]?.kind === 'check-reads');
}

/** `check-empty` comes last: it is judged after the commit's own changes, wherever it stands among them. */
function judge(attempt: CommitAttempt, changes: readonly Change[]): CommitVerdict | undefined {
  for (const [changeIndex, change] of changes.entries()) {
    const refusal = applyChange(attempt, change, changeIndex);
    if (refusal !== undefined) return refusal;
  }
  for (const [changeIndex, change] of changes.entries()) {
    if (change.kind !== 'check-empty' || isEmpty(attempt, change)) continue;
    return { kind: 'conflict', changeIndex, reason: 'not-empty' };
  }
  return undefined;
}

function applyChange(attempt: CommitAttempt, change: Change, changeIndex: number): CommitVerdict | undefined {
  switch (change.kind) {
    case 'check-empty':
      return undefined;
    case 'check-reads':
      return areAsRead(attempt, change) ? undefined : { kind: 'conflict', changeIndex, reason: 'condition' };
    case 'append':
      applyAppend(attempt, change);
      return undefined;
    case 'put-index':
      putIndex(attempt, change, change.target);
      return undefined;
    case 'add':
      return applyAdd(attempt, change, changeIndex);
    case 'tally':
      return applyTally(attempt, change, changeIndex);
    case 'put':
    case 'remove':
    case 'check':
      if (change.if !== 'any' && !holds(change.if, liveVersion(attempt, change)))
        return { kind: 'conflict', changeIndex, reason: 'condition' };
      if (change.kind === 'put') putValue(attempt, change, change.value, change.due);
      if (change.kind === 'remove') attempt.own.set(attempt.scope, change, undefined);
      return undefined;
  }
}

function applyAppend(attempt: CommitAttempt, { pk, value: text, isChained }: Append): void {
  const key = { pk, sk: appendedKey(attempt.seq, attempt.appended++) };
  if (isChained !== true) {
    putValue(attempt, key, text, undefined);
    return;
  }
  const before = findChainHead(attempt, pk);
  const digest = linkDigest(before.digest, { ...key, scope: attempt.scope, text });
  putValue(attempt, key, linkValue({ digest, text }), undefined);
  putValue(attempt, chainHeadKey(pk), headValue({ count: before.count + 1, digest }), undefined);
}

/** A commit may append to one partition more than once. A head that is none holds up no writer: a verification finds it. */
function findChainHead({ group, scope, own }: CommitAttempt, pk: string): ChainHead {
  const key = chainHeadKey(pk);
  const written = own.get(scope, key) ?? group.written.get(scope, key);
  const value = written === undefined ? group.current.value(scope, key) : written.item?.value;
  return readHead(value ?? '') ?? noChain;
}

/** A counter is an item whose value is its decimal text. What stood beside the value, its `due`, stays. */
function applyAdd(attempt: CommitAttempt, change: Add, changeIndex: number): CommitVerdict | undefined {
  const counter = findCounter(attempt, change);
  const before = counter === undefined ? 0 : parseCounter(counter.value);
  if (before === undefined) return { kind: 'not-a-counter', changeIndex };
  const sum = before + change.by;
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = change;
  if (!Number.isSafeInteger(sum) || sum < min || sum > max) return { kind: 'conflict', changeIndex, reason: 'bound' };
  putValue(attempt, change, String(sum), counter?.due);
  attempt.sums.push(sum);
  return undefined;
}

function applyTally(attempt: CommitAttempt, change: Tally, changeIndex: number): CommitVerdict | undefined {
  const before = findCounter(attempt, change);
  try {
    const row = tallied(before?.value, change);
    if (isLeft(row)) putValue(attempt, change, tallyText(row), undefined);
    else attempt.own.set(attempt.scope, change, undefined);
    attempt.sums.push(Number(row.figures[0] ?? 0));
    return undefined;
  } catch {
    return { kind: 'not-a-counter', changeIndex };
  }
}

function holds(condition: Exclude<Condition, 'any'>, version: number | undefined): boolean {
  switch (condition) {
    case 'absent':
      return version === undefined;
    case 'present':
      return version !== undefined;
    default:
      return version === condition.version;
  }
}

function putValue(attempt: CommitAttempt, key: Key, value: string, due: Due | undefined): void {
  const item: Item = { pk: key.pk, sk: key.sk, version: attempt.seq, value };
  attempt.own.set(attempt.scope, key, due === undefined ? item : { ...item, due: { at: due.at, queue: due.queue } });
}

function putIndex(attempt: CommitAttempt, key: Key, target: Key): void {
  const item = { pk: key.pk, sk: key.sk, version: attempt.seq, value: '' };
  attempt.own.set(attempt.scope, key, { ...item, target: { pk: target.pk, sk: target.sk } });
}

/** A commit names a key once, so its conditions never meet its own writes: only those of earlier members. */
function liveVersion({ group, scope }: CommitAttempt, change: Put | Remove | Check): number | undefined {
  return versionOf(group, scope, change, change.kind === 'check' ? readOnce : readItem);
}

/** What is under a key before the commit. */
function versionOf(group: CommitGroup, scope: ScopeName, key: Key, read: typeof readItem): number | undefined {
  const written = group.written.get(scope, key);
  const current = written === undefined ? read(group, scope, key) : written.item;
  return current === undefined || isExpired(current.due, group.current.now) ? undefined : current.version;
}

/** The commit's own changes do not count, wherever they are: they were planned on what was read. */
function areAsRead({ group, scope }: CommitAttempt, { items, parts }: CheckReads): boolean {
  return (
    items.every((read) => versionOf(group, scope, read, readOnce) === read.version) &&
    parts.every((part) => isPartAsRead(group, scope, part))
  );
}

/** By what is stored, and the writes of the commits before in its place. */
function isPartAsRead({ written, current }: CommitGroup, scope: ScopeName, part: PartRead): boolean {
  const isOfPart = within(part);
  const own = [...written.partition(scope, part.pk).values()].filter(({ sk }) => isOfPart(sk));
  const hidden = new Set(own.map(({ sk }) => sk));
  const stored = current.part(scope, part, readAtMost(part) + hidden.size).filter(({ sk }) => !hidden.has(sk));
  const live = own.flatMap(({ item }) => (item === undefined || isExpired(item.due, current.now) ? [] : [item]));
  return isAsRead(part, [...stored, ...live]);
}

function readItem({ current }: CommitGroup, scope: ScopeName, key: Key): StoredItem | undefined {
  return current.item(scope, key);
}

/** Nothing is stored before the whole group is decided, so what was read once holds for all of it. */
function readOnce(group: CommitGroup, scope: ScopeName, key: Key): StoredItem | undefined {
  const name = `${partitionName(scope, key.pk)}\0${key.sk}`;
  const known = group.checked.get(name);
  if (known !== undefined || group.checked.has(name)) return known;
  const current = readItem(group, scope, key);
  group.checked.set(name, current);
  return current;
}

function findCounter({ group, scope }: CommitAttempt, key: Key): { value: string; due: Due | undefined } | undefined {
  const written = group.written.get(scope, key);
  const current = written === undefined ? group.current.item(scope, key) : written.item;
  if (current === undefined || isExpired(current.due, group.current.now)) return undefined;
  const value = written === undefined ? group.current.value(scope, key) : written.item?.value;
  return { value: value ?? '', due: current.due };
}

function parseCounter(text: string): number | undefined {
  const value = Number(text);
  return Number.isSafeInteger(value) && String(value) === text ? value : undefined;
}

/** Sixteen digits hold every safe integer, four every change of a commit: text order is commit order. */
function appendedKey(seq: number, ordinal: number): string {
  return `${String(seq).padStart(16, '0')}-${String(ordinal).padStart(4, '0')}`;
}

/** Whether an append could write there. */
export function isAppendedKey(sk: string): boolean {
  return sk.length === 21 && sk[16] === '-' && /^\d{16}-\d{4}$/.test(sk);
}

/** Written keys hide stored ones, so as many stored keys are read as could be hidden, and one more. */
function isEmpty(attempt: CommitAttempt, { pk, prefix }: CheckEmpty): boolean {
  const { group, scope, own } = attempt;
  const written = new Map([...group.written.partition(scope, pk), ...own.partition(scope, pk)]);
  let hidden = 0;
  for (const [sk, { item }] of written) {
    if (!sk.startsWith(prefix)) continue;
    if (item !== undefined && !isExpired(item.due, group.current.now)) return false;
    hidden++;
  }
  return group.current.part(scope, { pk, prefix }, hidden + 1).every(({ sk }) => written.has(sk));
}

/** Writes that are not stored yet, by partition. */
class Layer {
  readonly #partitions = new Map<string, Map<string, Write>>();

  get(scope: ScopeName, key: Key): Write | undefined {
    return this.#partitions.get(partitionName(scope, key.pk))?.get(key.sk);
  }

  set(scope: ScopeName, key: Key, item: Item | undefined): void {
    this.#put({ scope, pk: key.pk, sk: key.sk, item });
  }

  partition(scope: ScopeName, pk: string): ReadonlyMap<string, Write> {
    return this.#partitions.get(partitionName(scope, pk)) ?? nothing;
  }

  take(other: Layer): void {
    for (const write of other.writes()) this.#put(write);
  }

  *writes(): Iterable<Write> {
    for (const partition of this.#partitions.values()) yield* partition.values();
  }

  #put(write: Write): void {
    const name = partitionName(write.scope, write.pk);
    const partition = this.#partitions.get(name);
    if (partition === undefined) this.#partitions.set(name, new Map([[write.sk, write]]));
    else partition.set(write.sk, write);
  }
}

const nothing: ReadonlyMap<string, Write> = new Map();

/** U+0000 is in no name, so the join is unambiguous. */
function partitionName(scope: ScopeName, pk: string): string {
  return `${scope}\0${pk}`;
}
