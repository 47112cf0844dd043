import type { ApiVersions, ConfigItem } from '../../config/port.ts';
import { itemBodies, itemVersionKey, newBodies, sameVersions, versionKey } from '../../config/port.ts';
import { actions, apiName, type ConfigBodiesOfEntity, contentOfBodies, type EntityContent } from '../../schema/port.ts';
import type { Item, Key, Put } from '../../store/port.ts';

/** A config item as a whole, at the version under which it lies. */
export interface ItemBody extends ConfigItem {
  readonly version: number;
  readonly content: unknown;
}

/** Where the bodies of an item lie: five of an entity, one of everything else. */
export function bodyKeys(item: ConfigItem, version: number | ApiVersions): readonly Key[] {
  if (item.kind !== 'entity') return [itemVersionKey(item, newest(version))];
  return actions.map((action) =>
    versionKey(apiName(action, item.name), typeof version === 'number' ? version : version[action]),
  );
}

/** The bodies of an item under one version. */
export function bodyPuts({ kind, name, version, content }: ItemBody): readonly Put[] {
  if (kind === 'entity') return newBodies(content as EntityContent, sameVersions(version), version);
  return [itemBodies.insert({ kind, name, version }, content)];
}

/** Bodies that are live or were so are there for good; what is only staged may have been withdrawn. */
export class MissingBody extends Error {}

/** What was read from `bodyKeys`. @throws MissingBody */
export function contentOf({ kind, name }: ConfigItem, read: readonly (Item | undefined)[]): unknown {
  const bodies = read.map((item) => {
    if (item === undefined) throw new MissingBody(`a version of the ${kind} ${name} is missing`);
    return JSON.parse(item.value);
  });
  if (kind !== 'entity') return bodies[0];
  return contentOfBodies(
    Object.fromEntries(actions.map((action, index) => [action, bodies[index]])) as ConfigBodiesOfEntity,
  );
}

export function newest(version: number | ApiVersions): number {
  return typeof version === 'number' ? version : Math.max(...actions.map((action) => version[action]));
}
