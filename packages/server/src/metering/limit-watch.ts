import { BoundedMap } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';
import type { createAlerts } from './alerts.ts';
import type { Limited } from './plans/limits.ts';
import { metrics, workLimits } from './plans/plan.ts';
import type { PlanGate } from './plans/plan-gate.ts';
import { type WorkLedger, workUsage } from './work-units/work-ledger.ts';
import { noWork } from './work-units/work-rows.ts';

/** Looks whether an org that was at work is near a limit of its plan, and has that told. */
export interface LimitWatch {
  look(orgCode: string): Promise<void>;
  /** The plan of an org has changed. */
  forget(orgCode: string): void;
}

export interface LimitWatchDeps {
  readonly clock: Clock;
  readonly gate: Pick<PlanGate, 'quota'>;
  readonly work: Pick<WorkLedger, 'usage'>;
  readonly alerts: Pick<ReturnType<typeof createAlerts>, 'tell'>;
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
      await alerts.tell(orgCode, { ...quota, usage: { ...quota.usage, ...done } });
    },
    forget: (orgCode) => {
      unlimited.delete(orgCode);
    },
  };
}
