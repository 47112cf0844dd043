import { Problem } from '../lib/problem.ts';
import type { WritePass, WriteToAdmit } from '../tenancy/port.ts';
import type { MeteredPlace } from './call-meter.ts';
import { limitExceeded, reachedMetric, type Standing } from './limits.ts';
import { OrgStanding, type StandingDeps } from './org-standing.ts';

/** Holds the writes of an org to its plan. Where usage cannot be told it lets no write in. */
export interface PlanGate {
  /** On entry: whether a write may begin at all. @throws Problem `plan_limit_exceeded`. */
  check(orgCode: string): void | Promise<void>;
  /** Before the commit: holds the records to their limit. @throws Problem `plan_limit_exceeded`. */
  admit(place: MeteredPlace, write: WriteToAdmit): WritePass | Promise<WritePass>;
  standing(orgCode: string): Promise<Standing>;
  /** The plan of an org has changed. */
  forget(orgCode: string): void;
  /** Lets go of orgs that nobody has asked about for a while. */
  tidy(): void;
}

const keptMilliseconds = 60_000;

export function createPlanGate(deps: StandingDeps): PlanGate {
  const { clock, meter } = deps;
  const standings = new Map<string, OrgStanding>();
  const standingOf = (orgCode: string): OrgStanding => {
    let standing = standings.get(orgCode);
    if (standing === undefined) {
      standing = new OrgStanding(deps, orgCode);
      standings.set(orgCode, standing);
    }
    return standing;
  };
  const demand = (orgCode: string, now: Standing, records = 0): void => {
    const { limits, usage } = now;
    const isCounting = limits.api_calls_per_day !== undefined || limits.api_calls_per_month !== undefined;
    if (isCounting && meter.isOverdue(orgCode))
      throw new Problem('unavailable', 'what is used of the plan cannot be counted now, so nothing is written');
    const reached = reachedMetric(limits, usage);
    const isFull = limits.records !== undefined && records > 0 && usage.records + records > limits.records;
    if (reached !== undefined) throw limitExceeded(reached, now, clock.now());
    if (isFull) throw limitExceeded('records', now, clock.now(), usage.records + records);
  };
  const enter = (standing: OrgStanding, place: MeteredPlace, write: WriteToAdmit): WritePass => {
    if (!write.isRemoval) demand(place.orgCode, standing.current(), write.records);
    standing.enter(write.records);
    return {
      written: () => standing.leave(place, write.records, 'written'),
      refused: () => standing.leave(place, write.records, 'refused'),
      unknown: () => standing.leave(place, write.records, 'unknown'),
    };
  };
  const admitLater = async (standing: OrgStanding, place: MeteredPlace, write: WriteToAdmit): Promise<WritePass> => {
    // What is removed has to wait while records are added up, but not for a meter that fails.
    for (let waiting = standing.whenReady(); waiting !== undefined; waiting = standing.whenReady()) {
      if (!write.isRemoval) await waiting;
      else if (await waiting.then(isDone, isFailed)) break;
    }
    return enter(standing, place, write);
  };
  return {
    check: (orgCode) => {
      const standing = standingOf(orgCode);
      if (standing.whenReady() === undefined) return demand(orgCode, standing.current());
      return known(standing).then((now) => demand(orgCode, now));
    },
    admit: (place, write) => {
      const standing = standingOf(place.orgCode);
      return standing.whenReady() === undefined ? enter(standing, place, write) : admitLater(standing, place, write);
    },
    standing: (orgCode) => known(standingOf(orgCode)),
    forget: (orgCode) => standings.get(orgCode)?.forget(),
    tidy: () => {
      const before = clock.now() - keptMilliseconds;
      for (const [orgCode, standing] of standings)
        if (standing.isIdle && standing.lastAsked < before) standings.delete(orgCode);
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
async function known(standing: OrgStanding): Promise<Standing> {
  for (let waiting = standing.whenReady(); waiting !== undefined; waiting = standing.whenReady()) await waiting;
  return standing.current();
}
