/** The events before writes, as they are live: read once for each version of a configuration. */
import { type ConfigSet, itemBodies, itemOfKey } from '../../config/port.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { EventContent } from '../../promotion/port.ts';
import type { Store } from '../../store/port.ts';
import { type Environment, orgScopeName } from '../../tenancy/port.ts';

export interface OrgPlace {
  readonly env: Environment;
  readonly orgCode: string;
}

/** By entity, in the order of their names. */
type ByEntity = ReadonlyMap<string, readonly EventContent[]>;

export type LiveBefore = (
  set: ConfigSet,
  place: OrgPlace,
  entityName: string,
) => MaybePromise<readonly EventContent[] | undefined>;

const keptMax = 2000;
const bodiesPerRead = 50;
const nothing: ByEntity = new Map();

export function createLiveBefore(stores: Readonly<Record<Environment, Store>>): LiveBefore {
  const sets = new WeakMap<ConfigSet, MaybePromise<ByEntity>>();
  /** Without those that are after a write, which are not kept. */
  const kept = new BoundedMap<string, { readonly content: EventContent | undefined }>(keptMax);

  const read = async ({ env, orgCode }: OrgPlace, named: readonly NamedVersion[]): Promise<ByEntity> => {
    const byEntity = new Map<string, EventContent[]>();
    const scope = stores[env].scope(orgScopeName(orgCode));
    const keyOf = ({ name, version }: NamedVersion): string => [env, orgCode, name, version].join(' ');
    for (let start = 0; start < named.length; start += bodiesPerRead) {
      const page = named.slice(start, start + bodiesPerRead);
      const unread = page.filter((one) => kept.get(keyOf(one)) === undefined);
      const bodies = unread.length === 0 ? [] : await itemBodies.readMany(scope, unread);
      const found = new Map(
        unread.map((one, index) => [keyOf(one), { content: runBefore(bodies[index]?.value) }] as const),
      );
      for (const key of page.map(keyOf)) {
        const one = found.get(key) ?? kept.get(key);
        if (one === undefined) continue;
        kept.set(key, one);
        if (one.content === undefined) continue;
        const { entity_name: entity } = one.content;
        byEntity.set(entity, [...(byEntity.get(entity) ?? []), one.content]);
      }
    }
    return byEntity;
  };

  const ofSet = (set: ConfigSet, place: OrgPlace): MaybePromise<ByEntity> => {
    const known = sets.get(set);
    if (known !== undefined) return known;
    const named = eventsIn(set);
    const reading = named.length === 0 ? nothing : read(place, named);
    sets.set(set, reading);
    if (reading instanceof Promise)
      reading.then(
        (byEntity) => sets.set(set, byEntity),
        () => sets.delete(set),
      );
    return reading;
  };
  return (set, place, entityName) => andThen(ofSet(set, place), (byEntity) => byEntity.get(entityName));
}

interface NamedVersion {
  readonly kind: 'event';
  readonly name: string;
  readonly version: number;
}

function eventsIn({ items }: ConfigSet): readonly NamedVersion[] {
  const named: NamedVersion[] = [];
  for (const [key, version] of items) {
    const { kind, name } = itemOfKey(key);
    if (kind === 'event') named.push({ kind, name, version });
  }
  return named.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function runBefore(stored: unknown): EventContent | undefined {
  const content = stored as EventContent | undefined;
  return content !== undefined && isRunBefore(content) ? content : undefined;
}

function isRunBefore({ enabled, event_stage, destination_config }: EventContent): boolean {
  return enabled && event_stage === 'before' && 'logicblock' in destination_config;
}
