import type { Workspace } from '../../tenancy/port.ts';
import type { RecordData, StoredRecord } from '../record.ts';
import { type EventWrite, eventChanges, type RecordEvents } from '../writing/events/record-events.ts';
import type { PlannedChange } from '../writing/planned-change.ts';
import { placeOfRecord, type WriteLoop } from '../writing/write-loop.ts';

/** What a transaction makes of a record, from the first of its writes to the last. */
interface NetWrite {
  readonly call: EventWrite['call'];
  readonly before: StoredRecord | undefined;
  readonly after: RecordData | undefined;
}

/**
 * What the events of a transaction are about: its commit, in which each record is written once, whatever steps led there.
 * Within the transaction it only notes the writes.
 */
export class NetEvents implements RecordEvents {
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

  /** What the commit leaves for later. */
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
