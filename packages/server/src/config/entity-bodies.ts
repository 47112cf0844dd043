import { type ApiAction, actions, apiName, bodiesOfContent, type EntityContent } from '../schema/port.ts';
import type { Put } from '../store/port.ts';
import type { ApiVersions } from './config-set.ts';
import { apiBodies } from './org-keys.ts';

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
