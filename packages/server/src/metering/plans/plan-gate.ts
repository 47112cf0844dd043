import { Problem } from '../../lib/problem.ts';
import type { WritePass, WriteToAdmit } from '../../tenancy/port.ts';
import type { MeteredWorkspace } from '../call-meter.ts';
import { limitExceeded, type QuotaUsage, reachedMetric } from './limits.ts';
import { QuotaState, type QuotaStateDeps, Recounts } from './quota-state.ts';

/** Enforces the plan of an org on its writes. If usage is not known it admits no write. */
export interface PlanGate {
  /** On entry: whether a write may begin at all. @throws Problem `plan_limit_exceeded`. */
  check(orgCode: string): void | Promise<void>;
  /** Before the commit: holds the records to their limit. @throws Problem `plan_limit_exceeded`. */
  admit(workspace: MeteredWorkspace, write: WriteToAdmit): WritePass | Promise<WritePass>;
  quota(orgCode: string): Promise<QuotaUsage>;
  /** A workspace has been removed, with so many records. */
  workspaceRemoved(workspace: MeteredWorkspace, records: number): void;
  /** The plan of an org has changed. */
  forget(orgCode: string): void;
  /** Forgets what is known of orgs that were not asked for a while. */
  tidy(): void;
}

export interface PlanGateDeps extends Omit<QuotaStateDeps, 'recounts'> {
  /** By org: moves where a node has changed its plan; left out where one process has the store. */
  readonly planChanges?: PlanChanges | undefined;
}

export interface PlanChanges {
  current(orgCode: string): number;
  bump(orgCode: string): void;
}

const keptMilliseconds = 60_000;
/** Of so many orgs that were not asked for since, the records need not be added up when they come again. */
const restingMax = 20_000;

export function createPlanGate(deps: PlanGateDeps): PlanGate {
  const { clock, meter, planChanges } = deps;
  const quotas = new Map<string, QuotaState>();
  const shared = { ...deps, recounts: new Recounts() };
  const quotaOf = (orgCode: string): QuotaState => {
    let quota = quotas.get(orgCode);
    if (quota === undefined) {
      quota = new QuotaState(shared, orgCode);
      quotas.set(orgCode, quota);
    }
    const changes = planChanges?.current(orgCode) ?? 0;
    if (quota.planChanges !== changes) quota.forget();
    quota.planChanges = changes;
    return quota;
  };
  const assertWithinPlan = (orgCode: string, now: QuotaUsage, records = 0): void => {
    const { limits, usage } = now;
    const isCounting = limits.api_calls_per_day !== undefined || limits.api_calls_per_month !== undefined;
    if (isCounting && meter.isOverdue(orgCode))
      throw new Problem('unavailable', 'usage cannot be counted now, so nothing was written');
    const reached = reachedMetric(limits, usage);
    const isFull = limits.records !== undefined && records > 0 && usage.records + records > limits.records;
    if (reached !== undefined) throw limitExceeded(reached, now, clock.now());
    if (isFull) throw limitExceeded('records', now, clock.now(), usage.records + records);
  };
  const enter = (quota: QuotaState, workspace: MeteredWorkspace, write: WriteToAdmit): WritePass => {
    if (!write.isRemoval) assertWithinPlan(workspace.orgCode, quota.current(), write.records);
    quota.enter(write.records);
    return {
      written: () => quota.leave(workspace, write.records, 'written'),
      refused: () => quota.leave(workspace, write.records, 'refused'),
      unknown: () => quota.leave(workspace, write.records, 'unknown'),
    };
  };
  const admitLater = async (
    quota: QuotaState,
    workspace: MeteredWorkspace,
    write: WriteToAdmit,
  ): Promise<WritePass> => {
    // A removal has to wait while records are added up, but not for a meter that fails.
    for (let waiting = quota.whenReady(); waiting !== undefined; waiting = quota.whenReady()) {
      if (!write.isRemoval) await waiting;
      else if (await waiting.then(isDone, isFailed)) break;
    }
    return enter(quota, workspace, write);
  };
  const forget = (orgCode: string): void => {
    planChanges?.bump(orgCode);
    quotas.get(orgCode)?.forget();
  };
  return {
    check: (orgCode) => {
      const quota = quotaOf(orgCode);
      if (quota.whenReady() === undefined) return assertWithinPlan(orgCode, quota.current());
      return known(quota).then((now) => assertWithinPlan(orgCode, now));
    },
    admit: (place, write) => {
      const quota = quotaOf(place.orgCode);
      return quota.whenReady() === undefined ? enter(quota, place, write) : admitLater(quota, place, write);
    },
    quota: (orgCode) => known(quotaOf(orgCode)),
    workspaceRemoved: (workspace, records) => {
      // Other nodes go by that. Writes that were under way there end one way or the other, so here they are added up again.
      meter.noteRecords(workspace, -records);
      forget(workspace.orgCode);
    },
    forget,
    tidy: () => {
      const before = clock.now() - keptMilliseconds;
      for (const [orgCode, quota] of quotas)
        if (quota.isIdle && quota.lastQueried < before && (!quota.rest() || quotas.size > restingMax))
          quotas.delete(orgCode);
    },
  };
}

function isDone(): boolean {
  return false;
}

function isFailed(): boolean {
  return true;
}

/** A plan may change while what hangs on it is read: then it is read again. */
async function known(quota: QuotaState): Promise<QuotaUsage> {
  for (let waiting = quota.whenReady(); waiting !== undefined; waiting = quota.whenReady()) await waiting;
  return quota.current();
}
