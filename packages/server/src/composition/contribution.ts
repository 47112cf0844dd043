/** The contribution of a module to the platform, beside its functions for other modules. All members are optional. */
import type { ConsoleSite } from '../api/headers/console-cookie.ts';
import type { AnyRoute, RoutesOfModule } from '../api/route.ts';
import type { ConfigReaders, SettingType } from '../config/port.ts';
import type { Clock } from '../lib/clock.ts';
import type { IdSource } from '../lib/ids.ts';
import type { PersonData } from '../privacy/port.ts';
import type { ConfigKind } from '../promotion/port.ts';
import type { Cursors, RecordRuntime, RecordSpace } from '../records/port.ts';
import type { Scope, Store } from '../store/port.ts';
import type { Environment } from '../tenancy/port.ts';
import type { Job } from '../work/job.ts';

export interface Contribution {
  readonly routes?: RoutesOfModule;
  /** Jobs of the queue `work`. */
  readonly jobs?: readonly Job<RecordSpace>[];
  /** Says where the module holds data of a person, for `privacy`. */
  readonly personData?: PersonData;
  /** Resolves when nothing is under way any more; called before the stores are closed. */
  close?(): Promise<unknown>;
}

/** By module: the folder of the server, or the name of a feature. */
export type Contributions = Readonly<Record<string, Contribution>>;

/** A module that no other module needs, as `features.ts` lists them. */
export interface Feature {
  /** Kinds of config items, which are promoted. */
  readonly kinds?: readonly ConfigKind[];
  /** Settings of an org. */
  readonly settings?: readonly SettingType[];
  open?(deps: FeatureDeps): Contribution;
}

export interface FeatureDeps {
  /** The scope of the platform. */
  readonly platform: Scope;
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly configs: ConfigReaders;
  readonly runtime: RecordRuntime;
  readonly cursors: Cursors;
  readonly clock: Clock;
  readonly newId: IdSource;
  readonly site: ConsoleSite;
  /** Has jobs look for work now. */
  readonly wake: () => void;
}

export interface Gathered {
  readonly routes: { readonly app: readonly AnyRoute[]; readonly management: readonly AnyRoute[] };
  readonly jobs: readonly Job<RecordSpace>[];
  /** Closes all modules at once. */
  close(): Promise<void>;
}

export function gather(modules: readonly Contribution[]): Gathered {
  return {
    routes: {
      app: modules.flatMap(({ routes }) => routes?.app ?? []),
      management: modules.flatMap(({ routes }) => routes?.management ?? []),
    },
    jobs: modules.flatMap(({ jobs }) => jobs ?? []),
    close: async () => {
      await Promise.all(modules.map((module) => module.close?.()));
    },
  };
}
