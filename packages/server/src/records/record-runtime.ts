/** The one runtime that serves the records of every entity. */
import type { IdSource } from '../lib/ids.ts';
import { serialLanes } from '../lib/scheduling/serial-lanes.ts';
import { TooLarge } from '../store/port.ts';
import type { Workspace } from '../tenancy/port.ts';
import type { AuthorizedCall } from './caller-access.ts';
import { withFilter } from './filtering/compile-filter.ts';
import { filterTargets } from './filtering/filter-lookups.ts';
import type { OnceRequest } from './idempotency.ts';
import { findItem } from './listing/find-record.ts';
import type { ListRoute } from './listing/list-parameters.ts';
import { type ListQuery, readListQuery } from './listing/list-query.ts';
import { type Count, countRecords, listRecords, type Page, type Total, totalRecords } from './listing/list-records.ts';
import { withLookupSort } from './listing/sorting/lookup-sort.ts';
import { newScan, type ScanLeft } from './listing/walking/scan-budget.ts';
import { dataOf, type StoredRecord } from './record.ts';
import type { ReadableText } from './record-policy.ts';
import { TooManyDependents } from './references/plan-removal.ts';
import { MarkedRecord } from './removals/marks.ts';
import type { Job } from './removals/removal-row.ts';
import type { LargeRemovals } from './removals/start-removal.ts';
import { beginTransaction, type RecordTransaction, rehearsalLoop } from './transactions/record-transaction.ts';
import { assertVisible } from './writing/checks/record-checks.ts';
import type { DeleteInput } from './writing/delete-record.ts';
import { afterCommitHooks } from './writing/entity-rules.ts';
import type { RecordWriteDeps } from './writing/record-write-deps.ts';
import type { UpdateInput } from './writing/update-record.ts';
import { boundedLoop, gatedLoop } from './writing/write-gate.ts';
import type { RecordCall, WriteLoop } from './writing/write-loop.ts';
import {
  type RecordOperation,
  rehearseWrite,
  rehearsing,
  type WriteOptions,
  type Written,
  writeRecords,
} from './writing/write-records.ts';

export interface RecordRuntime {
  /** An id for a record that is known by it before it is made. */
  readonly newId: IdSource;
  create(call: RecordCall, body: unknown, once?: OnceRequest): Promise<CreatedRecord>;
  /** Undefined where there is none. @throws Problem `not_found` where it is not the caller's. */
  get(call: RecordCall, id: string): Promise<ReadableText | undefined>;
  update(call: RecordCall, input: UpdateInput): Promise<StoredRecord>;
  remove(call: RecordCall, input: DeleteInput): Promise<void>;
  /** The same, and where that is too much for one commit, the job that goes on with it. */
  removeOrBegin(call: RecordCall, input: DeleteInput): Promise<Job | undefined>;
  /** Several writes in one commit. */
  write(operations: readonly RecordOperation[], options?: WriteOptions): Promise<Written>;
  /** What a write would leave, which is not done; undefined for a removal. @throws Problem as the write would. */
  rehearse(operation: RecordOperation): Promise<StoredRecord | undefined>;
  /**
   * What a list or a count is asked for.
   * @param parameters the query string's parameters, each at most once. @throws Problem `invalid_request` and others.
   */
  query(call: AuthorizedCall, parameters: ReadonlyMap<string, string>, route?: ListRoute): Promise<ListQuery>;
  /** @param left what the page may look at, where pages share it. */
  list(call: RecordCall, query: ListQuery, left?: ScanLeft): Promise<Page>;
  /** The number of records on all pages of the list that a page is of. */
  total(call: RecordCall, query: ListQuery, page: Page): Promise<Total>;
  count(call: RecordCall, query: ListQuery): Promise<Count>;
  /** Begins a transaction, which is forgotten unless it commits. */
  transaction(workspace: Workspace): RecordTransaction;
  /** One that is judged as {@link rehearse} judges, with its values that have to be unique, and is not committed. */
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
}

interface CreatedRecord extends StoredRecord, Pick<Written, 'isReplayed'> {}

/**
 * Writes that would overtake one another take turns within this process: those of one record, and those of entities
 * with rules in their workspace, since they move what the rules compare and swap.
 */
export function createRecordRuntime(given: RecordRuntimeDeps): RecordRuntime {
  const { gate, policyBound, rules } = given;
  const around = (writeLoop: WriteLoop): WriteLoop => {
    // The gate is innermost: who holds a place at it and asked how the org stands would wait for that very place.
    const gated = gate === undefined ? writeLoop : gatedLoop(writeLoop, gate);
    const bounded = policyBound === undefined ? gated : boundedLoop(gated, policyBound);
    const hooked = afterCommitHooks(bounded, rules);
    return given.events?.around(hooked) ?? hooked;
  };
  const parts = { ...given, writeLoop: around(given.writeLoop) };
  const inTurn = serialLanes<string>();
  const laneOf = (operation: RecordOperation): readonly string[] => {
    const { workspace, entity } = operation.call;
    if (parts.rules.has(entity.name)) return [ruledLane(operation.call)];
    if (operation.action === 'create') return [];
    return [JSON.stringify([workspace.env, workspace.scope.name, entity.name, operation.input.id])];
  };
  const write: RecordRuntime['write'] = (operations, options) => {
    // A call that waits for several lanes enters them in one order, so that no two wait for each other.
    const lanes = [...new Set(operations.flatMap(laneOf))].sort();
    const work = () => writeRecords(parts, operations, options);
    return lanes.reduceRight((inner, lane) => () => inTurn(lane, inner), work)();
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
  return {
    newId: given.newId,
    create: (call, body, once) => writeOne({ action: 'create', call, body }, { once }),
    get: readText,
    update: (call, input) => writeOne({ action: 'update', call, input }),
    remove,
    removeOrBegin: async (call, input) => {
      try {
        await remove(call, input);
        return undefined;
      } catch (error) {
        const { removals } = given;
        const isLarge = [TooManyDependents, TooLarge, MarkedRecord].some((kind) => error instanceof kind);
        // What an entity demands beyond its definition, it demands in the commit of the record.
        if (!isLarge || removals === undefined || parts.rules.has(call.entity.name)) throw error;
        return removals.start(call, input);
      }
    },
    write,
    rehearse: (operation) => rehearseWrite(parts, operation),
    query: async (call, parameters, route) => {
      const query = readListQuery(call.entity, parameters, route);
      const { filter } = query;
      if (filter === undefined) return withLookupSort(call, query);
      const filtered = withFilter(call, query, given.clock.now(), await filterTargets(call, filter));
      return withLookupSort(call, filtered);
    },
    list: (call, query, left = newScan(given.elapsed)) => listRecords(parts.cursors, call, query, left),
    total: (call, query, page) => totalRecords(parts.cursors, call, { query, page }, newScan(given.elapsed)),
    count: (call, query) => countRecords(parts.cursors, call, query, newScan(given.elapsed)),
    transaction: (workspace) => beginTransaction({ parts: given, around }, workspace),
    rehearsal: (workspace) =>
      beginTransaction({ parts: { ...rehearsing(given), writeLoop: rehearsalLoop }, around }, workspace),
    bulk: {
      deps: parts,
      inTurn: (call, work) => (parts.rules.has(call.entity.name) ? inTurn(ruledLane(call), work) : work()),
    },
  };
}

/** That of the entities whose rules compare and swap what is of the whole workspace. */
function ruledLane({ workspace }: RecordCall): string {
  return JSON.stringify([workspace.env, workspace.scope.name]);
}

/** A record's text as its caller may read it. @throws Problem `not_found` where it is not the caller's. */
async function readText(call: RecordCall, id: string): Promise<ReadableText | undefined> {
  const item = await findItem(call, id);
  if (item === undefined || call.rows === undefined) return item;
  const { fields } = assertVisible(call, dataOf(call.entity, item));
  return fields === undefined ? item : { value: item.value, version: item.version, fields };
}
