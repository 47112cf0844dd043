import type { Reply } from '../api/reply.ts';
import type { ConfigReader } from '../config/port.ts';
import type { Clock } from '../lib/clock.ts';
import type { IdSource } from '../lib/ids.ts';
import { createSerializer } from '../lib/scheduling/serializer.ts';
import { TooLarge } from '../store/port.ts';
import type { Environment, Workspace } from '../tenancy/port.ts';
import { aggregateBounds } from './aggregates/aggregate-run.ts';
import { type AsksMore, aggregate } from './aggregates/routes.ts';
import type { AuthorizedCall } from './caller-access.ts';
import { withFilter } from './filtering/compile-filter.ts';
import { filterTargets } from './filtering/filter-lookups.ts';
import { countRecords, type RecordCount, type Total, totalRecords } from './listing/counting/count-records.ts';
import type { Cursors } from './listing/cursor.ts';
import { findItem } from './listing/find-record.ts';
import type { ListRoute } from './listing/list-parameters.ts';
import { type ListQuery, readListQuery } from './listing/list-query.ts';
import { listRecords } from './listing/list-records.ts';
import { withLookupSort } from './listing/list-scope.ts';
import type { RecordPage } from './listing/record-page.ts';
import { countBudget, newScan, type ScanLeft, scanBudget, transactionItems } from './listing/walking/record-walk.ts';
import { dataOf, type StoredRecord } from './record.ts';
import type { ReadableText } from './record-policy.ts';
import { TooManyDependents } from './references.ts';
import { type RemovalJob, RemovalMarkConflict } from './removals/removal-row.ts';
import { createLargeRemovals, type LargeRemovals } from './removals/start-removal.ts';
import {
  createIdempotency,
  createRepeatedRequests,
  type Idempotency,
  type OnceRequest,
  type RepeatedRequests,
} from './repeated-requests.ts';
import { beginTransaction, type RecordTransaction, rehearsalLoop } from './transactions/record-transaction.ts';
import { createFences } from './writing/fence.ts';
import { createNumbering } from './writing/numbering.ts';
import type { DeleteInput, UpdateInput } from './writing/plan-writes.ts';
import { assertVisible } from './writing/record-checks.ts';
import { afterCommitHooks, type RecordWriteDeps } from './writing/record-write-deps.ts';
import { createSealer, type SealingKey } from './writing/sealed-values.ts';
import { boundedLoop, createWriteLoop, gatedLoop, type RecordCall, type WriteLoop } from './writing/write-loop.ts';
import {
  type RecordOperation,
  rehearseWrite,
  rehearsing,
  type WriteOptions,
  type WrittenRecords,
  writeRecords,
} from './writing/write-records.ts';

export interface RecordsDeps extends Pick<RecordWriteDeps, 'rules' | 'gate' | 'policyBound' | 'events' | 'before'> {
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly clock: Clock;
  readonly newId: IdSource;
  readonly cursors: Cursors;
  readonly fieldKeys: readonly SealingKey[];
  readonly idempotencyKey: Uint8Array;
  /** Has background jobs look for work. */
  readonly wake: () => void;
}

export interface Records {
  readonly runtime: RecordRuntime;
  readonly idempotency: Idempotency;
  readonly repeats: RepeatedRequests;
  readonly removals: LargeRemovals;
}

/** The runtime of all records, and what lets a request be sent again. */
export function createRecords({ configs, fieldKeys, idempotencyKey, wake, ...deps }: RecordsDeps): Records {
  const sealer = createSealer(fieldKeys);
  const writeLoop = createWriteLoop({ configs, fences: createFences() });
  const { clock, newId } = deps;
  const removals = createLargeRemovals({ configs, clock, newId, wake, before: deps.before });
  return {
    removals,
    runtime: createRecordRuntime({ ...deps, removals, writeLoop, numbering: createNumbering(), sealer }),
    idempotency: createIdempotency(idempotencyKey, deps.clock),
    repeats: createRepeatedRequests(sealer),
  };
}

export type RecordRouteDeps = Pick<Records, 'runtime' | 'idempotency'>;

// The one runtime that serves the records of every entity.

export interface RecordRuntime {
  /** An id for a record that is known by it before it is made. */
  readonly newId: IdSource;
  create(call: RecordCall, body: unknown, once?: OnceRequest): Promise<CreatedRecord>;
  /** Undefined where there is none. @throws Problem `not_found` where it is not the caller's. */
  get(call: RecordCall, id: string): Promise<ReadableText | undefined>;
  update(call: RecordCall, input: UpdateInput): Promise<StoredRecord>;
  remove(call: RecordCall, input: DeleteInput): Promise<void>;
  /** The same, and where that is too much for one commit, the job that goes on with it. */
  removeOrStart(call: RecordCall, input: DeleteInput): Promise<RemovalJob | undefined>;
  /** Several writes in one commit. */
  write(operations: readonly RecordOperation[], options?: WriteOptions): Promise<WrittenRecords>;
  /** The record a write would leave, which is not done; undefined for a removal. @throws Problem as the write would. */
  rehearse(operation: RecordOperation): Promise<StoredRecord | undefined>;
  /**
   * The query of a list or a count.
   * @param parameters the query string's parameters, each at most once. @throws Problem `invalid_request` and others.
   */
  query(call: AuthorizedCall, parameters: ReadonlyMap<string, string>, route?: ListRoute): Promise<ListQuery>;
  /** @param left what the page may look at, where pages share it. */
  list(call: RecordCall, query: ListQuery, left?: ScanLeft): Promise<RecordPage>;
  /** The number of records on all pages of the list that a page is of. */
  total(call: RecordCall, query: ListQuery, page: RecordPage, left?: ScanLeft): Promise<Total>;
  count(call: RecordCall, query: ListQuery, left?: ScanLeft): Promise<RecordCount>;
  /**
   * Figures of groups of records, as the reply has them.
   * @param parameters the query string's parameters, each at most once. @throws Problem `invalid_request` and others.
   */
  aggregate(call: AuthorizedCall, parameters: ReadonlyMap<string, string>, asks?: AsksMore): Promise<Reply>;
  /** Begins a transaction, which is forgotten unless it commits. */
  transaction(workspace: Workspace): RecordTransaction;
  /** A transaction judged as by {@link rehearse}, unique values included, and never committed. */
  rehearsal(workspace: Workspace): Omit<RecordTransaction, 'commit'>;
  readonly bulk: BulkWrites;
}

/** For modules that write many records by the rules of single ones, as an import does. */
export interface BulkWrites {
  readonly deps: RecordWriteDeps;
  /** Does a piece of work when records of the call's entity may be written. */
  inTurn<T>(call: RecordCall, work: () => Promise<T>): Promise<T>;
}

interface RecordRuntimeDeps extends RecordWriteDeps {
  /** Left out, a removal that is too large for one commit is refused. */
  readonly removals?: LargeRemovals | undefined;
  /** Milliseconds that only grow, by which a page or a count ends that takes too long; left out, those of the process. */
  readonly elapsed?: () => number;
  /** The records that a page or a count looks at at most; left out, those of its budget. */
  readonly itemsMax?: number | undefined;
}

interface CreatedRecord extends StoredRecord, Pick<WrittenRecords, 'isReplayed'> {}

/**
 * Writes that would overtake one another take turns within this process: those of one record, and those of entities
 * with rules in their workspace, since they move what the rules compare and swap.
 */
export function createRecordRuntime(given: RecordRuntimeDeps): RecordRuntime {
  const { gate, policyBound, rules } = given;
  const around = (writeLoop: WriteLoop): WriteLoop => {
    // The gate is innermost: a holder of a place at it that asked for the org's quota would wait for that place.
    const gated = gate === undefined ? writeLoop : gatedLoop(writeLoop, gate);
    const bounded = policyBound === undefined ? gated : boundedLoop(gated, policyBound);
    const hooked = afterCommitHooks(bounded, rules);
    return given.events?.around(hooked) ?? hooked;
  };
  const parts = { ...given, writeLoop: around(given.writeLoop) };
  const inTurn = createSerializer<string>();
  const lockKeysOf = (operation: RecordOperation): readonly string[] => {
    const { workspace, entity } = operation.call;
    if (parts.rules.has(entity.name)) return [policyLockKey(operation.call)];
    if (operation.action === 'create') return [];
    return [JSON.stringify([workspace.env, workspace.scope.name, entity.name, operation.input.id])];
  };
  const scanOf = ({ beneath }: RecordCall, budget: typeof scanBudget | typeof countBudget): ScanLeft =>
    newScan(given.elapsed, {
      ...budget,
      items: beneath === undefined ? (given.itemsMax ?? budget.items) : transactionItems,
    });
  const write: RecordRuntime['write'] = (operations, options) => {
    // A call that waits for several keys takes them in one order, so that no two wait for each other.
    const lockKeys = [...new Set(operations.flatMap(lockKeysOf))].sort();
    const work = () => writeRecords(parts, operations, options);
    return lockKeys.reduceRight((inner, lockKey) => () => inTurn(lockKey, inner), work)();
  };
  const writeOne = async (operation: RecordOperation, options?: WriteOptions): Promise<CreatedRecord> => {
    const { records, isReplayed } = await write([operation], options);
    const [record] = records;
    if (record === undefined) throw new TypeError('the write leaves no record');
    return { ...record, isReplayed };
  };
  const remove: RecordRuntime['remove'] = async (call, input) => {
    await write([{ action: 'delete', call, input }]);
  };
  const { cursors, elapsed = () => performance.now() } = given;
  const query = queryReader(given.clock);
  const measuring = { runtime: { query }, cursors, bounds: aggregateBounds, elapsed };
  return {
    newId: given.newId,
    create: (call, body, once) => writeOne({ action: 'create', call, body }, { once }),
    get: readText,
    update: (call, input) => writeOne({ action: 'update', call, input }),
    remove,
    removeOrStart: async (call, input) => {
      try {
        await remove(call, input);
        return undefined;
      } catch (error) {
        const { removals } = given;
        const isLarge = [TooManyDependents, TooLarge, RemovalMarkConflict].some((kind) => error instanceof kind);
        // Further demands of an entity beyond its definition are made in the commit of the record.
        if (!isLarge || removals === undefined || parts.rules.has(call.entity.name)) throw error;
        return removals.start(call, input);
      }
    },
    write,
    rehearse: (operation) => rehearseWrite(parts, operation),
    query,
    list: (call, query, left = scanOf(call, scanBudget)) => listRecords(parts.cursors, call, query, left),
    total: (call, query, page, left = scanOf(call, countBudget)) =>
      totalRecords(parts.cursors, call, { query, page }, left),
    count: (call, query, left = scanOf(call, countBudget)) => countRecords(parts.cursors, call, query, left),
    aggregate: (call, parameters, asks) => aggregate(measuring, { query: parameters, ...asks }, call),
    transaction: (workspace) => beginTransaction({ parts: given, around }, workspace),
    rehearsal: (workspace) =>
      beginTransaction({ parts: { ...rehearsing(given), writeLoop: rehearsalLoop }, around }, workspace),
    bulk: {
      deps: parts,
      inTurn: (call, work) => (parts.rules.has(call.entity.name) ? inTurn(policyLockKey(call), work) : work()),
    },
  };
}

function queryReader(clock: Clock): RecordRuntime['query'] {
  return async (call, parameters, route) => {
    const query = readListQuery(call.entity, parameters, route);
    const { filter } = query;
    if (filter === undefined) return withLookupSort(call, query);
    const filtered = withFilter(call, query, clock.now(), await filterTargets(call, filter));
    return withLookupSort(call, filtered);
  };
}

/** That of the entities whose rules compare and swap what is of the whole workspace. */
function policyLockKey({ workspace }: RecordCall): string {
  return JSON.stringify([workspace.env, workspace.scope.name]);
}

/** A record's text as its caller may read it. @throws Problem `not_found` where it is not the caller's. */
async function readText(call: RecordCall, id: string): Promise<ReadableText | undefined> {
  const item = await findItem(call, id);
  if (item === undefined || call.rows === undefined) return item;
  const { fields } = assertVisible(call, dataOf(call.entity, item));
  return fields === undefined ? item : { value: item.value, version: item.version, fields };
}
