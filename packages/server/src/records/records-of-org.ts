import { Problem } from '../lib/problem.ts';
import { systemEntityNames } from '../schema/port.ts';
import type { Scope, Store } from '../store/port.ts';
import { eachItem } from '../store/walk.ts';
import { eachWorkspace, workspacesOf } from '../tenancy/port.ts';
import { recordCounter } from './indexes/derive.ts';

/** How many records of an entity a workspace has. */
interface WorkspaceRecords {
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
interface WorkspaceCounters {
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

interface WorkspacePolicies {
  readonly tenantCode: string;
  readonly policies: number;
}

/** How many policies each workspace of an org has, by the counter that every write of one moves in its own commit. */
export async function policiesOfOrg(store: Store, orgCode: string): Promise<readonly WorkspacePolicies[]> {
  const found: WorkspacePolicies[] = [];
  await eachWorkspace(store, orgCode, async (scope, tenantCode) => {
    const [counter] = await scope.get([recordCounter('aclpolicy')]);
    if (counter !== undefined) found.push({ tenantCode, policies: Number(counter.value) });
  });
  return found;
}

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
