import { BoundedMap, type HitTally, newHitTally } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { singleFlight } from '../lib/scheduling/single-flight.ts';
import {
  actions,
  apiName,
  type CompiledEntity,
  compileEntity,
  compilePatterns,
  type EntityContent,
} from '../schema/port.ts';
import { type Change, type Item, OutcomeUnknown, type Scope, type ScopeName, type Store } from '../store/port.ts';
import { type Environment, orgScopeName } from '../tenancy/port.ts';
import { type ActiveEntity, type ApiVersions, type ConfigSet, makeConfigSet } from './config-set.ts';
import {
  activeApis,
  activeConfigKey,
  activeConfigs,
  activeItems,
  activeSettings,
  apiBodies,
  configHeadKey,
  definitions,
  entityStates,
  liveSettings,
  namesOfLive,
  references,
  versionKey,
} from './org-keys.ts';

/** Reads the configuration of the orgs of one environment. */
export interface ConfigReader {
  /** At once where it is known. */
  current(orgCode: string): MaybePromise<ConfigSet>;
  /** The same, read again for a writer that met a newer version than it knew. */
  refresh(orgCode: string): Promise<ConfigSet>;
  /** The facts that are known of the org may be out of date: the next caller waits until it has been read. */
  forget(orgCode: string): void;
  /** Hears of each change that this process has committed. */
  changed(orgCode: string, changes: readonly Change[]): Promise<void>;
}

interface ConfigReaderOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Of the configurations that are kept, by {@link weightOfSet}. */
  readonly setsMax?: number;
  /** Of the compiled entities that are kept, by {@link weightOfEntity}. */
  readonly entitiesMax?: number;
  /** Another number once this process has made or heard of a change of the configuration in the scope. */
  readonly changesOf?: ((scope: ScopeName) => number) | undefined;
  /** Whether `changesOf` tells of all changes, so that what is known is never read again because of its age. */
  readonly isInvalidated?: boolean;
  /** Hears which events this process has changed. */
  readonly eventsChanged?: (orgCode: string, events: readonly string[]) => Promise<void>;
  /** A miss is what has to wait for the store. */
  readonly tally?: HitTally;
}

// Other nodes learn of a change within a second: asked for after half of one, waited for after a whole one.
const refreshAfterMilliseconds = 500;
const waitAfterMilliseconds = 1000;

/** A unit is about 100 bytes. Enough for 10,000 orgs of a few entities. */
const setsWeightMax = 400_000;
/** A unit is about a kilobyte. Enough for 10,000 entities of ten fields. */
const entitiesWeightMax = 160_000;

/** An entity has five live configs. */
function weightOfSet({ entityNames, items, settings }: ConfigSet): number {
  return 20 + 5 * entityNames.length + items.size + settings.size;
}

function weightOfEntity({ fields }: CompiledEntity): number {
  return 6 + fields.size;
}

function weightOfCompiled({ entity }: CompiledRevision): number {
  return entity instanceof Promise ? 1 : weightOfEntity(entity);
}

interface Cached {
  readonly set: ConfigSet;
  readonly readAt: number;
  /** Of the head of the configuration, before the set was read. */
  readonly changes: number;
}

/** The newest revision of an entity that was asked for: what it was before does not stay in memory. */
interface CompiledRevision {
  readonly revision: number;
  readonly entity: MaybePromise<CompiledEntity>;
}

interface EventScope {
  readonly env: Environment;
  readonly orgCode: string;
}

/** The configurations of both environments. */
export type ConfigReaders = Readonly<Record<Environment, ConfigReader>>;

export function openConfigs(
  stores: Readonly<Record<Environment, Store>>,
  options: Omit<ConfigReaderOptions, 'store' | 'changesOf' | 'eventsChanged'> & {
    /** Hears which events this process has changed. */
    readonly eventsChanged: (place: EventScope, events: readonly string[]) => Promise<void>;
  },
  changesOf?: Readonly<Record<Environment, ConfigReaderOptions['changesOf']>>,
  invalidations?: Readonly<Record<Environment, ConfigInvalidations>>,
): ConfigReaders {
  const open = (env: Environment): ConfigReader => {
    const all = invalidations?.[env];
    const how =
      all === undefined ? { changesOf: changesOf?.[env] } : { changesOf: all.at.bind(all), isInvalidated: true };
    const eventsChanged: ConfigReaderOptions['eventsChanged'] = (orgCode, names) =>
      options.eventsChanged({ env, orgCode }, names);
    return createConfigReader({ ...options, store: stores[env], ...how, eventsChanged });
  };
  return { test: open('test'), prod: open('prod') };
}

export function createConfigReader(options: ConfigReaderOptions): ConfigReader {
  const { store, clock, tally = newHitTally() } = options;
  const orgs = new BoundedMap<string, Cached>(options.setsMax ?? setsWeightMax, ({ set }) => weightOfSet(set));
  const compiled = new BoundedMap<string, CompiledRevision>(options.entitiesMax ?? entitiesWeightMax, weightOfCompiled);
  const flights = singleFlight<string, ConfigSet>();
  const changes = (orgCode: string): number => options.changesOf?.(orgScopeName(orgCode)) ?? 0;

  const read = async (orgCode: string): Promise<ConfigSet> => {
    const readAt = clock.now();
    const seen = changes(orgCode);
    const set = await readConfigSet(store.scope(orgScopeName(orgCode)), {
      known: orgs.get(orgCode)?.set,
      compile: (name, active) => compileOnce(orgCode, name, active),
    });
    // Reads may end in another order than they began: what is known never becomes older.
    const cached = orgs.get(orgCode);
    if (cached !== undefined && cached.set.version > set.version) return cached.set;
    orgs.set(orgCode, { set, readAt, changes: seen });
    return set;
  };
  const readShared = (orgCode: string): Promise<ConfigSet> =>
    // Neither has a space. A read that began before a change is not joined.
    flights(`${orgCode} ${changes(orgCode)}`, () => read(orgCode));

  const compileOnce = (orgCode: string, name: string, active: ActiveEntity): MaybePromise<CompiledEntity> => {
    // Neither codes nor names have spaces.
    const key = `${orgCode} ${name}`;
    const known = compiled.get(key);
    if (known?.revision === active.revision) return known.entity;
    const loading = loadEntity(store.scope(orgScopeName(orgCode)), name, active);
    // Revisions grow. A caller with an older set asks rarely, and for items that no other caller needs.
    if (known !== undefined && known.revision > active.revision) return loading;
    const made: CompiledRevision = { revision: active.revision, entity: loading };
    compiled.set(key, made);
    loading.then(
      (entity) => {
        if (compiled.get(key) === made) compiled.set(key, { ...made, entity });
      },
      () => {
        if (compiled.get(key) === made) compiled.delete(key);
      },
    );
    return loading;
  };

  return {
    current: (orgCode) => {
      const cached = orgs.get(orgCode);
      if (options.isInvalidated === true && cached?.changes === changes(orgCode)) {
        tally.hits += 1;
        return cached.set;
      }
      const age = clock.now() - (cached?.readAt ?? 0);
      // A clock that was set back says nothing about the age.
      if (cached === undefined || age < 0 || age >= waitAfterMilliseconds || cached.changes !== changes(orgCode)) {
        tally.misses += 1;
        return readShared(orgCode);
      }
      tally.hits += 1;
      if (age < refreshAfterMilliseconds) return cached.set;
      // The store's fault is met again by the request that has to wait for the answer.
      readShared(orgCode).catch(() => undefined);
      return cached.set;
    },
    // A read that is under way may have begun before what the caller knows of, so it is not joined.
    refresh: read,
    forget: (orgCode) => {
      orgs.delete(orgCode);
    },
    changed: async (orgCode, changes) => {
      await options.eventsChanged?.(orgCode, namesOfLive('event', changes));
    },
  };
}

interface ReadOptions {
  readonly known: ConfigSet | undefined;
  readonly compile: (name: string, active: ActiveEntity) => MaybePromise<CompiledEntity>;
}

async function readConfigSet(scope: Scope, { known, compile }: ReadOptions): Promise<ConfigSet> {
  for (;;) {
    const [head] = await scope.get([configHeadKey]);
    const version = head?.version ?? 0;
    if (known?.version === version) return known;
    const pointers = await scope.range(activeConfigs, { limit: pointersMax });
    const settings = await liveSettings.range(scope, activeSettings, { limit: settingsMax });
    const [after, referring] = await scope.get([configHeadKey, references.key()]);
    if ((after?.version ?? 0) !== version) continue;
    return makeConfigSet({
      version,
      entities: readPointers(scope, pointers),
      references: references.row(scope, referring)?.value ?? new Map(),
      items: readItems(scope, pointers),
      settings: new Map(settings.map(({ sk, value }) => [sk, value])),
      compile,
    });
  }
}

/** Five configs of each of the entities that an org may have, and its other items. */
const pointersMax = 10_000;
const settingsMax = 100;

function readPointers(scope: Scope, pointers: readonly Item[]): ReadonlyMap<string, ActiveEntity> {
  const items = new Map(pointers.map((item) => [item.sk, item]));
  const entities = new Map<string, ActiveEntity>();
  for (const pointer of pointers) {
    const { sk } = pointer;
    if (!sk.startsWith(createPrefix)) continue;
    const name = sk.slice(createPrefix.length, -pointerEnd.length);
    const five = actions.map((action) => items.get(activeConfigKey(apiName(action, name))));
    const versions = five.map((item) => activeApis.row(scope, item)?.value.version ?? 0);
    entities.set(name, {
      state: entityStates.row(scope, pointer).value,
      versions: Object.fromEntries(actions.map((action, index) => [action, versions[index]])) as ApiVersions,
      revision: Math.max(...five.map((item) => item?.version ?? 0)),
    });
  }
  return entities;
}

/** Those of items that are no entities. */
function readItems(scope: Scope, pointers: readonly Item[]): ReadonlyMap<string, number> {
  const others = pointers.filter(({ sk }) => !sk.startsWith(apiPrefix));
  return new Map(
    others.map((item) => [item.sk.slice(0, -pointerEnd.length), activeItems.row(scope, item).value.version]),
  );
}

const apiPrefix = 'apiname#';
const createPrefix = `apiname#${apiName('create', '')}`;
const pointerEnd = ';version#active';

async function loadEntity(scope: Scope, name: string, { state, versions }: ActiveEntity): Promise<CompiledEntity> {
  const bodies = await scope.get(actions.map((action) => versionKey(apiName(action, name), versions[action])));
  const [create, ...others] = bodies;
  if (create === undefined || others.includes(undefined))
    throw new Error('a version of a config of an entity is missing');
  const configured = Object.fromEntries(
    others.map((config, index) => [actions[index + 1], apiBodies.row(scope, config)?.value.Views]),
  ) as EntityContent['views'];
  const definition = definitions.row(scope, create).value;
  await compilePatterns(definition);
  return compileEntity(definition, state.version, state, configured);
}

/** More than configurations are kept of. */
const scopesMax = 100_000;

/**
 * INVARIANT: a number that was read before a configuration, and is the same now, means that the store still holds this
 * configuration, if every commit is made by `track`.
 */
export class ConfigInvalidations {
  readonly #changes = new BoundedMap<ScopeName, number>(scopesMax);
  /** Of commits of which it is not known whether and when they take effect. */
  readonly #unknown = new Set<ScopeName>();
  #last = 0;

  /** Makes a call of the store. */
  async track<T>(
    { scope, changes }: { readonly scope: ScopeName; readonly changes?: readonly Change[] },
    call: () => Promise<T>,
  ): Promise<T> {
    if (changes?.some(isOfHead) !== true) return call();
    this.#change(scope);
    try {
      return await call();
    } catch (error) {
      if (error instanceof OutcomeUnknown) this.#unknown.add(scope);
      throw error;
    } finally {
      this.#change(scope);
    }
  }

  /** Another number after each change; a number that equals no other if changes cannot be tracked. */
  at(scope: ScopeName): number {
    return this.#unknown.has(scope) ? Number.NaN : (this.#changes.get(scope) ?? this.#change(scope));
  }

  #change(scope: ScopeName): number {
    this.#last += 1;
    this.#changes.set(scope, this.#last);
    return this.#last;
  }
}

function isOfHead(change: Change): boolean {
  return 'sk' in change && change.pk === configHeadKey.pk && change.sk === configHeadKey.sk && change.kind !== 'check';
}
