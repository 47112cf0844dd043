import { type AuditContext, platformAuditEntry } from '../audit/audit-entry.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';
import type { Scope } from '../store/port.ts';
import { json, table } from '../store/table.ts';

/** At which shares of a limit an org is warned, in percent. */
export interface AlertPercents {
  /** As they are stored, the lowest first. */
  of(orgCode: string): Promise<readonly number[]>;
  /** At most ten seconds old. */
  recent(orgCode: string): Promise<readonly number[]>;
  set(orgCode: string, percents: readonly number[], auditContext: AuditContext): Promise<readonly number[]>;
}

export interface AlertPercentsDeps {
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
    set: async (orgCode, asked, auditContext) => {
      const percents = asked.toSorted((one, other) => one - other);
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
