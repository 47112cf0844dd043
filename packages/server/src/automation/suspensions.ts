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
  /** Until when the workspace is left alone, as of the last second; undefined where it is not suspended. */
  restsUntil(place: SuspensionPlace): Promise<number | undefined>;
}

export interface SuspensionsDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly clock: Clock;
  /** Another number after a commit that wrote the item was answered, where other threads commit too. */
  readonly changesOf?: Readonly<Record<Environment, (scope: ScopeName, key: Key) => number>> | undefined;
}

const knownMilliseconds = 1000;
const restMilliseconds = 60_000;

export function createSuspensions({ stores, clock, changesOf }: SuspensionsDeps): Suspensions {
  const known = new BoundedMap<
    string,
    { readonly isSuspended: boolean; readonly until: number; readonly changes: number }
  >(10_000);
  return {
    restsUntil: async ({ env, orgCode, tenantCode }) => {
      const key = `${env} ${orgCode} ${tenantCode}`;
      const now = clock.now();
      const orgScope = stores[env].scope(orgScopeName(orgCode));
      const changes = changesOf?.[env](orgScope.name, workspaceRowKey(tenantCode)) ?? 0;
      let state = known.get(key);
      if (state === undefined || now >= state.until || state.changes !== changes) {
        const row = await workspaceTable.read(orgScope, tenantCode);
        state = { isSuspended: row?.value.suspended !== undefined, until: now + knownMilliseconds, changes };
        known.set(key, state);
      }
      return state.isSuspended ? now + restMilliseconds : undefined;
    },
  };
}
