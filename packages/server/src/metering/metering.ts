/** The module's port: the counts of orgs, the limits of their plans, and the alerts about both. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import { repeat } from '../lib/scheduling/repeat.ts';
import { coalesce } from '../lib/scheduling/single-flight.ts';
import type { Scope } from '../store/port.ts';
import type { OrgScopes } from '../tenancy/port.ts';
import { type Announce, createAlertPercents, createAlerts, createLimitWatch } from './alerts.ts';
import { CallMeter } from './call-meter.ts';
import { foldDays } from './fold-days.ts';
import { createLedger, type RecordsOf } from './ledger.ts';
import { monthUsage, orgUsage } from './org-usage.ts';
import { type ConfiguredSizes, createCaps } from './plans/caps.ts';
import { createPlanGate, type PlanGateDeps } from './plans/plan-gate.ts';
import { createPlans } from './plans.ts';
import { type ReportRequest, reportUsage } from './report.ts';
import { exportUsage, type UsageExport } from './usage-export.ts';
import type { Day } from './usage-rows.ts';
import { WorkLedger } from './work-units/work-ledger.ts';

export interface MeteringDeps {
  readonly clock: Clock;
  readonly platform: Scope;
  readonly orgScopes: OrgScopes;
  readonly hasOrg: (orgCode: string) => Promise<boolean>;
  readonly recordsOf: RecordsOf;
  readonly configured: ConfiguredSizes;
  readonly announce: Announce;
  readonly planChanges?: PlanGateDeps['planChanges'];
  readonly onError: (error: unknown) => void;
}

export type Metering = ReturnType<typeof startMetering>;

const turnMilliseconds = 1000;

export function startMetering(deps: MeteringDeps) {
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
    // The limit watch and the folding may take long, and calls are stored each second all the same.
    following ??= followAll().finally(() => {
      following = undefined;
    });
  };
  const turns = repeat(turn, { milliseconds: turnMilliseconds, onError });
  const caps = createCaps({ plans, configured, quota: (orgCode) => gate.quota(orgCode) });
  const counted = { ledger, work, plans, caps, recordsOf, today: () => meter.today() };
  return {
    ...{ meter, gate, work, plans, alertPercents, caps },
    report: (request: ReportRequest) => report(JSON.stringify(request)),
    /** The usage of an org this month, by few reads. */
    month: (orgCode: string) => monthUsage(counted, orgCode),
    /** The usage of an org against its plan. */
    usage: (orgCode: string, options: { readonly hasProd: boolean }) => orgUsage(counted, orgCode, options),
    /** Everything that the report adds up, some at a time. Begins nothing before it is iterated. */
    parts: (request: UsageExport) => exportUsage({ ledger, work, recordsOf }, request),
    /** The day that is counted on. */
    today: () => meter.today(),
    /** Ends once everything that was counted is stored. */
    close: async () => {
      await turns.close();
      waiting.clear();
      await following;
      for (const counted of [meter, work]) for (const failure of (await counted.flush()).failures) onError(failure);
    },
  };
}
