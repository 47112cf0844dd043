/** The module's port: the counts of orgs, the limits of their plans, and the alerts about both. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import { coalesce } from '../lib/scheduling/coalesce.ts';
import { repeat } from '../lib/scheduling/repeat.ts';
import type { Scope } from '../store/port.ts';
import type { OrgScopes } from '../tenancy/port.ts';
import { type AlertPercents, createAlertPercents } from './alert-percents.ts';
import { type Announce, createAlerts } from './alerts.ts';
import type { Day } from './calendar.ts';
import { CallMeter } from './call-meter.ts';
import { foldDays } from './fold-days.ts';
import { createLedger } from './ledger.ts';
import { createLimitWatch } from './limit-watch.ts';
import { type MonthUsage, monthUsage, type OrgUsage, orgUsage } from './org-usage.ts';
import { type Caps, createCaps } from './plans/caps.ts';
import { createPlanGate, type PlanGate, type PlanGateDeps } from './plans/plan-gate.ts';
import type { Configured } from './plans/show-caps.ts';
import { createPlans, type Plans } from './plans.ts';
import type { RecordsOf } from './records-of.ts';
import { type ReportRequest, reportUsage } from './report.ts';
import { exportUsage, type UsageEntry, type UsageExport } from './usage-export.ts';
import { WorkLedger } from './work-units/work-ledger.ts';

export interface MeteringDeps {
  readonly clock: Clock;
  readonly platform: Scope;
  readonly orgScopes: OrgScopes;
  readonly hasOrg: (orgCode: string) => Promise<boolean>;
  readonly recordsOf: RecordsOf;
  readonly configured: Configured;
  readonly announce: Announce;
  readonly planChanges?: PlanGateDeps['planChanges'];
  readonly onError: (error: unknown) => void;
}

export interface Metering {
  readonly meter: Pick<CallMeter, 'count'>;
  readonly gate: PlanGate;
  /** Of what automation does. */
  readonly work: WorkLedger;
  readonly plans: Plans;
  readonly alertPercents: AlertPercents;
  readonly caps: Caps;
  report(request: ReportRequest): ReturnType<typeof reportUsage>;
  /** What an org has used this month, by few reads. */
  month(orgCode: string): Promise<MonthUsage>;
  /** What an org uses of its plan. */
  usage(orgCode: string, options: { readonly hasProd: boolean }): Promise<OrgUsage>;
  /** Everything that the report adds up, some at a time. Begins nothing before it is iterated. */
  parts(request: UsageExport): AsyncIterable<readonly UsageEntry[]>;
  /** The day that is counted on. */
  today(): Day;
  /** Ends once everything that was counted is stored. */
  close(): Promise<void>;
}

const turnMilliseconds = 1000;

export function startMetering(deps: MeteringDeps): Metering {
  const { clock, platform, orgScopes, hasOrg, configured, announce, onError, planChanges } = deps;
  const recordsOf = coalesce(deps.recordsOf);
  const meter = new CallMeter({ clock, orgScopes, node: randomBytes(9).toString('base64url') });
  const ledger = createLedger(meter, orgScopes);
  const changed = (orgCode: string): void => {
    gate.forget(orgCode);
    work.forget(orgCode);
    watch.forget(orgCode);
  };
  const plans = createPlans({ platform, hasOrg, changed });
  const work = new WorkLedger({ clock, orgScopes, calendar: meter, plans, onError, planChanges });
  const gate = createPlanGate({ clock, plans, ledger, meter, recordsOf, planChanges });
  const alertPercents = createAlertPercents({ platform, clock });
  const now = (): number => clock.now();
  const alerts = createAlerts({ platform, now, announce, percents: alertPercents });
  const report = coalesce((request) =>
    reportUsage({ ledger, work, gate, plans, alerts, recordsOf, now }, JSON.parse(request) as ReportRequest),
  );
  const watch = createLimitWatch({ clock, gate, work, alerts });
  /** The orgs whose days before today were folded. */
  let folded: { readonly day: Day; readonly orgCodes: Set<string> } = { day: '', orgCodes: new Set() };

  const follow = async (orgCode: string): Promise<void> => {
    await watch.look(orgCode);
    const today = meter.today();
    if (folded.day !== today) folded = { day: today, orgCodes: new Set() };
    if (folded.orgCodes.has(orgCode)) return;
    folded.orgCodes.add(orgCode);
    for (const scope of Object.values(orgScopes(orgCode))) await foldDays(scope, clock.now());
  };

  /** The orgs of which something was stored that nothing has followed from yet. */
  const waiting = new Set<string>();
  const followAll = async (): Promise<void> => {
    for (const orgCode of waiting) {
      waiting.delete(orgCode);
      await follow(orgCode).catch(onError);
    }
  };

  const store = async (): Promise<void> => {
    for (const counted of [meter, work]) {
      const { orgCodes, failures } = await counted.flush();
      for (const failure of failures.slice(0, 1)) onError(failure);
      for (const orgCode of orgCodes) waiting.add(orgCode);
    }
    gate.tidy();
  };

  let following: Promise<void> | undefined;
  const turn = async (): Promise<void> => {
    await store().catch(onError);
    // What follows may take long, and calls are stored each second all the same.
    following ??= followAll().finally(() => {
      following = undefined;
    });
  };
  const turns = repeat(turn, { milliseconds: turnMilliseconds, onError });
  const caps = createCaps({ plans, configured, quota: (orgCode) => gate.quota(orgCode) });
  const counted = { ledger, work, plans, caps, recordsOf, today: () => meter.today() };
  return {
    ...{ meter, gate, work },
    ...{ plans, alertPercents, caps },
    report: (request) => report(JSON.stringify(request)),
    month: (orgCode) => monthUsage(counted, orgCode),
    usage: (orgCode, options) => orgUsage(counted, orgCode, options),
    parts: (request) => exportUsage({ ledger, work, recordsOf }, request),
    today: () => meter.today(),
    close: async () => {
      await turns.close();
      waiting.clear();
      await following;
      for (const counted of [meter, work]) for (const failure of (await counted.flush()).failures) onError(failure);
    },
  };
}
