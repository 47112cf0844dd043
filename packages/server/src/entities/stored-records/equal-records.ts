import { sentinelKey } from '../../records/port.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import type { Store } from '../../store/port.ts';
import { type Looked, lookAtRecords, NotedRecords } from './look-at-records.ts';

/** Records that a unique index refuses, by its name: each has the values of an earlier one of its workspace. */
export interface EqualRecords extends Looked {
  readonly found: NotedRecords;
}

/** @param names the unique indexes that are to be built; without one no record is looked at. */
export async function findEqualRecords(
  store: Store,
  { orgCode, entity }: { readonly orgCode: string; readonly entity: CompiledEntity },
  names: readonly string[],
): Promise<EqualRecords> {
  const found = new NotedRecords();
  const uniques = entity.uniques.filter((unique) => names.includes(unique.name) && !unique.isErasing);
  if (uniques.length === 0) return { found, checked: 0, complete: true };
  const taken = new Set<string>();
  const looked = await lookAtRecords(store, { orgCode, entity }, async ({ tenantCode }, data) => {
    for (const unique of uniques) {
      const key = sentinelKey(unique, data);
      if (key === undefined) continue;
      const place = JSON.stringify([tenantCode, unique.name, key.sk]);
      if (taken.has(place)) found.note(unique.name, { tenant_code: tenantCode, id: data.id });
      else taken.add(place);
    }
  });
  return { found, ...looked };
}
