import { BoundedMap } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';
import { singleFlight } from '../lib/single-flight.ts';
import type { Scope, Store } from '../store/port.ts';
import { actions, apiName } from './api-configs.ts';
import { type CompiledEntity, compileEntity } from './compile-entity.ts';
import type { EntityDefinition } from './definition.ts';
import { activeConfigs, configHeadKey, versionKey } from './org-keys.ts';
import { systemEntities } from './system-entities.ts';
import { orgScopeName } from './workspace.ts';

/** The live configuration of one org at one version. A request holds one from its beginning to its end. */
export interface ConfigSet {
  readonly version: number;
  readonly entityNames: readonly string[];
  /** The version of an entity's create config; undefined where there is no such entity. */
  entityVersion(name: string): number | undefined;
  /** Undefined where the org has no entity of that name. System entities are in every org. */
  entity(name: string): Promise<CompiledEntity | undefined>;
}

/** Reads the configuration of the orgs of one environment. */
export interface ConfigReader {
  current(orgCode: string): Promise<ConfigSet>;
  /** The same, read anew: for a writer that met a newer version than it knew. */
  refresh(orgCode: string): Promise<ConfigSet>;
}

export interface ConfigReaderOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly orgsMax?: number;
  readonly entitiesMax?: number;
}

// Other nodes learn of a change within a second: asked for after half of one, waited for after a whole one.
const refreshAfterMilliseconds = 500;
const waitAfterMilliseconds = 1000;

interface Cached {
  readonly set: ConfigSet;
  readonly readAt: number;
}

export function createConfigReader(options: ConfigReaderOptions): ConfigReader {
  const { store, clock } = options;
  const orgs = new BoundedMap<string, Cached>(options.orgsMax ?? 1000);
  const compiled = new BoundedMap<string, Promise<CompiledEntity>>(options.entitiesMax ?? 2000);
  const flights = singleFlight<string, ConfigSet>();

  const read = async (orgCode: string): Promise<ConfigSet> => {
    const readAt = clock.now();
    const set = await readConfigSet(store.scope(orgScopeName(orgCode)), {
      known: orgs.get(orgCode)?.set,
      compile: (name, version) => compileOnce(orgCode, name, version),
    });
    // Reads may end in another order than they began: what is known never becomes older.
    const cached = orgs.get(orgCode);
    if (cached !== undefined && cached.set.version > set.version) return cached.set;
    orgs.set(orgCode, { set, readAt });
    return set;
  };
  const readShared = (orgCode: string): Promise<ConfigSet> => flights(orgCode, () => read(orgCode));

  const compileOnce = (orgCode: string, name: string, version: number): Promise<CompiledEntity> => {
    const key = JSON.stringify([orgCode, name, version]);
    const known = compiled.get(key);
    if (known !== undefined) return known;
    const loading = loadEntity(store.scope(orgScopeName(orgCode)), name, version);
    compiled.set(key, loading);
    loading.catch(() => compiled.delete(key));
    return loading;
  };

  return {
    current: async (orgCode) => {
      const cached = orgs.get(orgCode);
      if (cached === undefined) return readShared(orgCode);
      const age = clock.now() - cached.readAt;
      // A clock that was set back says nothing about the age.
      if (age < 0 || age >= waitAfterMilliseconds) return readShared(orgCode);
      if (age < refreshAfterMilliseconds) return cached.set;
      // The store's fault is met again by the request that has to wait for the answer.
      readShared(orgCode).catch(() => undefined);
      return cached.set;
    },
    // A read that is under way may have begun before what the caller knows of, so it is not joined.
    refresh: read,
  };
}

interface ReadOptions {
  readonly known: ConfigSet | undefined;
  readonly compile: (name: string, version: number) => Promise<CompiledEntity>;
}

async function readConfigSet(scope: Scope, options: ReadOptions): Promise<ConfigSet> {
  for (;;) {
    const [head] = await scope.get([configHeadKey]);
    const version = head?.version ?? 0;
    if (options.known?.version === version) return options.known;
    const pointers = await scope.range(activeConfigs, { prefix: createPrefix, limit: pointersMax });
    const [after] = await scope.get([configHeadKey]);
    if ((after?.version ?? 0) !== version) continue;
    const versions = new Map(pointers.map((item) => [entityOfPointer(item.sk), readPointer(item.value)] as const));
    return makeConfigSet(version, versions, options.compile);
  }
}

function makeConfigSet(
  version: number,
  versions: ReadonlyMap<string, number>,
  compile: ReadOptions['compile'],
): ConfigSet {
  return {
    version,
    entityNames: [...versions.keys()],
    entityVersion: (name) => versions.get(name),
    entity: async (name) => {
      const entityVersion = versions.get(name);
      return entityVersion === undefined ? systemEntities.get(name) : compile(name, entityVersion);
    },
  };
}

const createPrefix = `apiname#${apiName('create', '')}`;
const pointerEnd = ';version#active';
const pointersMax = 10_000;

function entityOfPointer(sortKey: string): string {
  return sortKey.slice(createPrefix.length, -pointerEnd.length);
}

/** An active item points to the version that is live. */
export function pointerValue(version: number): string {
  return JSON.stringify({ version });
}

export function readPointer(value: string): number {
  return (JSON.parse(value) as { version: number }).version;
}

async function loadEntity(scope: Scope, name: string, version: number): Promise<CompiledEntity> {
  const [item] = await scope.get([versionKey(apiName(actions[0], name), version)]);
  if (item === undefined) throw new Error(`version ${version} of the config of an entity is missing`);
  return compileEntity(JSON.parse(item.value) as EntityDefinition, version);
}
