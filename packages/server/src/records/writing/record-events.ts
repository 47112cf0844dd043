/** An org's events for writes of an entity: the runtime of records asks, another module knows them. */
import type { InputError } from '@freehold/contract/problem';
import type { ConfigSet } from '../../config/port.ts';
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts';
import { invalidBody, type Problem } from '../../lib/problem.ts';
import { type CompiledEntity, type FieldValue, isOwnedByCaller } from '../../schema/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { type RecordData, readUpdate, type StoredRecord } from '../record.ts';
import type { PlannedChange } from './planned-change.ts';
import type { BeforeSpent, WriteContext, WriteLoop } from './write-loop.ts';

export interface RecordEvents {
  /** The events that wait for writes of an entity; undefined, for the price of a lookup, where there are none. */
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
   * The later work of a write, in its own commit. Plans may be made again, and then this is asked again. Other calls
   * are served between conditions that take long.
   */
  after(write: EventWrite): MaybePromise<readonly PlannedChange[]>;
}

/** A write of one record: made (`after` only), changed (both) or removed (`before` only). */
export interface EventWrite {
  readonly call: WriteContext & { readonly entity: CompiledEntity };
  readonly before?: StoredRecord;
  readonly after?: RecordData;
}

/** The changes of the written entity's events for the commit. */
export function eventChanges(
  events: RecordEvents | undefined,
  write: EventWrite,
): MaybePromise<readonly PlannedChange[]> {
  if (events === undefined) return none;
  const { config, workspace, entity } = write.call;
  return andThen(events.of(config, workspace, entity.name), (found) => found?.after(write) ?? none);
}

const none: readonly PlannedChange[] = [];

// An org's events before a write is decided: the runtime of records asks, another module knows them.

export interface BeforeEvents {
  /** The events before writes of an entity, in order; undefined, for the price of a lookup, where there are none. */
  of(
    config: ConfigSet,
    place: Pick<Workspace, 'env' | 'orgCode'>,
    entityName: string,
  ): MaybePromise<readonly BeforeEvent[] | undefined>;
}

export interface BeforeEvent {
  readonly on: 'create' | 'update' | 'delete';
  /**
   * Values for fields of the record, by their names; undefined where it is to stay as it is.
   * @throws Problem `before_event_failed`.
   */
  run(write: EventWrite, spent: BeforeSpent): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** That the record cannot take the values that it gave. */
  refusal(errors: readonly InputError[]): Problem;
}

/** Runs the events before a removal. @throws Problem `before_event_failed`. */
export async function askBeforeRemoval(events: BeforeEvents | undefined, write: EventWrite): Promise<void> {
  for (const event of await eventsOn('delete', events, write)) await event.run(write, spentOf(write));
}

/**
 * A record as the events before its write leave it.
 * @param make the record with other values for some fields; undefined clears one.
 * @throws Problem `before_event_failed`.
 */
export async function revisedBefore(
  events: BeforeEvents | undefined,
  write: EventWrite & { readonly after: RecordData },
  make: (values: ReadonlyMap<string, FieldValue | undefined>) => RecordData,
): Promise<RecordData> {
  let { after } = write;
  const values = new Map<string, FieldValue | undefined>();
  for (const event of await eventsOn(write.before === undefined ? 'create' : 'update', events, write)) {
    const given = await event.run({ ...write, after }, spentOf(write));
    if (given === undefined) continue;
    const { changes, errors } = readGiven(write.call.entity, given, after);
    if (errors.length > 0) throw event.refusal(invalidBody(errors).details.errors ?? []);
    for (const [name, value] of changes) values.set(name, value);
    after = make(values);
  }
  return after;
}

const notRevised: readonly BeforeEvent[] = [];

async function eventsOn(
  op: BeforeEvent['on'],
  events: BeforeEvents | undefined,
  { call: { config, workspace, entity } }: EventWrite,
): Promise<readonly BeforeEvent[]> {
  const found = await events?.of(config, workspace, entity.name);
  return found?.filter(({ on }) => on === op) ?? notRevised;
}

/** A write that is made alone has a budget of its own. */
function spentOf({ call }: EventWrite): BeforeSpent {
  return call.spentBefore ?? { milliseconds: 0 };
}

/** Values are read as those of an update. The platform's own fields, owners and encrypted ones are not to be set so. */
function readGiven(entity: CompiledEntity, given: Readonly<Record<string, unknown>>, data: RecordData) {
  const stored: StoredRecord = { key: { pk: '', sk: '' }, version: 0, data };
  const { changes, errors } = readUpdate(entity, given, stored, () => false);
  const refused = [...changes.keys()].filter(
    (name) => isOwnedByCaller(entity.definition, name) || entity.fields.get(name)?.behaviour.isSecret === true,
  );
  const more = refused.map((name): InputError => {
    return { pointer: `/${name}`, code: 'unknown_field', message: `field \`${name}\` is not set before a write` };
  });
  return { changes, errors: [...errors, ...more] };
}
