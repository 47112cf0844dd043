import type { UsagePart } from '@freehold/contract/management/usage';
import type { Read } from '@freehold/contract/schema';
import type { Environment } from '../tenancy/port.ts';
import type { Day } from './calendar.ts';
import type { Ledger } from './ledger.ts';
import type { RecordsOf } from './records-of.ts';

/** Calls of a workspace on a day, or records of an entity in a workspace by now. */
export type UsageEntry = Read<typeof UsagePart>;

export interface UsageExport {
  readonly orgCode: string;
  /** The first and the last day of the calls. */
  readonly from: Day;
  readonly to: Day;
  /** What is exported: undefined is everything. */
  readonly metric: UsageEntry['metric'] | undefined;
}

interface ExportDeps {
  readonly ledger: Pick<Ledger, 'workspaceDays'>;
  readonly recordsOf: RecordsOf;
}

const environments = ['test', 'prod'] as const satisfies readonly Environment[];

/** All parts that the report adds up, from where it has them; some at a time. */
export async function* exportUsage(
  { ledger, recordsOf }: ExportDeps,
  { orgCode, from, to, metric }: UsageExport,
): AsyncGenerator<readonly UsageEntry[]> {
  if (metric !== 'records')
    for (const env of environments)
      for await (const { day, workspaces } of ledger.workspaceDays(orgCode, env, from)) {
        if (day > to) break;
        yield [...workspaces]
          .filter(([, { calls }]) => calls > 0)
          .sort(([left], [right]) => (left < right ? -1 : 1))
          .map(([code, { calls }]) => ({ metric: 'api_calls', env, date: day, ...ofNoEntity(code), value: calls }));
      }
  if (metric !== 'api_calls')
    yield (await recordsOf(orgCode)).map(({ env, tenantCode, entity, records }) => {
      return { metric: 'records', env, date: null, tenant_code: tenantCode, entity, value: records };
    });
}

function ofNoEntity(code: string): Pick<UsageEntry, 'tenant_code' | 'entity'> {
  return { tenant_code: code === '' ? null : code, entity: null };
}
