import type { Clock } from '../lib/clock.ts';
import { assertWhere, isMemberValue } from '../lib/where.ts';
import type { CommitVerdict, GroupMember } from './committing/apply-group.ts';
import {
  type CommitterLimits,
  committerDefaults,
  GroupCommitter,
  type MemberAnswer,
  type ServerGroup,
} from './committing/group-committer.ts';
import { assertScopeName, validateChanges } from './committing/validate-changes.ts';
import { type KeyBounds, keyBounds } from './key-bounds.ts';
import {
  type Change,
  type CommitOptions,
  type Committed,
  Conflict,
  type DueItem,
  type FollowedEntry,
  type Health,
  type Item,
  isIndexPartition,
  type Key,
  limits,
  type Measured,
  type MeasureRead,
  type OpenedStore,
  type Queue,
  type Range,
  type RangeRead,
  type Scope,
  ScopeClosed,
  type ScopeHead,
  type ScopeName,
  type ScopeState,
  type Selected,
  type SelectRead,
  Unavailable,
} from './port.ts';
import { measureByReading, selectByReading } from './read-where.ts';

/** A key range as an engine reads it: bounds computed, limits checked. */
export interface BoundedRead extends KeyBounds {
  readonly pk: string;
  readonly isReverse: boolean;
  readonly limit: number;
  readonly bytesMax: number;
}

/** A {@link SelectRead} as an engine reads it. */
export type BoundedSelect = BoundedRead & Pick<SelectRead, 'where' | 'rowsMax' | 'signal'>;

/** A {@link MeasureRead} as an engine reads it. */
export type BoundedMeasure = Pick<BoundedRead, 'pk' | 'from' | 'isFromIncluded' | 'to' | 'isReverse'> &
  Omit<MeasureRead, keyof Range>;

type EngineAnswer<T> = T | Promise<T>;

/** The duties of an adapter. Everything is validated before; an item expired at `now` is never returned. */
export interface Engine {
  readonly kind: Health['kind'];
  readonly synchronous: Health['synchronous'];
  /** So many groups are run at once, never two with a scope in common. Left out: one at a time. */
  readonly groupsAtOnce?: number;
  /** Of so many scopes may a group be. Left out: of all that wait. */
  readonly scopesOfGroupMax?: number;
  /** So many changes of a group may be of one owner where others commit too, or one commit. Left out: all of them. */
  readonly groupChangesOfOwnerMax?: number;
  /** The concurrent groups of one server group; see {@link CommitterLimits}. */
  readonly groupsOfServerMax?: number;
  /** The servers that keep the data, where there are several. */
  readonly servers?: Health['servers'];
  serverGroupOf?(scope: ScopeName): ServerGroup;
  get(scope: ScopeName, keys: readonly Key[], now: number): EngineAnswer<readonly (Item | undefined)[]>;
  range(scope: ScopeName, read: BoundedRead, now: number): EngineAnswer<readonly Item[]>;
  follow(scope: ScopeName, read: BoundedRead, now: number): EngineAnswer<readonly FollowedEntry[]>;
  count(scope: ScopeName, read: BoundedRead, now: number): EngineAnswer<number>;
  /** Left out, as `measure` is: what is asked is read, and looked at here. */
  select?(scope: ScopeName, read: BoundedSelect, now: number): EngineAnswer<Selected>;
  measure?(scope: ScopeName, read: BoundedMeasure, now: number): EngineAnswer<Measured>;
  /** Judges by `applyGroup`, stores, and answers when the group is durable. A scope's next group waits for the answer. */
  runGroup(members: readonly GroupMember[], now: number): Promise<readonly MemberAnswer[]>;
  scopes(after: ScopeName | undefined, limit: number): EngineAnswer<readonly ScopeHead[]>;
  scan(scope: ScopeName, after: Key | undefined, limit: number): EngineAnswer<readonly Item[]>;
  due(queue: Queue, before: number, limit: number): EngineAnswer<readonly DueItem[]>;
  dataVersion(): EngineAnswer<number>;
  setDataVersion(version: number): EngineAnswer<void>;
  isHealthy(): EngineAnswer<boolean>;
  /** Why the last answer was no. */
  readonly fault?: string | undefined;
  /** No group is under way any more. */
  close(): Promise<void>;
}

/** Takes commits that are checked, and answers each when it is stored. */
interface Committer {
  submit(member: GroupMember, bytes: number, options?: CommitOptions): Promise<CommitVerdict>;
  close(): Promise<void>;
}

/** The queue in front of an engine's writer. */
function committerOf(engine: Engine, clock: Clock): Committer {
  return new GroupCommitter((members) => engine.runGroup(members, clock.now()), limitsOf(engine));
}

/**
 * Puts the port in front of an engine: checks arguments, queues commits, turns verdicts into answers.
 * @param committer takes the commits, where the engine has no writer.
 */
export function storeOnEngine(engine: Engine, clock: Clock, committer = committerOf(engine, clock)): OpenedStore {
  const backend: Backend = { engine, clock, committer, isClosed: false };
  let closing: Promise<void> | undefined;
  const close = async () => {
    await committer.close();
    backend.isClosed = true;
    await engine.close();
  };
  return {
    store: {
      scope: (name) => openScope(backend, name),
      health: async () => ({
        ...(await wellness(backend)),
        kind: engine.kind,
        synchronous: engine.synchronous,
        ...(engine.servers === undefined ? {} : { servers: engine.servers }),
      }),
      close: () => {
        closing ??= close();
        return closing;
      },
    },
    maintenance: {
      scopes: async (after, limit) => open(backend).scopes(after, wholeNumber(limit)),
      scan: async (scope, after, limit) => open(backend).scan(scope, after, wholeNumber(limit)),
      due: async (queue, before, limit) => open(backend).due(queue, before, wholeNumber(limit)),
      setState: (scope, state) => setState(backend, scope, state),
      load: (head, items) => load(backend, head, items),
      dataVersion: async () => open(backend).dataVersion(),
      setDataVersion: async (version) => open(backend).setDataVersion(version),
    },
  };
}

async function wellness({ engine, isClosed }: Backend): Promise<Pick<Health, 'ok' | 'fault'>> {
  const ok = !isClosed && (await engine.isHealthy());
  return ok || engine.fault === undefined ? { ok } : { ok, fault: engine.fault };
}

function limitsOf(engine: Engine): CommitterLimits {
  const { groupsAtOnce, scopesOfGroupMax, groupChangesOfOwnerMax, groupsOfServerMax } = engine;
  return {
    ...committerDefaults,
    ...(groupsAtOnce === undefined ? {} : { groupsAtOnce }),
    ...(scopesOfGroupMax === undefined ? {} : { scopesOfGroupMax }),
    ...(groupChangesOfOwnerMax === undefined ? {} : { groupChangesOfOwnerMax }),
    ...(groupsOfServerMax === undefined
      ? {}
      : { groupsOfServerMax, serverGroupOf: (scope) => engine.serverGroupOf?.(scope) }),
  };
}

interface Backend {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly committer: Committer;
  isClosed: boolean;
}

function openScope(backend: Backend, name: ScopeName): Scope {
  assertScopeName(name);
  const { clock } = backend;
  return {
    name,
    async get(keys) {
      for (const key of keys) assertReadable(key.pk, key.sk);
      return open(backend).get(name, keys, clock.now());
    },
    async range(pk, read) {
      return open(backend).range(name, boundedRead(pk, read), clock.now());
    },
    async follow(indexPk, read) {
      if (!isIndexPartition(indexPk)) throw new TypeError('only an index partition can be followed');
      return open(backend).follow(name, boundedRead(indexPk, read), clock.now());
    },
    async count(pk, range, atMost) {
      return open(backend).count(name, boundedRead(pk, countRead(range, atMost)), clock.now());
    },
    async select(pk, read) {
      const bounded = boundedSelect(pk, read);
      return (
        open(backend).select?.(name, bounded, clock.now()) ??
        selectByReading(await snapshotOf(backend, name, bounded), pk, read)
      );
    },
    async measure(pk, read) {
      const bounded = boundedMeasure(pk, read);
      return (
        open(backend).measure?.(name, bounded, clock.now()) ??
        measureByReading(await snapshotOf(backend, name, { ...bounded, limit: 0, bytesMax: 0 }), pk, read)
      );
    },
    commit: (changes, options) => commit(backend, { scope: name, changes }, options),
  };
}

async function commit(
  { committer }: Backend,
  { scope, changes }: { readonly scope: ScopeName; readonly changes: readonly Change[] },
  options: CommitOptions | undefined,
): Promise<Committed> {
  const bytes = validateChanges(changes);
  return committed(await committer.submit({ kind: 'commit', scope, changes }, bytes, options));
}

async function setState({ committer }: Backend, scope: ScopeName, state: ScopeState): Promise<void> {
  const bytes = assertScopeName(scope);
  committed(await committer.submit({ kind: 'set-state', scope, state }, bytes));
}

async function load({ committer }: Backend, head: ScopeHead, items: readonly Item[]): Promise<void> {
  const { name: scope, seq, state } = head;
  const bytes = assertScopeName(scope) + items.reduce((sum, item) => sum + Buffer.byteLength(item.value), 0);
  committed(await committer.submit({ kind: 'load', scope, head: { seq, state }, items }, bytes));
}

function committed(verdict: CommitVerdict): Committed {
  switch (verdict.kind) {
    case 'committed':
      return { seq: verdict.seq, sums: verdict.sums };
    case 'conflict':
      throw new Conflict(verdict.changeIndex, verdict.reason);
    case 'closed':
      throw new ScopeClosed('the scope takes no commits any more');
    case 'not-a-counter':
      throw new TypeError(`change ${verdict.changeIndex} adds to an item that is no counter`);
  }
}

function open({ engine, isClosed }: Backend): Engine {
  if (isClosed) throw new Unavailable('the store is closed');
  return engine;
}

function countRead(range: Range, atMost: number): RangeRead {
  return { ...range, limit: atMost };
}

function boundedRead(pk: string, read: RangeRead): BoundedRead {
  assertReadable(pk, read.prefix, read.after, read.before);
  return {
    ...keyBounds(read),
    pk,
    isReverse: read.reverse ?? false,
    limit: wholeNumber(read.limit),
    bytesMax: read.bytesMax === undefined ? Number.POSITIVE_INFINITY : wholeNumber(read.bytesMax),
  };
}

/** All that an engine without questions of its own has of a part, read at once, which gives it in parts. */
async function snapshotOf(
  backend: Backend,
  name: ScopeName,
  read: BoundedRead,
): Promise<Pick<Scope, 'range' | 'follow'>> {
  const whole = { ...read, limit: Number.MAX_SAFE_INTEGER, bytesMax: Number.POSITIVE_INFINITY };
  const now = backend.clock.now();
  const isIndex = isIndexPartition(read.pk);
  const items = isIndex ? [] : await open(backend).range(name, whole, now);
  const followed = isIndex ? await open(backend).follow(name, whole, now) : [];
  let at = 0;
  const next = <T>(all: readonly T[], limit: number): readonly T[] => {
    at += limit;
    return all.slice(at - limit, at);
  };
  return {
    range: async (_pk, { limit }) => next(items, limit),
    follow: async (_pk, { limit }) => next(followed, limit),
  };
}

function boundedSelect(pk: string, read: SelectRead): BoundedSelect {
  const { where, rowsMax, signal } = read;
  assertWhere(where);
  return {
    ...boundedRead(pk, read),
    where,
    rowsMax: wholeNumber(rowsMax),
    ...(signal === undefined ? {} : { signal }),
  };
}

function boundedMeasure(pk: string, read: MeasureRead): BoundedMeasure {
  const { where, group, measures, rowsMax, groupsMax, signal } = read;
  assertWhere(where);
  if (group.length > limits.groupMembersMax || measures.length > limits.measuresMax)
    throw new TypeError('too many groups or measures');
  for (const { path, type, bounds = [] } of group) {
    assertWhere({ kind: 'exists', path, type });
    if (bounds.length > limits.boundsMax || !bounds.every((bound) => isMemberValue(bound, type)))
      throw new TypeError('the bounds of a group are not of its type');
  }
  for (const measure of measures) if (measure.kind !== 'count') assertWhere({ ...measure, kind: 'exists' });
  const { limit, bytesMax, ...bounds } = boundedRead(pk, { ...rangeOf(read), limit: 0 });
  return {
    ...bounds,
    ...{ where, group, measures, rowsMax: wholeNumber(rowsMax), groupsMax: wholeNumber(groupsMax) },
    ...(signal === undefined ? {} : { signal }),
  };
}

function rangeOf({ prefix, after, before, reverse }: Range): Range {
  return {
    ...(prefix === undefined ? {} : { prefix }),
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
    ...(reverse === undefined ? {} : { reverse }),
  };
}

/** Half a surrogate pair has no place in the order of bytes, and an engine would quietly look for another text. */
function assertReadable(...texts: readonly (string | undefined)[]): void {
  for (const text of texts) {
    if (text?.isWellFormed() === false) throw new TypeError('a key contains a lone surrogate');
  }
}

function wholeNumber(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new TypeError('a limit must be a whole number, 0 or more');
  return value;
}
