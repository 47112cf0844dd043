/** While a workspace is suspended its automation rests: what is due there waits, and is looked at again from time to time. */
import type { Clock } from '../lib/clock.ts';
import type { ScopeName, Store } from '../store/port.ts';
import { type Environment, orgScopeName, workspaceTable } from '../tenancy/port.ts';
import { RestCache } from './rest-cache.ts';

export interface SuspensionPlace {
  readonly env: Environment;
  readonly orgCode: string;
  readonly tenantCode: string;
}

export interface Suspensions {
  /**
   * Until when the workspace is left alone; undefined where it is not suspended. A suspension may be a second old before
   * it is seen on other nodes; its end is seen at once.
   */
  restsUntil(place: SuspensionPlace): Promise<number | undefined>;
}

export interface SuspensionsDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly clock: Clock;
  /** Another number once this node has heard of a change in the scope, where other nodes commit too. */
  readonly changesOf?: Readonly<Record<Environment, (scope: ScopeName) => number>> | undefined;
}

/** When what is due in a suspended workspace is looked at again. */
export const restMilliseconds = 60_000;

export function createSuspensions({ stores, clock, changesOf }: SuspensionsDeps): Suspensions {
  const cache = new RestCache(clock);
  return {
    restsUntil: async ({ env, orgCode, tenantCode }) => {
      const key = `${env} ${orgCode} ${tenantCode}`;
      const orgScope = stores[env].scope(orgScopeName(orgCode));
      const changes = changesOf?.[env](orgScope.name) ?? 0;
      const isSuspended = async () => (await workspaceTable.read(orgScope, tenantCode))?.value.suspended !== undefined;
      return (await cache.rests({ key, changes }, isSuspended)) ? clock.now() + restMilliseconds : undefined;
    },
  };
}
