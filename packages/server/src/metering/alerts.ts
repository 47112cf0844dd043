import type { usageApi } from '@freehold/contract/management/usage';
import type { ReplyOf } from '@freehold/contract/route';
import { type AuditContext, platformActor, platformAuditEntry } from '../audit/audit-entry.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import { type Clock, timestamp } from '../lib/clock.ts';
import type { Change, Key, Scope } from '../store/port.ts';
import { json, table } from '../store/table.ts';
import { tryCommit } from '../store/transact.ts';
import {
  type Alert,
  type Limited,
  metricWords,
  reachedAlerts,
  resetsAt,
  type WatchedUsage,
  windows,
} from './plans/limits.ts';
import type { PlanGate } from './plans/plan-gate.ts';
import { metrics, workLimits } from './plans.ts';
import { type Day, dayMilliseconds, noWork } from './usage-rows.ts';
import { type WorkLedger, workUsage } from './work-units/work-ledger.ts';

/** As long as the longest window lasts, so that no alert is sent twice in one. */
const rememberedMilliseconds = 62 * dayMilliseconds;

/** Has an alert sent where an org wants it: changes for the commit that records it in the audit log. */
export type Announce = (
  orgCode: string,
  event: { readonly type: string; readonly data: Readonly<Record<string, string | number | null>> },
) => Promise<readonly Change[]>;

interface AlertsDeps {
  readonly platform: Scope;
  readonly now: () => number;
  readonly announce: Announce;
  readonly percents: Pick<AlertPercents, 'of' | 'recent'>;
}

type ShownAlert = ReplyOf<typeof usageApi.showUsage>['alerts'][number];

const action = 'plan.limit_near';

const recordedMax = 10_000;

/**
 * Tells in the org's audit log, and to where the org wants it, that such a share of a limit is reached as the org wants
 * to know: each once a day for what is limited by the day, else once a month, over all nodes.
 */
export function createAlerts({ platform, now, announce, percents }: AlertsDeps) {
  /** The alerts that this node knows as recorded, so that the store is not asked each second. */
  let reported = new BoundedMap<string, true>(recordedMax);
  let recordedOn: Day = '';

  const notify = async (orgCode: string, alert: Alert, today: Day): Promise<void> => {
    const key = markKey(orgCode, alert, today);
    if (reported.has(key.sk)) return;
    const at = now();
    const due = { at: at + rememberedMilliseconds, queue: 'expire' } as const;
    const { metric, percent, used, limit } = alert;
    const entry = platformAuditEntry(
      orgCode,
      { at: timestamp(at), actor: platformActor, request_id: '' },
      { action, target: { kind: 'limit', id: metric }, detail: { percent, used, limit } },
    );
    const mark: Change = { kind: 'put', ...key, value: timestamp(at), if: 'absent', due };
    const data = { ...alert, window: windows[metric], resets_at: resetsAt(metric, today) };
    const announced = await announce(orgCode, { type: action, data });
    // If it is refused, another node has recorded it, or this one before its last start.
    await tryCommit(platform, [mark, entry, ...announced]);
    reported.set(key.sk, true);
  };

  return {
    notify: async (orgCode: string, quota: WatchedUsage): Promise<void> => {
      const { today } = quota;
      if (recordedOn !== today) reported = new BoundedMap(recordedMax);
      recordedOn = today;
      const shares = await percents.recent(orgCode);
      for (const alert of reachedAlerts(quota, shares)) await notify(orgCode, alert, today);
    },
    /** The current alerts, as a banner shows them. */
    show: async (orgCode: string, quota: WatchedUsage): Promise<readonly ShownAlert[]> => {
      const { today } = quota;
      const alerts = reachedAlerts(quota, await percents.of(orgCode));
      const marks = await platform.get(alerts.map((alert) => markKey(orgCode, alert, today)));
      return alerts.map((alert, index) => ({
        ...alert,
        level: levelOf(alert.percent),
        since: marks[index]?.value || null,
        resets_at: resetsAt(alert.metric, today),
        message: messageOf(alert),
      }));
    },
  };
}

function levelOf(percent: number): ShownAlert['level'] {
  if (percent === 100) return 'critical';
  return percent >= 90 ? 'warning' : 'info';
}

function messageOf({ metric, percent, used, limit }: Alert): string {
  const what = `${limit} ${metricWords[metric]}`;
  if (percent === 100)
    return `the plan’s limit of ${what} is reached: ${isMetric(metric) ? 'nothing can be written' : 'they rest'} until there is room`;
  return `${percent} % of the plan’s ${what} are used: ${used}`;
}

function markKey(orgCode: string, alert: Alert, today: Day): Key {
  const { metric, limit, percent } = alert;
  return { pk: 'plan-alert', sk: `${orgCode}#${metric}#${windowOf(alert, today)}#${limit}#${percent}` };
}

/** Records have no window of their own: an org that stays near its limit gets an alert each month. */
function windowOf({ metric }: Alert, today: Day): string {
  return windows[metric] === 'day' ? today : today.slice(0, 'YYYY-MM'.length);
}

/** Of what closes writes. */
function isMetric(limited: Alert['metric']): boolean {
  return metrics.some((metric) => metric === limited);
}

/** At which shares of a limit an org is warned, in percent. */
export interface AlertPercents {
  /** As they are stored, the lowest first. */
  of(orgCode: string): Promise<readonly number[]>;
  /** At most ten seconds old. */
  recent(orgCode: string): Promise<readonly number[]>;
  set(orgCode: string, percents: readonly number[], auditContext: AuditContext): Promise<readonly number[]>;
}

interface AlertPercentsDeps {
  /** The platform's own scope. */
  readonly platform: Scope;
  readonly clock: Clock;
}

const defaultPercents: readonly number[] = [80, 95, 100];

const freshMilliseconds = 10_000;
const knownMax = 10_000;

export function createAlertPercents({ platform, clock }: AlertPercentsDeps): AlertPercents {
  const known = new BoundedMap<string, { readonly percents: readonly number[]; readonly at: number }>(knownMax);
  const of: AlertPercents['of'] = async (orgCode) =>
    (await stored.read(platform, orgCode))?.value.percents ?? defaultPercents;
  return {
    of,
    recent: async (orgCode) => {
      const last = known.get(orgCode);
      if (last !== undefined && Math.abs(clock.now() - last.at) < freshMilliseconds) return last.percents;
      const at = clock.now();
      const percents = await of(orgCode);
      known.set(orgCode, { percents, at });
      return percents;
    },
    set: async (orgCode, request, auditContext) => {
      const percents = request.toSorted((one, other) => one - other);
      const detail = { percents: percents.join(', ') };
      const audited = { action: 'alert_percents.changed', target: { kind: 'org', id: orgCode }, detail };
      try {
        await platform.commit([
          stored.put(orgCode, { percents }, { if: 'any' }),
          platformAuditEntry(orgCode, auditContext, audited),
        ]);
      } finally {
        known.delete(orgCode);
      }
      return percents;
    },
  };
}

const stored = table(
  (orgCode: string) => ({ pk: 'alert-percents', sk: orgCode }),
  json<{ readonly percents: readonly number[] }>('alert percents', { percents: 'object' }),
);

/** Checks whether an active org is near a limit of its plan, and notifies it. */
interface LimitWatch {
  look(orgCode: string): Promise<void>;
  /** The plan of an org has changed. */
  forget(orgCode: string): void;
}

interface LimitWatchDeps {
  readonly clock: Clock;
  readonly gate: Pick<PlanGate, 'quota'>;
  readonly work: Pick<WorkLedger, 'usage'>;
  readonly alerts: Pick<ReturnType<typeof createAlerts>, 'notify'>;
}

/** A plan without limits is read again so seldom, unless this node changes it. */
const unlimitedMilliseconds = 10_000;
const unlimitedMax = 100_000;

export function createLimitWatch({ clock, gate, work, alerts }: LimitWatchDeps): LimitWatch {
  /** The orgs whose plans had no limit, and when they were looked at. */
  const unlimited = new BoundedMap<string, number>(unlimitedMax);
  return {
    look: async (orgCode) => {
      const lookedAt = unlimited.get(orgCode);
      if (lookedAt !== undefined && Math.abs(clock.now() - lookedAt) < unlimitedMilliseconds) return;
      const quota = await gate.quota(orgCode);
      const hasLimit = (name: Limited): boolean => quota.limits[name] !== undefined;
      if (![...metrics, ...workLimits].some(hasLimit)) {
        unlimited.set(orgCode, clock.now());
        return;
      }
      const done = workLimits.some(hasLimit) ? await work.usage(orgCode) : workUsage(noWork);
      await alerts.notify(orgCode, { ...quota, usage: { ...quota.usage, ...done } });
    },
    forget: (orgCode) => {
      unlimited.delete(orgCode);
    },
  };
}
