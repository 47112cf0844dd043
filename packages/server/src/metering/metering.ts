/** The room's door: what is counted of orgs, what their plans allow, and what is told of both. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import type { Scope } from '../store/port.ts';
import { createAlerts } from './alerts.ts';
import type { Day } from './calendar.ts';
import { CallMeter, type OrgScopes } from './call-meter.ts';
import { foldDays } from './fold-days.ts';
import { createLedger } from './ledger.ts';
import { createPlanGate, type PlanGate } from './plan-gate.ts';
import { createPlans, type Plans } from './plans.ts';
import type { RecordsOf } from './records-of.ts';
import { type ReportRequest, reportUsage } from './report.ts';

export interface MeteringParts {
  readonly clock: Clock;
  readonly platform: Scope;
  readonly orgScopes: OrgScopes;
  readonly hasOrg: (orgCode: string) => Promise<boolean>;
  readonly recordsOf: RecordsOf;
  readonly onError: (error: unknown) => void;
}

export interface Metering {
  readonly meter: Pick<CallMeter, 'count'>;
  readonly gate: PlanGate;
  readonly plans: Plans;
  report(request: ReportRequest): ReturnType<typeof reportUsage>;
  /** Stores what was counted, and does what follows from it. It is done each second. */
  turn(): Promise<void>;
  /** Ends once everything that was counted is stored. */
  close(): Promise<void>;
}

const turnMilliseconds = 1000;

export function startMetering(parts: MeteringParts): Metering {
  const { clock, platform, orgScopes, hasOrg, recordsOf, onError } = parts;
  const meter = new CallMeter({ clock, orgScopes, node: randomBytes(9).toString('base64url') });
  const ledger = createLedger(meter, orgScopes);
  const plans = createPlans({ platform, hasOrg, changed: (orgCode) => gate.forget(orgCode) });
  const gate = createPlanGate({ clock, plans, ledger, meter, recordsOf });
  const alerts = createAlerts({ platform, now: () => clock.now() });
  const now = (): number => clock.now();
  /** The orgs whose days before today were folded. */
  let folded: { readonly day: Day; readonly orgCodes: Set<string> } = { day: '', orgCodes: new Set() };

  const follow = async (orgCode: string): Promise<void> => {
    await alerts.tell(orgCode, await gate.standing(orgCode));
    const today = meter.today();
    if (folded.day !== today) folded = { day: today, orgCodes: new Set() };
    if (folded.orgCodes.has(orgCode)) return;
    folded.orgCodes.add(orgCode);
    for (const scope of Object.values(orgScopes(orgCode))) await foldDays(scope, clock.now());
  };

  const turn = async (): Promise<void> => {
    const { orgCodes, failures } = await meter.flush();
    for (const failure of failures.slice(0, 1)) onError(failure);
    if (failures.length === 0) for (const orgCode of orgCodes) await follow(orgCode).catch(onError);
    gate.tidy();
  };

  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= turn()
      .catch(onError)
      .finally(() => {
        running = undefined;
      });
  }, turnMilliseconds);
  timer.unref();
  return {
    meter,
    gate,
    plans,
    report: (request) => reportUsage({ ledger, gate, plans, recordsOf, now }, request),
    turn,
    close: async () => {
      clearInterval(timer);
      await running;
      for (const failure of (await meter.flush()).failures) onError(failure);
    },
  };
}
