/** The events of an org as they are live: read once for each version, and asked by each write. */
import { type ConfigSet, itemBodies, itemsOfKind, type LiveItem } from '../../config/port.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { compareBytes } from '../../lib/byte-order.ts';
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts';
import { systemEntities } from '../../schema/port.ts';
import type { Store } from '../../store/port.ts';
import { type Environment, orgScopeName } from '../../tenancy/port.ts';
import type { EventContent } from '../kinds/event.ts';
import { eventIn } from '../kinds/event-destinations.ts';
import { type LiveEvent, liveEvent } from './event-forms.ts';

export interface OrgPlace {
  readonly env: Environment;
  readonly orgCode: string;
}

type ByName = ReadonlyMap<string, LiveEvent>;
type ByEntity = ReadonlyMap<string, readonly LiveEvent[]>;

export interface LiveEvents {
  /** The events that are delivered after writes of an entity, by name; undefined where there are none. */
  after(set: ConfigSet, place: OrgPlace, entityName: string): MaybePromise<readonly LiveEvent[] | undefined>;
  /** The events that run a logic block before writes of an entity, by name. The same list until one of them changes. */
  before(set: ConfigSet, place: OrgPlace, entityName: string): MaybePromise<readonly LiveEvent[] | undefined>;
  /** The names of the enabled events that run a logic block, by the block, before or after writes. */
  byBlock(set: ConfigSet, place: OrgPlace): MaybePromise<ReadonlyMap<string, readonly string[]>>;
  /** Undefined where there is none of that name. */
  named(set: ConfigSet, place: OrgPlace, name: string): MaybePromise<LiveEvent | undefined>;
}

interface OfSet {
  readonly byName: ByName;
  readonly afterWrites: ByEntity;
  readonly beforeWrites: ByEntity;
}

const eventsMax = 2000;
const bodiesPerRead = 50;

export function createLiveEvents(stores: Readonly<Record<Environment, Store>>): LiveEvents {
  const sets = new WeakMap<ConfigSet, MaybePromise<OfSet>>();
  const compiled = new BoundedMap<string, LiveEvent>(eventsMax);

  const read = async ({ env, orgCode }: OrgPlace, items: readonly LiveItem<'event'>[]): Promise<ByName> => {
    const keyOf = ({ name, version }: LiveItem<'event'>): string => `${env} ${orgCode} ${name} ${version}`;
    const byName = new Map<string, LiveEvent>();
    const scope = stores[env].scope(orgScopeName(orgCode));
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
      afterWrites: byEntity(byName, isDelivered),
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
    after: (set, place, entityName) => andThen(ofSet(set, place), (found) => found.afterWrites.get(entityName)),
    before: (set, place, entityName) => andThen(ofSet(set, place), (found) => found.beforeWrites.get(entityName)),
    byBlock: (set, place) => andThen(ofSet(set, place), ({ byName }) => namesByBlock(byName)),
    named: (set, place, name) => andThen(ofSet(set, place), (found) => found.byName.get(name)),
  };
}

/** Whether anything is done for an event after a write. What is asked of a crew is given up, with a receipt that says so. */
export function isDelivered({ event_stage }: EventContent): boolean {
  return event_stage === 'after';
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
    const block = blockOf(content);
    if (content.enabled && block !== undefined) found.set(block, [...(found.get(block) ?? []), name]);
  }
  return found;
}

function blockOf({ destination_config: destination }: EventContent): string | undefined {
  return 'logicblock' in destination && typeof destination.logicblock === 'string' ? destination.logicblock : undefined;
}
