import { configItemKinds } from '@freehold/contract/config-kinds';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { type ApiAction, type CompiledEntity, type EntityState, systemEntities } from '../schema/port.ts';
import type { ConfigSize } from '../tenancy/port.ts';
import type { Reference, ReferenceMap } from './reference-map.ts';

/** A part of an org's configuration, by kind and name: the unit that is versioned, compared and promoted. */
export interface ConfigItem {
  readonly kind: ConfigItemKind;
  readonly name: string;
}

export { configItemKinds };
export type ConfigItemKind = (typeof configItemKinds)[number];

/** The one text for an item, such as `entity#order`; no kind has a `#`. */
export function itemKey({ kind, name }: ConfigItem): string {
  return `${kind}#${name}`;
}

/** @throws TypeError where it is none. */
export function itemOfKey(key: string): ConfigItem {
  const end = key.indexOf('#');
  const kind = configItemKinds.find((one) => one === key.slice(0, end));
  if (kind === undefined) throw new TypeError(`${key} is no config item`);
  return { kind, name: key.slice(end + 1) };
}

/** The live configuration of one org at one version. A request holds one from its beginning to its end. */
export interface ConfigSet {
  /** Rises with every change of the org's configuration. */
  readonly version: number;
  readonly entityNames: readonly string[];
  /** The live state of an entity; undefined where there is no such entity. System entities have none. */
  active(name: string): ActiveEntity | undefined;
  /** Undefined where the org has no entity of that name. System entities are in every org. */
  entity(name: string): MaybePromise<CompiledEntity | undefined>;
  /** The bound of an entity's fence: writers that know this configuration may write while the fence is not above it. */
  generation(name: string): number;
  readonly references: ReferenceMap;
  /** The live versions of the items that are neither entities nor settings, by `itemKey`. */
  readonly items: ReadonlyMap<string, number>;
  /** The settings that were made, by `<group>.<name>`; others have their defaults. */
  readonly settings: ReadonlyMap<string, StoredSetting>;
}

/** A setting as it lies in the store. Where `prod_value` is there, production uses it. */
export interface StoredSetting {
  readonly value: unknown;
  readonly prod_value?: unknown;
  /** The config version that made it so. */
  readonly version: number;
}

/** An entity's state and the live versions of its five configs. */
export interface ActiveEntity {
  readonly state: EntityState;
  readonly versions: ApiVersions;
  /** Rises with every change of any of it: what a compiled entity is kept under. */
  readonly revision: number;
}

export type ApiVersions = Readonly<Record<ApiAction, number>>;

interface ConfigSetDeps {
  readonly version: number;
  readonly entities: ReadonlyMap<string, ActiveEntity>;
  readonly references: ReferenceMap;
  readonly items: ReadonlyMap<string, number>;
  readonly settings: ReadonlyMap<string, StoredSetting>;
  readonly compile: (name: string, active: ActiveEntity) => MaybePromise<CompiledEntity>;
}

export function makeConfigSet(deps: ConfigSetDeps): ConfigSet {
  const { version, entities, references, items, settings, compile } = deps;
  return {
    version,
    entityNames: [...entities.keys()],
    active: (name) => entities.get(name),
    entity: (name) => {
      const active = entities.get(name);
      return active === undefined ? systemEntities.get(name) : compile(name, active);
    },
    generation: (name) => Math.max(entities.get(name)?.state.generation ?? 0, references.get(name)?.generation ?? 0),
    references,
    items,
    settings,
  };
}

/** The live items of a kind that is neither entities nor settings. */
export function itemsOfKind<Kind extends ConfigItemKind>({ items }: ConfigSet, kind: Kind): readonly LiveItem<Kind>[] {
  const found: LiveItem<Kind>[] = [];
  for (const [key, version] of items) {
    const item = itemOfKey(key);
    if (item.kind === kind) found.push({ kind, name: item.name, version });
  }
  return found;
}

export interface LiveItem<Kind> {
  readonly kind: Kind;
  readonly name: string;
  readonly version: number;
}

/** The references to records of an entity. */
export function referencesTo(set: ConfigSet, entityName: string): readonly Reference[] {
  return set.references.get(entityName)?.by ?? [];
}

/** The entities that records of an entity may refer to. */
export function targetsOf(set: ConfigSet, entityName: string): readonly string[] {
  const holds = ({ entity }: Reference): boolean => entity === entityName;
  return [...set.references].filter(([, { by }]) => by.some(holds)).map(([target]) => target);
}

/** The configuration of an org that has none: system entities alone. For who works on these and nothing else. */
export const systemConfig: ConfigSet = makeConfigSet({
  version: 0,
  entities: new Map(),
  references: new Map(),
  items: new Map(),
  settings: new Map(),
  compile: (name) => {
    throw new TypeError(`there is no entity ${name}`);
  },
});

/**
 * Holds the configuration of an org, in one environment, to what the org may have, whatever that is. Asked in the planning
 * of each change of configuration: it is committed on what it was planned on or not at all, so that the answer holds.
 * @throws Problem to refuse the change.
 */
export type ConfigGate = (
  orgCode: string,
  size: { readonly before: ConfigSize; readonly after: ConfigSize },
) => Promise<void>;
