import { systemEntityNames } from '@freehold/contract/system-entities';
import { Problem } from '../lib/problem.ts';
import type { CompiledEntity } from '../schema/port.ts';
import type { Item, RangeRead, Scope, Store } from '../store/port.ts';
import { type Cursor, eachItem, walk } from '../store/walk.ts';
import { eachWorkspace, type WorkspaceOfOrg, workspacesOf } from '../tenancy/port.ts';
import { recordCounter } from './indexes/derive.ts';
import { directPartition } from './record-keys.ts';

/** The number of records of an entity that a workspace has. */
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

/** The contents of a workspace, by the counters that every write moves in its own commit. */
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

interface WorkspacePolicyCount {
  readonly tenantCode: string;
  readonly policies: number;
}

/** The number of policies in each workspace of an org, by the counter that their writes move in their own commits. */
export async function policiesOfOrg(store: Store, orgCode: string): Promise<readonly WorkspacePolicyCount[]> {
  const found: WorkspacePolicyCount[] = [];
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

/** A record's item, and its place in the order in which all records of an entity are gone through: that of their ids. */
export interface PlacedRecord {
  readonly place: string;
  readonly item: Item;
}

/** The place of the last record that is done, and how much is read at once. */
export interface RecordsCursor extends Cursor<string>, Pick<RangeRead, 'bytesMax'> {
  limit: number;
}

/**
 * The records of an entity in a workspace, in bounded pages. Not one snapshot: a writer that uses the result checks the
 * records' versions.
 */
export function walkRecords(
  entity: CompiledEntity,
  workspace: WorkspaceOfOrg,
  cursor: RecordsCursor,
): AsyncGenerator<readonly PlacedRecord[]> {
  const partition = partitionOfRecords(entity, workspace).pk;
  const read = async (after: string | undefined): Promise<readonly PlacedRecord[]> => {
    const { limit, bytesMax } = cursor;
    const from = { limit, ...(bytesMax && { bytesMax }), ...(after === undefined ? {} : { after }) };
    if (entity.directSortPrefix === undefined) return followIds(workspace.scope, entity.idIndexPk, from);
    const items = await workspace.scope.range(partition, { ...from, prefix: entity.directSortPrefix });
    return items.map((item) => ({ place: item.sk, item }));
  };
  return walk(cursor, read, ({ place }) => place);
}

/** The partition that has each record of an entity once, as an item or an index item, and where in it they are. */
export function partitionOfRecords(
  entity: CompiledEntity,
  workspace: WorkspaceOfOrg,
): { readonly pk: string; readonly prefix?: string } {
  const prefix = entity.directSortPrefix;
  return prefix === undefined ? { pk: entity.idIndexPk } : { pk: directPartition(entity, workspace), prefix };
}

/** A record that has been removed between the two reads is left out; a record that has moved comes with its new key. */
async function followIds(scope: Scope, idIndexPk: string, read: RangeRead): Promise<readonly PlacedRecord[]> {
  for (;;) {
    const followed = await scope.follow(idIndexPk, read);
    const entries = await scope.get(followed.map(({ sk }) => ({ pk: idIndexPk, sk })));
    const found = followed.flatMap(({ sk, version, value }, index) => {
      const target = entries[index]?.target;
      return target === undefined ? [] : [{ place: sk, item: { ...target, version, value } }];
    });
    // Nothing is the end only where nothing was followed.
    if (found.length > 0 || followed.length === 0) return found;
  }
}
