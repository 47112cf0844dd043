import { type ActiveEntity, type ApiVersions, apiBodies, type ConfigSet } from '../config/port.ts';
import { type ApiAction, actions, apiName, bodiesOfContent, type EntityContent } from '../schema/port.ts';
import type { Put } from '../store/port.ts';
import type { ConfigSize } from '../tenancy/port.ts';

/** All five configs at one version. */
export function sameVersions(version: number): ApiVersions {
  return Object.fromEntries(actions.map((action) => [action, version])) as Record<ApiAction, number>;
}

/** The bodies of those configs that get the version named; the others lie there already. */
export function newBodies(content: EntityContent, versions: ApiVersions, version: number): readonly Put[] {
  const bodies = bodiesOfContent(content);
  return actions
    .filter((action) => versions[action] === version)
    .map((action) => {
      const api = apiName(action, content.definition.entityName);
      return apiBodies.insert({ api, version }, bodies[action]);
    });
}

export function configSize(set: ConfigSet): ConfigSize {
  return sizeOf(new Map(set.entityNames.map((name) => [name, set.active(name)?.state])));
}

/** A change of an entity; without `after` the entity is removed. */
interface EntityChange {
  readonly name: string;
  readonly after: unknown;
  readonly state: ActiveEntity['state'] | undefined;
}

/** The size once the changes are made. */
export function configSizeAfter(set: ConfigSet, changes: readonly EntityChange[]): ConfigSize {
  const states = new Map(set.entityNames.map((name) => [name, set.active(name)?.state]));
  for (const { name, after, state } of changes) {
    if (after === undefined) states.delete(name);
    else states.set(name, state);
  }
  return sizeOf(states);
}

function sizeOf(states: ReadonlyMap<string, ActiveEntity['state'] | undefined>): ConfigSize {
  let indexes = 0;
  for (const state of states.values())
    indexes += state?.indexes.filter((index) => index.state !== 'dropping' && index.state !== 'erasing').length ?? 0;
  return { entities: states.size, indexes };
}
