import { BoundedMap } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';
import { rateLimited } from '../lib/throttle.ts';
import type { CallTrace } from './call-trace.ts';

/** So many calls in each window of so many seconds. */
export interface Quota {
  readonly calls: number;
  readonly seconds: number;
}

export interface RateLimitSettings {
  /**
   * Of a person or a key in one environment of an org, and of a builder who acts there for a person; undefined where there
   * is no limit.
   */
  readonly principal: Quota | undefined;
  readonly org: Quota | undefined;
}

export interface RateLimits {
  /**
   * Counts a call whose caller is known, and has its answer say what is left.
   * @throws Problem `rate_limited`.
   */
  take(trace: LimitedCall): void;
}

type LimitedCall = Pick<CallTrace, 'org' | 'env' | 'principal' | 'builder' | 'replyHeaders'>;

interface Window {
  readonly endsAt: number;
  taken: number;
}

interface Limit {
  readonly name: 'principal' | 'org';
  readonly quota: Quota;
  readonly windows: BoundedMap<string, Window>;
}

/**
 * The windows of the least recent callers are forgotten, and a forgotten caller starts a new one: memory is bounded,
 * and the org's limit still holds.
 */
const windowsMax = 100_000;

/**
 * Each node counts for itself, in fixed windows: across the edge of two as much as twice the quota may come. A `Throttle`,
 * which holds the time of each call, would hold as many numbers as calls.
 */
export function createRateLimits({ principal, org }: RateLimitSettings, clock: Clock): RateLimits {
  const limits = [limitOf('principal', principal), limitOf('org', org)].filter((limit) => limit !== undefined);
  if (limits.length === 0) return { take: () => undefined };
  return {
    take: (trace) => {
      const now = clock.now();
      const states = limits.map((limit) => ({ ...limit, window: windowOf(limit, trace, now) }));
      const full = states.find(({ quota, window }) => window.taken >= quota.calls);
      if (full === undefined) for (const { window } of states) window.taken += 1;
      trace.replyHeaders = headersOf(states, now);
      if (full === undefined) return;
      throw rateLimited(`too many calls of this ${full.name}`, full.window.endsAt - now);
    },
  };
}

function limitOf(name: Limit['name'], quota: Quota | undefined): Limit | undefined {
  return quota === undefined ? undefined : { name, quota, windows: new BoundedMap(windowsMax) };
}

function windowOf(
  { name, quota, windows }: Limit,
  { org, env, principal, builder = '' }: LimitedCall,
  now: number,
): Window {
  const key = name === 'org' ? `${org}` : `${org} ${env} ${principal} ${builder}`;
  const length = quota.seconds * 1000;
  const known = windows.get(key);
  // A window that ends later than a whole window could means that the clock was set back.
  if (known !== undefined && known.endsAt > now && known.endsAt <= now + length) return known;
  const window = { endsAt: now + length, taken: 0 };
  windows.set(key, window);
  return window;
}

/** draft-ietf-httpapi-ratelimit-headers-11: what is allowed, and what is left of it until when. */
function headersOf(states: readonly (Limit & { readonly window: Window })[], now: number): CallTrace['replyHeaders'] {
  const policies = states.map(({ name, quota }) => `"${name}";q=${quota.calls};w=${quota.seconds}`);
  const left = states.map(
    ({ name, quota, window }) => `"${name}";r=${quota.calls - window.taken};t=${secondsUntil(window.endsAt, now)}`,
  );
  return { 'RateLimit-Policy': policies.join(', '), RateLimit: left.join(', ') };
}

function secondsUntil(time: number, now: number): number {
  return Math.ceil((time - now) / 1000);
}
