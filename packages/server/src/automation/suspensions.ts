/** While a workspace is suspended its automation rests: what is due there waits, and is looked at again from time to time. */
import { BoundedMap } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';
import type { Key, ScopeName, Store } from '../store/port.ts';
import { type Environment, orgScopeName, workspaceRowKey, workspaceTable } from '../tenancy/port.ts';

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
  /** Another number after a commit that wrote the item was answered, where other threads commit too. */
  readonly changesOf?: Readonly<Record<Environment, (scope: ScopeName, key: Key) => number>> | undefined;
}

const knownMilliseconds = 1000;
/** When what is due in a suspended workspace is looked at again. */
export const restMilliseconds = 60_000;

export function createSuspensions({ stores, clock, changesOf }: SuspensionsDeps): Suspensions {
  /** Those that are not suspended. */
  const known = new BoundedMap<string, { readonly until: number; readonly changes: number }>(10_000);
  return {
    restsUntil: async ({ env, orgCode, tenantCode }) => {
      const key = `${env} ${orgCode} ${tenantCode}`;
      const now = clock.now();
      const orgScope = stores[env].scope(orgScopeName(orgCode));
      const changes = changesOf?.[env](orgScope.name, workspaceRowKey(tenantCode)) ?? 0;
      const before = known.get(key);
      if (before !== undefined && now < before.until && before.changes === changes) return undefined;
      const row = await workspaceTable.read(orgScope, tenantCode);
      const isSuspended = row?.value.suspended !== undefined;
      // Who is told so puts off what is due, and does not look again for long: that is read each time.
      if (isSuspended) known.delete(key);
      else known.set(key, { until: now + knownMilliseconds, changes });
      return isSuspended ? now + restMilliseconds : undefined;
    },
  };
}
