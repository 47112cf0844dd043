import type { Store } from '../store/port.ts';
import { workspacesOf } from '../tenancy/port.ts';
import { recordCounter } from './indexes/derive.ts';

/** The sums over the org's workspaces of the counters that each keeps. */
export async function countStoredRecords(
  store: Store,
  orgCode: string,
  names: readonly string[],
): Promise<readonly number[]> {
  const sums = names.map(() => 0);
  for await (const { scope } of workspacesOf(store, orgCode)) {
    const counters = await scope.get(names.map(recordCounter));
    for (const [index, counter] of counters.entries()) sums[index] = (sums[index] ?? 0) + Number(counter?.value ?? 0);
  }
  return sums;
}
