import {
  type ApiAction,
  actions,
  apiName,
  bodiesOfContent,
  type CompiledEntity,
  type EntityContent,
  type ReferenceMap,
  withReferences,
  writeReferences,
} from '../schema/port.ts';
import type { Change, Put } from '../store/port.ts';
import type { ApiVersions, ConfigSet } from './config-set.ts';
import { apiBodies, references } from './org-keys.ts';

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

/** What a change of an entity changes in who refers to whom: nothing, or the one item that says so. */
export function referencesChange(
  set: ConfigSet,
  entity: { readonly name: string; readonly compiled: CompiledEntity | undefined },
  version: number,
): readonly Change[] {
  return referencesPut(set.references, withReferences(set.references, entity, version));
}

/** The same of a map as a whole. */
export function referencesPut(before: ReferenceMap, after: ReferenceMap): readonly Change[] {
  if (writeReferences(after) === writeReferences(before)) return [];
  return [references.put(undefined, after, { if: 'any' })];
}
