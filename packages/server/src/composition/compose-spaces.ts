/** Opens the data spaces, watched and marked, and cuts them into the scopes that modules work on. */
import { randomUUID } from 'node:crypto';
import { ConfigInvalidations } from '../config/config-reader.ts';
import type { Config } from '../config.ts';
import type { OnceScopes } from '../gateway/answer-once.ts';
import type { GatewaysDeps } from '../gateway/gateways.ts';
import { platformScopeName } from '../people/port.ts';
import { markingStore } from '../records/port.ts';
import { interceptStore } from '../store/intercepted-store.ts';
import type { Health, OpenedStore, Scope, Store } from '../store/port.ts';
import type { Measurement } from '../telemetry/measurement.ts';
import { type Environment, type OrgScopes, orgScopeName, workspaceScopeName } from '../tenancy/port.ts';
import { openSpaces, type Spaces } from './open-spaces.ts';
import { createNodeSignals, type NodeSignals } from './signals/compose-signals.ts';

export interface ComposedSpaces {
  readonly spaces: Spaces;
  /** The stores of the two environments. */
  readonly stores: Readonly<Record<Environment, Store>>;
  /** The scope of the platform itself. */
  readonly platform: Scope;
  readonly orgScopes: OrgScopes;
  readonly workspaceScopes: (orgCode: string, tenantCode: string) => Readonly<Record<Environment, Scope>>;
  /** The scopes in which the effects of a request may lie. */
  readonly onceScopes: OnceScopes;
  readonly readiness: GatewaysDeps['readiness'];
  /** Of configurations, where no other process writes the stores. */
  readonly stale: Readonly<Record<Environment, ConfigInvalidations>> | undefined;
  /** Names the process from its start to its end. */
  readonly nodeId: string;
  /** Given where several nodes share the stores. */
  readonly signals: NodeSignals | undefined;
  readonly isDraining: () => boolean;
  /** From now on the platform is not ready. */
  startDraining(): void;
  close(): Promise<void>;
}

type OpenOptions = Parameters<typeof openSpaces>;
type WatchedStores = Pick<Measurement, 'watchStore' | 'storeFacts'>;

interface SpacesUse {
  readonly measurement: WatchedStores;
  readonly onError: (error: unknown) => void;
}

export async function composeSpaces(
  config: OpenOptions[0] & Pick<Config, 'publicUrl'>,
  options: OpenOptions[1],
  { measurement, onError }: SpacesUse,
): Promise<ComposedSpaces> {
  const { watchStore, storeFacts } = measurement;
  const opened = await openSpaces(config, { ...options, onServer: storeFacts.noting(options.onServer) });
  // One process has a folder.
  const isAlone = config.store.folder !== undefined && config.storeProd.folder !== undefined;
  const nodeId = randomUUID();
  // Stores that were opened elsewhere, as in tests, are not at the address.
  const signals = options.openSpace === undefined ? createNodeSignals({ config, nodeId, onError }) : undefined;
  const stale = isAlone ? { test: new ConfigInvalidations(), prod: new ConfigInvalidations() } : undefined;
  const watched = (space: keyof Spaces, store: Store): Store => {
    const changes = space === 'platform' ? undefined : stale?.[space];
    if (changes !== undefined) return interceptStore(store, (operation, call) => changes.track(operation, call));
    return signals?.watch(space, store) ?? store;
  };
  // Marked, so that what a request with an idempotency key does is known to be done.
  const used = (space: keyof Spaces): OpenedStore => {
    const { store, maintenance } = watchStore(space, opened[space]);
    return { store: markingStore(space, watched(space, store)), maintenance };
  };
  const spaces: Spaces = { platform: used('platform'), test: used('test'), prod: used('prod') };
  const stores = { test: spaces.test.store, prod: spaces.prod.store };
  const scopesOf = (name: string) => ({ test: stores.test.scope(name), prod: stores.prod.scope(name) });
  const all = [spaces.platform.store, stores.test, stores.prod];
  let isDraining = false;
  return {
    spaces,
    stores,
    platform: spaces.platform.store.scope(platformScopeName),
    orgScopes: (orgCode) => scopesOf(orgScopeName(orgCode)),
    workspaceScopes: (orgCode, tenantCode) => scopesOf(workspaceScopeName(orgCode, tenantCode)),
    onceScopes: onceScopesOf(spaces),
    ...{ stale, nodeId, signals },
    readiness: async () => {
      const { fault, store } = await healthOf(all);
      const heard = signals === undefined ? {} : { signals: signals.isHeard() ? 'heard' : 'unheard' };
      return { notReady: isDraining ? 'the platform is draining' : fault, store: { ...store, ...heard } };
    },
    isDraining: () => isDraining,
    startDraining: () => {
      isDraining = true;
    },
    close: async () => {
      await signals?.close();
      await Promise.all(all.map((store) => store.close()));
    },
  };
}

function onceScopesOf(spaces: Spaces): OnceScopes {
  const placed = (space: keyof Spaces, name: string) => ({ space, scope: spaces[space].store.scope(name) });
  const platform = placed('platform', platformScopeName);
  return {
    ofBuilder: (orgCode) => {
      if (orgCode === undefined) return [platform];
      const name = orgScopeName(orgCode);
      return [platform, placed('test', name), placed('prod', name)];
    },
    ofAppUser: ({ env, org, tenantCode }) => {
      const own = placed(env, orgScopeName(org));
      return tenantCode === undefined ? [own] : [placed(env, workspaceScopeName(org, tenantCode)), own];
    },
  };
}

async function healthOf(stores: readonly Store[]) {
  const healths: readonly Health[] = await Promise.all(stores.map((store) => store.health()));
  const [first] = healths;
  const servers = healths.flatMap((health) => (health.servers === undefined ? [] : [health.servers]));
  const most = (name: 'all' | 'down' | 'relayed') => Math.max(...servers.map((counts) => counts[name]));
  const store = {
    kind: first?.kind ?? 'none',
    synchronous: first?.synchronous ?? 'none',
    ...(servers.length === 0 ? {} : { servers: { all: most('all'), down: most('down'), relayed: most('relayed') } }),
  };
  const failed = healths.find(({ ok }) => !ok);
  return { fault: failed && (failed.fault ?? 'the store cannot serve'), store };
}
