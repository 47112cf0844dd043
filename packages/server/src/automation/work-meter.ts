import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { Environment } from '../tenancy/port.ts';

/** What automation does, as plans cap it for each day. `script_ms` is time of scripts in milliseconds. */
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

/** Counts nothing and caps nothing. */
export const noMeter: WorkMeter = {
  add: () => undefined,
  check: () => undefined,
  fullUntil: () => undefined,
};
