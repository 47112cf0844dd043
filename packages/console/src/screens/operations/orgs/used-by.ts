import type { Used } from './limits.ts';
import type { OrgDetails } from './queries.ts';

type Usages = Pick<OrgDetails, 'usage' | 'limits' | 'environments'>;

/** What an org uses in the words of the limits. Work of today and policies are known where the present plan limits them. */
export function usedBy({ usage, limits, environments: { test, prod } }: Usages): Used {
  return {
    ...Object.fromEntries(limits.map(({ limit_name, used }) => [limit_name, used])),
    api_calls_per_day: usage.api_calls.today,
    api_calls_per_month: usage.api_calls.month,
    records: test.records + (prod?.records ?? 0),
    entities: Math.max(test.entities, prod?.entities ?? 0),
    indexes: Math.max(test.indexes, prod?.indexes ?? 0),
  };
}
