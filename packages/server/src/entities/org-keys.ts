/** Where an org's configuration lies in the org's scope of an environment. */
import type { Key } from '../store/port.ts';
import { activeConfigKey, versionedConfigKey } from './api-configs.ts';
import type { EntityState } from './entity-state.ts';

/** The head counts config changes of the org. A reader that has seen its version has seen every change up to it. */
export const configHeadKey: Key = { pk: 'config', sk: 'head' };

/** Which entities look up which. */
export const referencesKey: Key = { pk: 'config', sk: 'references' };

/** The live settings, by `<group>.<name>`. */
export const activeSettings = 'config;settings';

export const activeConfigs = 'config;active';
const configVersions = 'config;versions';
export const entityRows = 'entity';

export function activeKey(api: string): Key {
  return { pk: activeConfigs, sk: activeConfigKey(api) };
}

export function versionKey(api: string, version: number): Key {
  return { pk: configVersions, sk: versionedConfigKey(api, version) };
}

export function entityKey(entityName: string): Key {
  return { pk: entityRows, sk: entityName };
}

/** What an org keeps of an entity beside its configs. It outlives them until the last record is gone. */
export interface EntityRow {
  readonly state: 'active' | 'removing';
  readonly version: number;
  /** Once it is being removed: the config version of that, and how its records were written. */
  readonly removal?: number;
  readonly removed?: EntityState;
  readonly updated_at: string;
}
