import type { usageApi } from '@freehold/contract/management/usage';
import type { ReplyOf } from '@freehold/contract/route';
import { platformActor, platformAuditEntry } from '../audit/audit-entry.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import { timestamp } from '../lib/clock.ts';
import type { Change, Key, Scope } from '../store/port.ts';
import { tryCommit } from '../store/transact.ts';
import type { AlertPercents } from './alert-percents.ts';
import { type Day, dayMilliseconds } from './calendar.ts';
import { type Alert, metricWords, reachedAlerts, resetsAt, type WatchedUsage, windows } from './plans/limits.ts';
import { metrics } from './plans/plan.ts';

/** As long as the longest window lasts, so that no alert is sent twice in one. */
const rememberedMilliseconds = 62 * dayMilliseconds;

/** Has an alert sent to where an org wants it: changes for the commit that tells of it in the audit log. */
export type Announce = (
  orgCode: string,
  event: { readonly type: string; readonly data: Readonly<Record<string, string | number | null>> },
) => Promise<readonly Change[]>;

export interface AlertsDeps {
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
  let told = new BoundedMap<string, true>(recordedMax);
  let recordedOn: Day = '';

  const tell = async (orgCode: string, alert: Alert, today: Day): Promise<void> => {
    const key = markKey(orgCode, alert, today);
    if (told.has(key.sk)) return;
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
    told.set(key.sk, true);
  };

  return {
    tell: async (orgCode: string, quota: WatchedUsage): Promise<void> => {
      const { today } = quota;
      if (recordedOn !== today) told = new BoundedMap(recordedMax);
      recordedOn = today;
      const shares = await percents.recent(orgCode);
      for (const alert of reachedAlerts(quota, shares)) await tell(orgCode, alert, today);
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
