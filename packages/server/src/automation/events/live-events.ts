/** The events of an org as they are live: read once for each version, and asked by each write. */
import { type ConfigSet, itemBodies, itemsOfKind, type LiveItem } from '../../config/port.ts';
import {
  compileWhen,
  type Effort,
  isMistake,
  isSpent,
  type TemplateValues,
  type When,
} from '../../expressions/port.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { compareBytes } from '../../lib/byte-order.ts';
import { timestamp } from '../../lib/clock.ts';
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts';
import { asDefined, type EventWrite, meetsAll, namedFilter, type RecordData } from '../../records/port.ts';
import { type CompiledEntity, recordType, systemEntities } from '../../schema/port.ts';
import { type OrgPlace, orgScope, type SharedDeps } from '../automation-deps.ts';
import { type EventContent, eventScope } from '../kinds/event.ts';
import { eventIn } from '../kinds/event-destinations.ts';

type ByName = ReadonlyMap<string, LiveEvent>;
type ByEntity = ReadonlyMap<string, readonly LiveEvent[]>;

export type LiveEvents = ReturnType<typeof createLiveEvents>;

interface OfSet {
  readonly byName: ByName;
  readonly afterWrites: ByEntity;
  readonly beforeWrites: ByEntity;
}

const eventsMax = 2000;
const bodiesPerRead = 50;

export function createLiveEvents(stores: SharedDeps['stores']) {
  const sets = new WeakMap<ConfigSet, MaybePromise<OfSet>>();
  const compiled = new BoundedMap<string, LiveEvent>(eventsMax);

  const read = async ({ env, orgCode }: OrgPlace, items: readonly LiveItem<'event'>[]): Promise<ByName> => {
    const keyOf = ({ name, version }: LiveItem<'event'>): string => `${env} ${orgCode} ${name} ${version}`;
    const byName = new Map<string, LiveEvent>();
    const scope = orgScope({ stores }, { env, orgCode });
    for (let start = 0; start < items.length; start += bodiesPerRead) {
      const page = items.slice(start, start + bodiesPerRead);
      // Looked up before others are set: they may make room by what this page needs.
      const found = new Map(page.map((item) => [item.name, compiled.get(keyOf(item))] as const));
      const unread = page.filter(({ name }) => found.get(name) === undefined);
      const bodies = unread.length === 0 ? [] : await itemBodies.readMany(scope, unread);
      for (const [index, { name, version }] of unread.entries()) {
        const body = bodies[index];
        if (body === undefined) throw new Error(`a version of the event ${name} is missing`);
        found.set(name, liveEvent(name, version, eventIn(env, body.value as EventContent)));
      }
      for (const item of page) {
        const event = found.get(item.name);
        if (event === undefined) throw new TypeError(`the event ${item.name} was not read`);
        compiled.set(keyOf(item), event);
        byName.set(item.name, event);
      }
    }
    return byName;
  };
  const load = (set: ConfigSet, place: OrgPlace): MaybePromise<OfSet> => {
    const items = itemsOfKind(set, 'event').toSorted((left, right) => compareBytes(left.name, right.name));
    if (items.length === 0) return none;
    return read(place, items).then((byName) => ({
      byName,
      afterWrites: byEntity(byName, ({ event_stage }) => event_stage === 'after'),
      beforeWrites: byEntity(byName, ({ entity_name, event_stage, destination_config }) => {
        return event_stage === 'before' && 'logicblock' in destination_config && !systemEntities.has(entity_name);
      }),
    }));
  };
  const ofSet = (set: ConfigSet, place: OrgPlace): MaybePromise<OfSet> => {
    const known = sets.get(set);
    if (known !== undefined) return known;
    const loading = load(set, place);
    sets.set(set, loading);
    if (loading instanceof Promise)
      loading.then(
        (loaded) => sets.set(set, loaded),
        () => sets.delete(set),
      );
    return loading;
  };
  return {
    /** The events that are delivered after writes of an entity, by name; undefined where there are none. */
    after: (set: ConfigSet, place: OrgPlace, entityName: string) =>
      andThen(ofSet(set, place), (found) => found.afterWrites.get(entityName)),
    /** The events that run a logic block before writes of an entity, by name. The same list until one of them changes. */
    before: (set: ConfigSet, place: OrgPlace, entityName: string) =>
      andThen(ofSet(set, place), (found) => found.beforeWrites.get(entityName)),
    /** The names of the enabled events that run a logic block, by the block, before or after writes. */
    byBlock: (set: ConfigSet, place: OrgPlace) => andThen(ofSet(set, place), ({ byName }) => namesByBlock(byName)),
    /** Undefined where there is none of that name. */
    named: (set: ConfigSet, place: OrgPlace, name: string) =>
      andThen(ofSet(set, place), (found) => found.byName.get(name)),
  };
}

const none: OfSet = { byName: new Map(), afterWrites: new Map(), beforeWrites: new Map() };

/** Those that are enabled. */
function byEntity(byName: ByName, isWanted: (content: EventContent) => boolean): ByEntity {
  const wanted = [...byName.values()].filter(({ content }) => content.enabled && isWanted(content));
  return Map.groupBy(wanted, ({ content }) => content.entity_name);
}

function namesByBlock(byName: ByName): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [name, { content }] of byName) {
    if (!content.enabled || content.event_type !== 'logicblock') continue;
    const { logicblock } = content.destination_config;
    found.set(logicblock, [...(found.get(logicblock) ?? []), name]);
  }
  return found;
}

/** `too_costly`: its `when` takes more than all conditions of a write may. */
type Verdict = 'met' | 'unmet' | 'too_costly';

interface WriteToJudge {
  readonly values: () => WriteValues;
  readonly effort: Effort;
}

export interface LiveEvent {
  readonly name: string;
  readonly version: number;
  readonly content: EventContent;
  /** Whether a record meets its conditions. A condition that the entity does not allow any more is met by none. */
  judge(entity: CompiledEntity, data: RecordData, write: WriteToJudge): Verdict;
}

interface Conditions {
  readonly fields: (data: RecordData) => boolean;
  readonly when: When | undefined;
}

function liveEvent(name: string, version: number, content: EventContent): LiveEvent {
  const { entry_conditions: conditions = [], when } = content;
  const compiled = new WeakMap<CompiledEntity, Conditions>();
  const conditionsFor = (entity: CompiledEntity): Conditions => {
    const known = compiled.get(entity) ?? {
      fields: conditionsTest(entity, conditions),
      when: when === undefined ? undefined : whenFor(entity, content, when),
    };
    compiled.set(entity, known);
    return known;
  };
  return {
    name,
    version,
    content,
    judge: (entity, data, { values, effort }) => {
      if (conditions.length === 0 && when === undefined) return 'met';
      const requested = conditionsFor(entity);
      if (!requested.fields(asDefined(entity, data))) return 'unmet';
      if (requested.when === undefined) return 'met';
      const isMet = !isSpent(effort) && requested.when.holds({ ...values(), steps: {} }, effort);
      if (isSpent(effort)) return 'too_costly';
      return isMet ? 'met' : 'unmet';
    },
  };
}

/** A condition that is not valid any more holds for nothing. */
function whenFor(entity: CompiledEntity, { event_optype }: EventContent, source: string): When {
  const when = compileWhen(source, eventScope(event_optype, recordType(entity.definition.UpdateParams)));
  return isMistake(when) ? { isOfNode: false, holds: () => false } : when;
}

type RecordTest = (data: RecordData) => boolean;

function conditionsTest(entity: CompiledEntity, conditions: NonNullable<EventContent['entry_conditions']>): RecordTest {
  // Each value of `in` alone, since it may have a comma in it.
  const readings = conditions.map(({ field, op, value }) =>
    op === 'in' && Array.isArray(value)
      ? value.map((one) => namedFilter(entity, field, { operator: 'eq', text: String(one) }))
      : [namedFilter(entity, field, { operator: op, text: String(value) })],
  );
  const usable = readings.map((reading) => reading.flatMap((filter) => ('message' in filter ? [] : [filter])));
  if (usable.flat().length < readings.flat().length) return () => false;
  return (data) => usable.every((filters) => filters.some((filter) => meetsAll([filter], data)));
}

/** The values of a template by its record. */
export type WriteValues = Omit<TemplateValues, 'steps'>;

export type WriteOp = EventContent['event_optype'];

export function opOf({ before, after }: EventWrite): WriteOp {
  return before === undefined ? 'create' : after === undefined ? 'delete' : 'update';
}

/** @param record as the write leaves it; of a removal as it was before. @param now milliseconds since the epoch. */
export function writeValues(write: EventWrite, record: RecordData, now: number): WriteValues {
  const { call, before } = write;
  const { workspace, actor, entity, origin } = call;
  const { email } = actor.claims;
  const type = `${entity.name}.${opOf(write)}`;
  return {
    event: { type, timestamp: timestamp(now), depth: (origin?.depth ?? 0) + 1, path: '' },
    record: asDefined(entity, record),
    before: before === undefined ? undefined : asDefined(entity, before.data),
    user: { id: actor.userId, ...(typeof email === 'string' ? { email } : {}) },
    tenant: { id: workspace.tenantId, code: workspace.tenantCode },
    ...{ input: {}, env: workspace.env, now },
  };
}
