import { BoundedMap } from '../../lib/bounded-map.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import type { Scope } from '../../store/port.ts';
import { noteSeen } from '../org-users/account.ts';
import { type OrgCaller, sessionUse } from './org-sessions.ts';

/** When a builder was seen last in an org, and when and by what a session of the builder was used last. */
export interface SessionUses {
  /** Returns at once; what is lost by a crash is lost. @param client what calls, in words. */
  seen(caller: OrgCaller, client: string | undefined): void;
}

const intervalMilliseconds = 10 * 60 * 1000;

/** Writes a session's use at most once in ten minutes, behind everything that a caller waits for. */
export function createSessionUses(
  { platform, clock }: { readonly platform: Scope; readonly clock: Clock },
  sessionsMax = 10_000,
): SessionUses {
  const written = new BoundedMap<string, number>(sessionsMax);
  return {
    seen: (caller, client) => {
      const now = clock.now();
      const last = written.get(caller.sessionId);
      if (last !== undefined && now - last < intervalMilliseconds) return;
      written.set(caller.sessionId, now);
      // The session or the membership may be gone by then, or the store closed: there is nothing to make good.
      note(platform, caller, { last_used_at: timestamp(now), client }).catch(() => undefined);
    },
  };
}

async function note(
  platform: Scope,
  caller: OrgCaller,
  use: { readonly last_used_at: string; readonly client: string | undefined },
): Promise<void> {
  const change = await sessionUse(platform, caller, use);
  if (change === undefined) return;
  const { user, org } = caller;
  const seen = noteSeen({ orgCode: org.code, id: user.id }, use.last_used_at);
  await platform.commit([change, seen], { priority: 'background' });
}
