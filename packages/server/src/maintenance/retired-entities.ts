import type { SwitchTime } from '../config/port.ts';
import { type EntityRow, entityPartition, entityRows } from '../config/port.ts';
import { timestamp } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import { countStoredRecords } from '../records/port.ts';
import type { Change, Store } from '../store/port.ts';
import { orgScopeName } from '../tenancy/port.ts';
import { purgeWork } from './purge-entity.ts';

/** An entity that nothing serves any more and whose records are kept. */
export interface RetiredEntity {
  readonly name: string;
  readonly records: number;
  readonly retired_at: string;
}

export async function retiredEntities(store: Store, orgCode: string): Promise<readonly RetiredEntity[]> {
  const rows = await entityRows.range(store.scope(orgScopeName(orgCode)), entityPartition, { limit: rowsMax });
  const retired = rows.filter(({ value }) => value.state === 'retired');
  const records = await countStoredRecords(
    store,
    orgCode,
    retired.map(({ sk }) => sk),
  );
  return retired.map(({ sk, value }, index) => ({
    name: sk,
    records: records[index] ?? 0,
    retired_at: value.updated_at,
  }));
}

const rowsMax = 10_000;

/** The changes that have a retired entity's records removed. @throws Problem `not_found`. */
export async function planRetiredRemoval(
  store: Store,
  { orgCode, next, now }: SwitchTime,
  entityName: string,
): Promise<readonly Change[]> {
  const row = await entityRows.read(store.scope(orgScopeName(orgCode)), entityName);
  if (row?.value.state !== 'retired')
    throw new Problem('not_found', `there is no retired entity \`${entityName.slice(0, 100)}\``);
  const left: EntityRow = { ...row.value, state: 'removing', removal: next, updated_at: timestamp(now) };
  return [entityRows.replace(row, left), purgeWork({ orgCode, entityName, removal: next }, now)];
}
