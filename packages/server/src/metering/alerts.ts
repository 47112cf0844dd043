import { type AuditActor, platformAuditEntry } from '../audit/audit-entry.ts';
import { timestamp } from '../lib/clock.ts';
import { type Change, Conflict, type Scope } from '../store/port.ts';
import { type Day, dayMilliseconds } from './calendar.ts';
import { type Alert, reachedAlerts, type Standing } from './limits.ts';

/** Of its own accord the platform does nothing else that anybody has to be told of. */
const itself: AuditActor = { kind: 'platform', id: 'platform' };

/** As long as the longest window lasts, so that nothing is told twice in one. */
const rememberedMilliseconds = 62 * dayMilliseconds;

export interface AlertsParts {
  readonly platform: Scope;
  readonly now: () => number;
}

/** Tells in the org's audit log that 80, 95 or 100 % of a limit are reached: each once in its window, over all nodes. */
export function createAlerts({ platform, now }: AlertsParts) {
  /** What this node knows to have been told, so that the store is not asked each second. */
  let told = new Set<string>();
  let toldOn: Day = '';

  const tell = async (orgCode: string, alert: Alert, window: string): Promise<void> => {
    const sk = `${orgCode}#${alert.metric}#${window}#${alert.limit}#${alert.percent}`;
    if (told.has(sk)) return;
    const at = now();
    const due = { at: at + rememberedMilliseconds, queue: 'expire' } as const;
    const { metric, percent, used, limit } = alert;
    const entry = platformAuditEntry(
      orgCode,
      { at: timestamp(at), actor: itself, request_id: '' },
      { action: 'plan.limit_near', target: { kind: 'limit', id: metric }, detail: { percent, used, limit } },
    );
    const mark: Change = { kind: 'put', pk: 'plan-alert', sk, value: '', if: 'absent', due };
    await platform.commit([mark, entry]).catch(ignoreConflict);
    told.add(sk);
  };

  return {
    tell: async (orgCode: string, standing: Standing): Promise<void> => {
      const { today } = standing;
      if (toldOn !== today) told = new Set();
      toldOn = today;
      for (const alert of reachedAlerts(standing)) await tell(orgCode, alert, windowOf(alert, today));
    },
  };
}

/** What is reached once a day, once a month, or once until it is remembered no more. */
function windowOf({ metric }: Alert, today: Day): string {
  if (metric === 'api_calls_per_day') return today;
  return metric === 'api_calls_per_month' ? today.slice(0, 'YYYY-MM'.length) : '';
}

/** Another node has told of it, or this one before its last start. */
function ignoreConflict(error: unknown): void {
  if (!(error instanceof Conflict)) throw error;
}
