/** Keys and tables of an org's configuration in the org's scope of an environment. */

import { apiName, type CompiledEntity, type EntityDefinition, type EntityState } from '../schema/port.ts';
import type { Change, Key } from '../store/port.ts';
import { json, table } from '../store/table.ts';
import type { ConfigItem, ConfigSet, StoredSetting } from './config-set.ts';
import { type ReferenceMap, readReferences, withReferences, writeReferences } from './reference-map.ts';

/** An active item points to the version that is live. */
const pointer = json<{ readonly version: number }>('pointer to a config', { version: 'number' });

/** The head counts config changes of the org. A reader that has seen its version has seen every change up to it. */
export const configHeadKey: Key = { pk: 'config', sk: 'head' };
export const configHead = table<void, { readonly version: number }>(() => configHeadKey, pointer);

/** Which entities look up which. */
export const references = table<void, ReferenceMap>(() => ({ pk: 'config', sk: 'references' }), {
  kind: 'map of references',
  parse: readReferences,
  format: writeReferences,
});

export const activeSettings = 'config;settings';

/** The live settings, by `<group>.<name>`. */
export const liveSettings = table(
  (key: string) => ({ pk: activeSettings, sk: key }),
  json<StoredSetting>('setting', { version: 'number' }),
);

export const activeConfigs = 'config;active';
const configVersions = 'config;versions';
export const entityPartition = 'entity';

/** The key of the live config of an API. */
export function activeConfigKey(api: string): string {
  return `apiname#${api};version#active`;
}

/** The key of one version of a config, which stays. */
function versionedConfigKey(api: string, version: number): string {
  return `apiname#${api};version#${version}`;
}

function activeKey(api: string): Key {
  return { pk: activeConfigs, sk: activeConfigKey(api) };
}

/** The live version of one of the five configs of an entity, by its API; that of a create config says more. */
export const activeApis = table(activeKey, pointer);

/** The state of an entity under its live create config, by the entity. */
export const entityStates = table(
  (entityName: string) => activeKey(apiName('create', entityName)),
  json<EntityState>('state of an entity', { version: 'number', generation: 'number', indexes: 'object' }),
);

export function versionKey(api: string, version: number): Key {
  return { pk: configVersions, sk: versionedConfigKey(api, version) };
}

/** The key under which the live version of an item that is no entity and no setting is named. */
export const activeItems = table(
  ({ kind, name }: ConfigItem) => ({ pk: activeConfigs, sk: `${kind}#${name};version#active` }),
  pointer,
);

/** Whether a change is of which version of an item of the kind is live. */
export function isOfLive(kind: ConfigItem['kind'], change: Change): boolean {
  return 'sk' in change && change.pk === activeConfigs && change.sk.startsWith(`${kind}#`);
}

/** The items of the kind of which another version has become live. */
export function namesOfLive(kind: ConfigItem['kind'], changes: readonly Change[]): readonly string[] {
  return changes.flatMap((change) =>
    change.kind === 'put' && isOfLive(kind, change)
      ? [change.sk.slice(kind.length + 1, change.sk.lastIndexOf(';'))]
      : [],
  );
}

/** The body of one version of a config of an entity. */
export const apiBodies = table(
  ({ api, version }: { readonly api: string; readonly version: number }) => versionKey(api, version),
  json<Readonly<Record<string, unknown>>>('config of an entity', {}),
);

/** The definition in an entity's create config at a version. */
export const definitions = table(
  ({ entityName, version }: { readonly entityName: string; readonly version: number }) =>
    versionKey(apiName('create', entityName), version),
  json<EntityDefinition>('definition of an entity', { entityName: 'string', UpdateParams: 'object' }),
);

/** The key under which one version of a config item that is no entity is kept for good. */
export function itemVersionKey({ kind, name }: ConfigItem, version: number): Key {
  return { pk: configVersions, sk: `${kind}#${name};version#${version}` };
}

/** The body of one version of an item that is no entity. */
export const itemBodies = table(
  ({ version, ...item }: ConfigItem & { readonly version: number }) => itemVersionKey(item, version),
  { kind: 'config item', parse: (text): unknown => JSON.parse(text), format: (value) => JSON.stringify(value) },
);

/**
 * The row that an org keeps of an entity beside its configs. It outlives them until the last record is gone: `removing`
 * while a job takes the records away, `retired` if they stay until their removal is requested.
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

export const entityRow = json<EntityRow>('entity', { state: 'string', version: 'number' });
export const entityRows = table((entityName: string) => ({ pk: entityPartition, sk: entityName }), entityRow);

/** The reference changes of an entity's change: none, or the one item that lists the references. */
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
