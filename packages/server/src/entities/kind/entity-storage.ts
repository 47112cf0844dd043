import { isDeepStrictEqual } from 'node:util';
import { type ApiVersions, newBodies, sameVersions, versionKey } from '../../config/port.ts';
import type { BodyChange, BodyVersions, ItemStorage } from '../../promotion/port.ts';
import {
  actions,
  apiName,
  bodiesOfContent,
  type ConfigBodiesOfEntity,
  contentOfBodies,
  type EntityContent,
} from '../../schema/port.ts';

/** Five bodies, one for each config, that have versions of their own. */
export const entityStorage: ItemStorage = {
  liveNames: ({ entityNames }) => entityNames,
  liveVersions: (set, { name }) => set.active(name)?.versions,
  bodyKeys: ({ name }, versions) =>
    actions.map((action) => versionKey(apiName(action, name), eachOf(versions)[action])),
  contentOf: (bodies) =>
    contentOfBodies(
      Object.fromEntries(actions.map((action, index) => [action, bodies[index]])) as ConfigBodiesOfEntity,
    ),
  bodyPuts: ({ content, version }, versions) => newBodies(content as EntityContent, eachOf(versions), version),
  versionsAfter,
};

function eachOf(versions: BodyVersions): ApiVersions {
  return typeof versions === 'number' ? sameVersions(versions) : versions;
}

function versionsAfter({ before, after, live, next }: BodyChange): ApiVersions {
  const wanted = bodiesOfContent(after as EntityContent);
  const standing = before === undefined ? undefined : bodiesOfContent(before as EntityContent);
  const versions = actions.map((action) => {
    const stays = standing !== undefined && live !== undefined && isDeepStrictEqual(standing[action], wanted[action]);
    return [action, stays && typeof live !== 'number' ? live[action] : next];
  });
  return Object.fromEntries(versions) as ApiVersions;
}
