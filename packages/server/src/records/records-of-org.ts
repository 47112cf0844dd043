import { Problem } from '../lib/problem.ts';
import { systemEntityNames } from '../schema/port.ts';
import type { Scope, Store } from '../store/port.ts';
import { eachItem } from '../store/walk.ts';
import { eachWorkspace } from '../tenancy/port.ts';
import { recordCounter } from './indexes/derive.ts';

/** How many records of an entity a workspace has. */
export interface WorkspaceRecords {
  readonly tenantCode: string;
  readonly entity: string;
  readonly records: number;
}

const countersPerRead = 1000;

/**
 * The counters of all workspaces of an org, of entities that builders define. Those of an entity that is being removed
 * are there until its records are gone.
 * @throws Problem `unavailable` if a counter is not a number: an unknown count is not reported as a smaller one.
 */
export async function recordsOfOrg(store: Store, orgCode: string): Promise<readonly WorkspaceRecords[]> {
  const found: WorkspaceRecords[] = [];
  await eachWorkspace(store, orgCode, async (scope, tenantCode) => {
    for await (const { entity, records } of countersIn(scope))
      if (!systemEntityNames.includes(entity) && records !== 0) found.push({ tenantCode, entity, records });
  });
  return found;
}

/** What a workspace has, by the counters that every write moves in its own commit. */
export interface WorkspaceCounters {
  /** Its `user` records. */
  readonly members: number;
  /** Of entities that builders define and that have any. */
  readonly byEntity: Readonly<Record<string, number>>;
}

/** The same of one workspace. @throws Problem `unavailable` as above. */
export async function countersOfWorkspace(scope: Scope): Promise<WorkspaceCounters> {
  let members = 0;
  const byEntity: [entity: string, records: number][] = [];
  for await (const { entity, records } of countersIn(scope))
    if (entity === 'user') members = records;
    else if (!systemEntityNames.includes(entity) && records !== 0) byEntity.push([entity, records]);
  return { members, byEntity: Object.fromEntries(byEntity) };
}

async function* countersIn(scope: Scope): AsyncGenerator<Omit<WorkspaceRecords, 'tenantCode'>> {
  for await (const { sk: entity, value } of eachItem(scope, recordCounter('').pk, countersPerRead)) {
    const records = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (!Number.isSafeInteger(records))
      throw new Problem('unavailable', 'the records cannot be counted: a counter is not a number');
    yield { entity, records };
  }
}
