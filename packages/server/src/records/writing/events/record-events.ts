/** What an org wants to happen when records of an entity are written: the runtime of records asks, another module knows. */
import type { ConfigSet } from '../../../config/port.ts';
import { andThen, type MaybePromise } from '../../../lib/maybe-promise.ts';
import type { CompiledEntity } from '../../../schema/port.ts';
import type { Workspace } from '../../../tenancy/port.ts';
import type { RecordData, StoredRecord } from '../../record.ts';
import type { PlannedChange } from '../planned-change.ts';
import type { WriteContext, WriteLoop } from '../write-loop.ts';

export interface RecordEvents {
  /** What waits for writes of an entity; undefined, for the price of a lookup, where nothing does. */
  of(
    config: ConfigSet,
    place: Pick<Workspace, 'env' | 'orgCode'>,
    entityName: string,
  ): MaybePromise<EntityEvents | undefined>;
  /** The write loop, which adds to a commit what the changes of events in it need once. */
  around(writeLoop: WriteLoop): WriteLoop;
}

export interface EntityEvents {
  /**
   * What a write leaves for later, in its own commit. Plans may be made again, and then this is asked again. Other
   * calls are served between conditions that take long.
   */
  after(write: EventWrite): MaybePromise<readonly PlannedChange[]>;
}

/** A write of one record: made (`after` only), changed (both) or removed (`before` only). */
export interface EventWrite {
  readonly call: WriteContext & { readonly entity: CompiledEntity };
  readonly before?: StoredRecord;
  readonly after?: RecordData;
}

/** What the events of the written entity add to the commit. */
export function eventChanges(
  events: RecordEvents | undefined,
  write: EventWrite,
): MaybePromise<readonly PlannedChange[]> {
  if (events === undefined) return none;
  const { config, workspace, entity } = write.call;
  return andThen(events.of(config, workspace, entity.name), (found) => found?.after(write) ?? none);
}

const none: readonly PlannedChange[] = [];
