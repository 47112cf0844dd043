import type { UsagePart } from '@freehold/contract/management/usage';
import type { Read } from '@freehold/contract/schema';
import type { Environment } from '../tenancy/port.ts';
import type { Ledger, RecordsOf } from './ledger.ts';
import { type Day, type WorkDone, type WorkKind, works } from './usage-rows.ts';
import type { WorkLedger } from './work-units/work-ledger.ts';

/** Calls of a workspace on a day, records of an entity in a workspace by now, or work of automation on a day. */
export type UsageEntry = Read<typeof UsagePart>;

export interface UsageExport {
  readonly orgCode: string;
  /** The first and the last day of the calls. */
  readonly from: Day;
  readonly to: Day;
  /** The metric that is exported: undefined is everything. */
  readonly metric: UsageEntry['metric'] | undefined;
}

interface ExportDeps {
  readonly ledger: Pick<Ledger, 'workspaceDays'>;
  readonly work: Pick<WorkLedger, 'days'>;
  readonly recordsOf: RecordsOf;
}

const environments = ['test', 'prod'] as const satisfies readonly Environment[];

/** All parts that the report adds up, from where it has them; some at a time. */
export async function* exportUsage(
  { ledger, work, recordsOf }: ExportDeps,
  { orgCode, from, to, metric }: UsageExport,
): AsyncGenerator<readonly UsageEntry[]> {
  if (metric === undefined || metric === 'api_calls')
    for (const env of environments)
      for await (const { day, workspaces } of ledger.workspaceDays(orgCode, env, from)) {
        if (day > to) break;
        yield [...workspaces]
          .filter(([, { calls }]) => calls > 0)
          .sort(([left], [right]) => (left < right ? -1 : 1))
          .map(([code, { calls }]) => ({ metric: 'api_calls', env, date: day, ...ofNoEntity(code), value: calls }));
      }
  if (metric === undefined || metric === 'records')
    yield (await recordsOf(orgCode)).map(({ env, tenantCode, entity, records }) => {
      return { metric: 'records', env, date: null, tenant_code: tenantCode, entity, value: records };
    });
  const requested = works.filter((what) => metric === undefined || metric === what);
  if (requested.length > 0)
    for (const env of environments) {
      const days = [...(await work.days(orgCode, env, from))].filter(([day]) => day <= to);
      days.sort(([left], [right]) => (left < right ? -1 : 1));
      yield days.flatMap(([date, done]) => requested.flatMap((what) => partsOf(done, what, { env, date })));
    }
}

/** Work is counted by org and environment alone. */
function partsOf(done: WorkDone, metric: WorkKind, at: Pick<UsageEntry, 'env' | 'date'>): readonly UsageEntry[] {
  return done[metric] === 0 ? [] : [{ metric, ...at, tenant_code: null, entity: null, value: done[metric] }];
}

function ofNoEntity(code: string): Pick<UsageEntry, 'tenant_code' | 'entity'> {
  return { tenant_code: code === '' ? null : code, entity: null };
}
