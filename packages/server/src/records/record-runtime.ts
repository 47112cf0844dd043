/** The one runtime that serves the records of every entity. */
import { serialLanes } from '../lib/scheduling/serial-lanes.ts';
import { TooLarge } from '../store/port.ts';
import type { AuthorizedCall } from './caller-access.ts';
import { withFilter } from './filtering/compile-filter.ts';
import { filterTargets } from './filtering/filter-lookups.ts';
import type { OnceRequest } from './idempotency.ts';
import { type Count, countRecords, type Total, totalRecords } from './listing/count-records.ts';
import type { ListRoute } from './listing/list-parameters.ts';
import { type ListQuery, readListQuery } from './listing/list-query.ts';
import { listRecords, type Page } from './listing/list-records.ts';
import { withLookupSort } from './listing/sorting/lookup-sort.ts';
import { newScan, type ScanLeft } from './listing/walking/scan-budget.ts';
import { readText } from './read-text.ts';
import type { StoredRecord } from './record.ts';
import type { ReadableText } from './record-policy.ts';
import { TooManyDependents } from './references/plan-removal.ts';
import { MarkedRecord } from './removals/marks.ts';
import type { Job } from './removals/removal-row.ts';
import type { LargeRemovals } from './removals/start-removal.ts';
import { afterCommitHooks } from './writing/after-commit-hooks.ts';
import type { DeleteInput } from './writing/delete-record.ts';
import { boundedLoop } from './writing/policy-bound.ts';
import type { RecordWriteDeps } from './writing/record-write-deps.ts';
import type { UpdateInput } from './writing/update-record.ts';
import { gatedLoop } from './writing/write-gate.ts';
import type { RecordCall } from './writing/write-loop.ts';
import {
  type RecordOperation,
  rehearseWrite,
  type WriteOptions,
  type Written,
  writeRecords,
} from './writing/write-records.ts';

export interface RecordRuntime {
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
  readonly bulk: BulkWrites;
}

/** For modules that write many records by the rules of single ones, as an import does. */
export interface BulkWrites {
  readonly deps: RecordWriteDeps;
  /** Does a piece of work when records of the call's entity may be written. */
  inTurn<T>(call: RecordCall, work: () => Promise<T>): Promise<T>;
}

export interface RecordRuntimeDeps extends RecordWriteDeps {
  /** Left out, a removal that is too large for one commit is refused. */
  readonly removals?: LargeRemovals | undefined;
  /** Milliseconds that only grow, by which a page or a count ends that takes too long; left out, those of the process. */
  readonly elapsed?: () => number;
}

export interface CreatedRecord extends StoredRecord, Pick<Written, 'isReplayed'> {}

/**
 * Writes that would overtake one another take turns within this process: those of one record, and those of entities
 * with rules in their workspace, since they move what the rules compare and swap.
 */
export function createRecordRuntime(given: RecordRuntimeDeps): RecordRuntime {
  const { gate, policyBound, rules } = given;
  // The gate is innermost: who holds a place at it and asked how the org stands would wait for that very place.
  const gated = gate === undefined ? given.writeLoop : gatedLoop(given.writeLoop, gate);
  const bounded = policyBound === undefined ? gated : boundedLoop(gated, policyBound);
  const hooked = afterCommitHooks(bounded, rules);
  const parts = { ...given, writeLoop: given.events?.around(hooked) ?? hooked };
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
