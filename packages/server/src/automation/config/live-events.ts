/** The events of an org as they are live: read once for each version, and asked by each write. */
import { type ConfigSet, itemBodies, itemOfKey } from '../../config/port.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { EventContent } from '../../promotion/port.ts';
import type { Store } from '../../store/port.ts';
import { type Environment, orgScopeName } from '../../tenancy/port.ts';
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
  /** Undefined where there is none of that name. */
  named(set: ConfigSet, place: OrgPlace, name: string): MaybePromise<LiveEvent | undefined>;
}

interface OfSet {
  readonly byName: ByName;
  readonly afterWrites: ByEntity;
}

const eventsMax = 2000;
const bodiesPerRead = 50;

/** @param isDelivered whether something is done for events of this type. */
export function createLiveEvents(
  stores: Readonly<Record<Environment, Store>>,
  isDelivered: (type: string) => boolean,
): LiveEvents {
  const sets = new WeakMap<ConfigSet, MaybePromise<OfSet>>();
  const compiled = new BoundedMap<string, LiveEvent>(eventsMax);

  const read = async ({ env, orgCode }: OrgPlace, names: readonly (readonly [string, number])[]): Promise<ByName> => {
    const keyOf = (name: string, version: number): string => `${env} ${orgCode} ${name} ${version}`;
    const byName = new Map<string, LiveEvent>();
    const scope = stores[env].scope(orgScopeName(orgCode));
    for (let start = 0; start < names.length; start += bodiesPerRead) {
      const page = names.slice(start, start + bodiesPerRead);
      const unread = page.filter(([name, version]) => !compiled.has(keyOf(name, version)));
      const places = unread.map(([name, version]) => ({ kind: 'event' as const, name, version }));
      const bodies = places.length === 0 ? [] : await itemBodies.readMany(scope, places);
      const fresh = new Map<string, LiveEvent>();
      for (const [index, { name, version }] of places.entries()) {
        const body = bodies[index];
        if (body === undefined) throw new Error(`a version of the event ${name} is missing`);
        fresh.set(name, liveEvent(name, version, body.value as EventContent));
      }
      for (const [name, version] of page) {
        const event = fresh.get(name) ?? compiled.get(keyOf(name, version));
        if (event === undefined) continue;
        compiled.set(keyOf(name, version), event);
        byName.set(name, event);
      }
    }
    return byName;
  };
  const load = (set: ConfigSet, place: OrgPlace): MaybePromise<OfSet> => {
    const names = eventNames(set);
    if (names.length === 0) return none;
    return read(place, names).then((byName) => ({ byName, afterWrites: afterWrites(byName, isDelivered) }));
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
    named: (set, place, name) => andThen(ofSet(set, place), (found) => found.byName.get(name)),
  };
}

const none: OfSet = { byName: new Map(), afterWrites: new Map() };

function eventNames({ items }: ConfigSet): readonly (readonly [string, number])[] {
  const names: (readonly [string, number])[] = [];
  for (const [key, version] of items) {
    const { kind, name } = itemOfKey(key);
    if (kind === 'event') names.push([name, version]);
  }
  return names;
}

function afterWrites(byName: ByName, isDelivered: (type: string) => boolean): ByEntity {
  const byEntity = new Map<string, LiveEvent[]>();
  for (const event of byName.values()) {
    const { entity_name, event_stage, event_type, enabled } = event.content;
    if (!enabled || event_stage !== 'after' || !isDelivered(event_type)) continue;
    byEntity.set(entity_name, [...(byEntity.get(entity_name) ?? []), event]);
  }
  return byEntity;
}
