import type { SwitchTime } from '../config/port.ts';
import { type EntityRow, entityKey, entityRows } from '../config/port.ts';
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
  const items = await store.scope(orgScopeName(orgCode)).range(entityRows, { limit: rowsMax });
  const rows = items.map(({ sk, value }) => ({ name: sk, row: JSON.parse(value) as EntityRow }));
  const retired = rows.filter(({ row }) => row.state === 'retired');
  const records = await countStoredRecords(
    store,
    orgCode,
    retired.map(({ name }) => name),
  );
  return retired.map(({ name, row }, index) => ({ name, records: records[index] ?? 0, retired_at: row.updated_at }));
}

const rowsMax = 10_000;

/** The changes that have a retired entity's records removed. @throws Problem `not_found`. */
export async function planRetiredRemoval(
  store: Store,
  { orgCode, next, now }: SwitchTime,
  entityName: string,
): Promise<readonly Change[]> {
  const [item] = await store.scope(orgScopeName(orgCode)).get([entityKey(entityName)]);
  const row = item === undefined ? undefined : (JSON.parse(item.value) as EntityRow);
  if (item === undefined || row?.state !== 'retired')
    throw new Problem('not_found', `there is no retired entity \`${entityName.slice(0, 100)}\``);
  const left: EntityRow = { ...row, state: 'removing', removal: next, updated_at: timestamp(now) };
  return [
    { kind: 'put', ...entityKey(entityName), value: JSON.stringify(left), if: { version: item.version } },
    purgeWork({ orgCode, entityName, removal: next }, now),
  ];
}
