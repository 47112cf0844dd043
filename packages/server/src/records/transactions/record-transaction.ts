/** Several writes of one workspace, with reads before and between them, that are one commit or none. */
import { attemptCommit, overtaken as keptInterfering } from '../../store/transact.ts';
import { overtaken } from '../../store/transaction/read-set.ts';
import { TransactionScope } from '../../store/transaction/transaction-scope.ts';
import type { Workspace } from '../../tenancy/port.ts';
import type { RecordData, StoredRecord } from '../record.ts';
import { type PlannedChange, unconditional } from '../writing/planned-change.ts';
import { type EventWrite, eventChanges, type RecordEvents } from '../writing/record-events.ts';
import type { RecordWriteDeps } from '../writing/record-write-deps.ts';
import {
  explainClosed,
  placeOfRecord,
  type RecordCall,
  type WriteContext,
  type WriteLoop,
} from '../writing/write-loop.ts';
import { type RecordOperation, writeRecords } from '../writing/write-records.ts';

export interface RecordTransaction {
  readonly hasWritten: boolean;
  /** The call as a part of the transaction: what it reads has its writes in it, and is checked in the commit. */
  at<Call extends RecordCall>(call: Call): Call;
  /**
   * Writes a record of the transaction. Its version is 0 until the commit.
   * @param operation whose call is a part of the transaction.
   * @returns undefined for a removal. @throws Problem as the write alone would; Overtaken, TooManyReads, TooLarge.
   */
  write(operation: RecordOperation): Promise<StoredRecord | undefined>;
  /** For what was only read, and for a refusal: that all of it stood at one moment. @throws Overtaken */
  assertReads(): Promise<void>;
  /**
   * Stores all that was written.
   * @param along what else is in the commit. @throws Overtaken, where what was read does not hold any more; Problem.
   */
  commit(along: () => Promise<readonly PlannedChange[]>): Promise<void>;
}

interface TransactionDeps {
  /** The dependencies for planning a write. Its loop knows fences, and nothing else that comes with a commit. */
  readonly parts: RecordWriteDeps;
  /** The wrapper of each commit of records. */
  readonly around: (writeLoop: WriteLoop) => WriteLoop;
}

export function beginTransaction({ parts, around }: TransactionDeps, workspace: Workspace): RecordTransaction {
  const scope = new TransactionScope(workspace.scope);
  const events = parts.events && new NetEvents(parts.events, workspace);
  const inside = { ...parts, events, writeLoop: events?.around(parts.writeLoop) ?? parts.writeLoop };
  const written: RecordOperation[] = [];
  const spentBefore = { milliseconds: 0 };
  return {
    get hasWritten() {
      return written.length > 0;
    },
    at: (call) => ({ ...call, workspace: { ...call.workspace, scope }, beneath: workspace, spentBefore }),
    write: async (operation) => {
      const { records } = await writeRecords(inside, [operation]);
      written.push(operation);
      return records[0];
    },
    assertReads: () => scope.assertReads().catch(explainClosed),
    commit: async (along) => {
      const [first] = written;
      if (first === undefined) throw new TypeError('a transaction that wrote nothing is not committed');
      const context: WriteContext = { ...first.call, workspace };
      const names = new Set(written.map(({ call }) => call.entity.name));
      const isRemoval = written.every(({ action }) => action === 'delete');
      await around(commitOf(scope))(context, [...names], async () => {
        const own = scope.changes.map(unconditional);
        return { changes: [...(await along()), ...own, ...((await events?.changes()) ?? [])], isRemoval };
      });
    },
  };
}

/** Of a transaction that is not committed: it writes no fence either. */
export const rehearsalLoop: WriteLoop = async ({ workspace, config }, _entityNames, makePlan) => {
  const plan = await makePlan(config);
  const changes = plan.changes.map(({ change }) => change);
  const attempt = await attemptCommit(workspace.scope, changes);
  if ('committed' in attempt) return { plan, committed: attempt.committed };
  const refused = plan.changes[attempt.refusedAt];
  throw refused === undefined || refused.onConflict === 'replan' ? overtaken() : refused.onConflict();
};

const attemptsMax = 16;

/** Planned again only where something beside the transaction was in the way. */
function commitOf({ reads }: TransactionScope): WriteLoop {
  return async ({ workspace, config }, _entityNames, makePlan) => {
    for (let attempts = 0; attempts < attemptsMax; attempts++) {
      const plan = await makePlan(config);
      const changes = [reads, ...plan.changes.map(({ change }) => change)];
      const attempt = await attemptCommit(workspace.scope, changes).catch(explainClosed);
      if ('committed' in attempt) return { plan, committed: attempt.committed };
      if (attempt.refusedAt === 0) throw overtaken();
      const refused = plan.changes[attempt.refusedAt - 1];
      if (refused !== undefined && refused.onConflict !== 'replan') throw refused.onConflict();
    }
    throw keptInterfering();
  };
}

/** The net effect of a transaction on a record, from the first of its writes to the last. */
interface NetWrite {
  readonly call: EventWrite['call'];
  readonly before: StoredRecord | undefined;
  readonly after: RecordData | undefined;
}

/**
 * The events of a transaction: they are about its commit, in which each record is written once, whatever steps led
 * there. Within the transaction it only notes the writes.
 */
class NetEvents implements RecordEvents {
  readonly #events: RecordEvents;
  readonly #workspace: Workspace;
  readonly #writes = new Map<string, NetWrite>();
  #planned: EventWrite[] = [];

  /** @param workspace as it is stored. */
  constructor(events: RecordEvents, workspace: Workspace) {
    this.#events = events;
    this.#workspace = workspace;
  }

  of(): ReturnType<RecordEvents['of']> {
    return {
      after: (write) => {
        this.#planned.push(write);
        return [];
      },
    };
  }

  around(writeLoop: WriteLoop): WriteLoop {
    return async (context, entityNames, makePlan) => {
      const written = await writeLoop(context, entityNames, (config) => {
        this.#planned = [];
        return makePlan(config);
      });
      for (const write of this.#planned.splice(0)) this.#note(write);
      return written;
    };
  }

  /** The later work of the commit. */
  async changes(): Promise<readonly PlannedChange[]> {
    const changes: PlannedChange[] = [];
    for (const { call, before, after } of [...this.#writes.values()]) {
      const write = { call, ...(before && { before }), ...(after && { after }) };
      if (before !== undefined || after !== undefined) changes.push(...(await eventChanges(this.#events, write)));
    }
    return changes;
  }

  #note({ call, before, after }: EventWrite): void {
    const id = after?.id ?? before?.data.id ?? '';
    const place = placeOfRecord(call.entity.name, id);
    const known = this.#writes.get(place);
    this.#writes.set(place, {
      call: { ...call, workspace: this.#workspace },
      before: known === undefined ? before : known.before,
      after,
    });
  }
}
