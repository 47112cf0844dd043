import { platformActor, platformAuditEntry } from '../../audit/audit-entry.ts';
import { timestamp } from '../../lib/clock.ts';
import type { Change, Scope } from '../../store/port.ts';
import { tryCommit } from '../../store/transact.ts';
import type { OrgPlace } from '../config/live-events.ts';

/** Has an alert sent to where an org wants it: changes for the commit that tells of it in the audit log. */
export type Announce = (
  orgCode: string,
  event: { readonly type: string; readonly data: Readonly<Record<string, string | number | null>> },
) => Promise<readonly Change[]>;

export interface DeadAlertsDeps {
  /** The scope of the platform. */
  readonly platform: Scope;
  readonly now: () => number;
  readonly announce: Announce;
}

const hour = 3600 * 1000;
const action = 'automation.dead';

/** Tells an org, at most once an hour for each event, over all nodes, that deliveries came to their end without arriving. */
export function deadAlerts({ platform, now, announce }: DeadAlertsDeps) {
  return async ({ env, orgCode }: OrgPlace, event: string, count: number): Promise<void> => {
    const at = now();
    const key = { pk: 'automation-alert', sk: `${orgCode};${env};${event}` };
    const [known] = await platform.get([key]);
    if (known !== undefined) return;
    const due = { at: at + hour, queue: 'expire' } as const;
    const entry = platformAuditEntry(
      orgCode,
      { at: timestamp(at), actor: platformActor, request_id: '' },
      { action, target: { kind: 'event', id: event }, env, detail: { deliveries: count } },
    );
    const announced = await announce(orgCode, { type: action, data: { env, event, deliveries: count } });
    // Where it is refused, another visit has told.
    await tryCommit(platform, [{ kind: 'put', ...key, value: timestamp(at), if: 'absent', due }, entry, ...announced]);
  };
}
