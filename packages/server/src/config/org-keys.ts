/** Where an org's configuration lies in the org's scope of an environment. */

import type { EntityState } from '../schema/port.ts';
import { activeConfigKey, versionedConfigKey } from '../schema/port.ts';
import type { Key } from '../store/port.ts';
import type { ConfigItem } from './config-item.ts';

/** The head counts config changes of the org. A reader that has seen its version has seen every change up to it. */
export const configHeadKey: Key = { pk: 'config', sk: 'head' };

/** Which entities look up which. */
export const referencesKey: Key = { pk: 'config', sk: 'references' };

/** The live settings, by `<group>.<name>`. */
export const activeSettings = 'config;settings';

export const activeConfigs = 'config;active';
const configVersions = 'config;versions';
export const entityRows = 'entity';

/** What became of each config item, by `<kind>#<name>` and the version: who changed it and when. */
const itemHistory = 'config;history';

export function activeKey(api: string): Key {
  return { pk: activeConfigs, sk: activeConfigKey(api) };
}

export function versionKey(api: string, version: number): Key {
  return { pk: configVersions, sk: versionedConfigKey(api, version) };
}

/** The key under which the live version of an item that is no entity and no setting is named. */
export function activeItemKey({ kind, name }: ConfigItem): Key {
  return { pk: activeConfigs, sk: `${kind}#${name};version#active` };
}

/** The key under which one version of a config item that is no entity stands for good. */
export function itemVersionKey({ kind, name }: ConfigItem, version: number): Key {
  return { pk: configVersions, sk: `${kind}#${name};version#${version}` };
}

/** Where what became of an item is noted; versions are in their order. */
export function itemHistoryKey(item: ConfigItem, version: number): Key {
  return { pk: itemHistory, sk: `${itemHistoryPrefix(item)}${String(version).padStart(16, '0')}` };
}

export function itemHistoryPrefix({ kind, name }: ConfigItem): string {
  return `${kind}#${name};`;
}

export function entityKey(entityName: string): Key {
  return { pk: entityRows, sk: entityName };
}

/**
 * What an org keeps of an entity beside its configs. It outlives them until the last record is gone: `removing` while a
 * job takes the records away, `retired` where they stay until somebody asks for that.
 */
export interface EntityRow {
  readonly state: 'active' | 'removing' | 'retired';
  readonly version: number;
  /** Once it is being removed: the config version of that. */
  readonly removal?: number;
  /** Once it is not active any more: how its records were written. */
  readonly removed?: EntityState;
  readonly updated_at: string;
}
