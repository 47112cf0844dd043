/** The dependencies of the parts of automation, and the positions in the tenancy in which they work. */
import type { ConfigReader } from '../config/port.ts';
import type { Clock } from '../lib/clock.ts';
import type { IdSource } from '../lib/ids.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { Cursors } from '../records/port.ts';
import type { Scope, ScopeName, Store } from '../store/port.ts';
import { type Environment, orgScopeName, workspaceScopeName } from '../tenancy/port.ts';
import type { Notify } from './alerts.ts';

export interface SharedDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly clock: Clock;
  readonly newId: IdSource;
  readonly cursors: Cursors;
  readonly meter: WorkMeter;
  /** For how long what is over is kept, in milliseconds, by the plan of an org. @throws what the store throws. */
  readonly retentionOf: (orgCode: string) => Promise<{ readonly runs: number; readonly receipts: number }>;
  readonly notify: Notify;
  /** Has what is due looked for now. */
  readonly wake: () => void;
  readonly onError: (error: unknown) => void;
  /** Another number once this node has heard of a change in the scope, where other nodes commit too. */
  readonly changesOf?: Readonly<Record<Environment, (scope: ScopeName) => number>> | undefined;
}

type Stores = Pick<SharedDeps, 'stores'>;

export interface OrgPlace {
  readonly env: Environment;
  readonly orgCode: string;
}

export interface TenantPlace extends OrgPlace {
  readonly tenantCode: string;
}

export function orgScope({ stores }: Stores, { env, orgCode }: OrgPlace): Scope {
  return stores[env].scope(orgScopeName(orgCode));
}

/** A text before every id that was made at a time or later: the first 48 bits of a UUIDv7 are its time, in milliseconds. */
export function idBefore(milliseconds: number): string {
  const time = Math.max(milliseconds, 0).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}`;
}

export function workspaceScope({ stores }: Stores, { env, orgCode }: OrgPlace, tenantCode: string): Scope {
  return stores[env].scope(workspaceScopeName(orgCode, tenantCode));
}

/** The kinds of work that plans cap for each day. `script_ms` is time of scripts in milliseconds. */
export type WorkKind = 'runs' | 'deliveries' | 'script_ms' | 'mails';

/** Counts the work of orgs, and holds it to their plans. */
export interface WorkMeter {
  /** Never throws: it counts in memory, and what it counted is stored within a second. */
  add(place: { readonly orgCode: string; readonly env: Environment }, kind: WorkKind, by: number): void;
  /** @throws Problem plan_limit_exceeded */
  check(orgCode: string, kind: WorkKind): MaybePromise<void>;
  /** For work that can wait: until when, in milliseconds since the epoch; undefined where there is room. */
  fullUntil(orgCode: string, kind: WorkKind): MaybePromise<number | undefined>;
}
