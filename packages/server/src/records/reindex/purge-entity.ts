import { definitions, type EntityRow, entityPartition, entityRows, type SwitchTime } from '../../config/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { type CompiledEntity, compileEntity, definitionLimits } from '../../schema/port.ts';
import type { Change, Put, Scope, Store } from '../../store/port.ts';
import { removeAsRead } from '../../store/table.ts';
import { ignoreClosed } from '../../store/transact.ts';
import { orgScopeName, type WorkspaceOfOrg, workspacesOf } from '../../tenancy/port.ts';
import { plainJob, workItem } from '../../work/job.ts';
import type { JobSpace } from '../../work/work-queue.ts';
import { removeKept } from '../aggregates/kept/fill-kept.ts';
import { readRecord } from '../record.ts';
import { countStoredRecords, type PlacedRecord, type RecordsCursor, walkRecords } from '../records-of-org.ts';
import { fenceKey, raise } from '../writing/fence.ts';
import { numberPartition } from '../writing/numbering.ts';
import { mergeChanges, type PlannedChange } from '../writing/planned-change.ts';
import { recordChanges } from '../writing/record-changes.ts';

/** The work of removing what a removed entity left behind. Every step may be repeated. */
export interface PurgeEntity {
  readonly orgCode: string;
  readonly entityName: string;
  /** The config version of the removal: no writer of an older one gets past the fence any more. */
  readonly removal: number;
}

const jobName = 'purge-entity';

export function purgeWork(work: PurgeEntity, at: number): Put {
  return workItem(`${jobName};${work.entityName}`, { job: jobName, ...work }, at);
}

/**
 * Removes the records from every workspace in bounded commits, then the entity's row, so that its name is free again.
 * INVARIANT: once the name is free, a repetition touches nothing of a new entity of that name, since the row is not
 * the one that was removed and the fence stands higher.
 */
export async function purgeEntity(store: Store, work: PurgeEntity, renewLease: () => Promise<void>): Promise<void> {
  const orgScope = store.scope(orgScopeName(work.orgCode));
  const row = await entityRows.read(orgScope, work.entityName);
  if (row === undefined || row.value.removal !== work.removal) return;
  const entity = await loadRemoved(orgScope, work.entityName, row.value);
  if (entity === undefined) return;
  for await (const workspace of workspacesOf(store, work.orgCode))
    await purgeWorkspace(workspace, { entity, removal: work.removal, renewLease }).catch(ignoreClosed);
  await orgScope.commit([removeAsRead(row)], { priority: 'background' });
}

export const purgeEntityJob = plainJob(jobName, ({ store }: JobSpace, work: PurgeEntity, renewLease) =>
  purgeEntity(store, work, renewLease),
);

/** The removed entities of an org whose records are not all gone yet. */
export async function entitiesBeingRemoved(orgScope: Scope): Promise<readonly CompiledEntity[]> {
  const rows = await entityRows.range(orgScope, entityPartition, { limit: rowsMax });
  const removed = await Promise.all(rows.map(({ sk, value }) => loadRemoved(orgScope, sk, value)));
  return removed.filter((entity) => entity !== undefined);
}

const rowsMax = 10_000;

/** An entity as its records were last written; undefined where it is not being removed. */
export async function loadRemoved(
  orgScope: Scope,
  entityName: string,
  { removed }: EntityRow,
): Promise<CompiledEntity | undefined> {
  if (removed === undefined) return undefined;
  const body = await definitions.read(orgScope, { entityName, version: removed.version });
  if (body === undefined) throw new Error('the definition of a removed entity is missing');
  return compileEntity(body.value, removed.version, removed);
}

interface WorkspacePurge {
  readonly entity: CompiledEntity;
  readonly removal: number;
  readonly renewLease: () => Promise<void>;
}

const itemsPerStep = 100;
const bytesPerStep = 4 * 1024 * 1024;
const changesPerStep = 500;

async function purgeWorkspace(
  workspace: WorkspaceOfOrg,
  { entity, removal, renewLease }: WorkspacePurge,
): Promise<void> {
  const { scope } = workspace;
  await renewLease();
  const level = { generation: removal, configVersion: Number.MAX_SAFE_INTEGER };
  const fence = await raise(workspace, entity.name, level);
  if (fence === 'newer') return;
  const fenced: Change = { kind: 'check', ...fenceKey(entity.name), if: { version: fence.itemVersion } };
  const cursor: RecordsCursor = { after: undefined, limit: itemsPerStep, bytesMax: bytesPerStep };
  for await (const records of walkRecords(entity, workspace, cursor)) {
    const removals = await planRemoval(scope, entity, records);
    await scope.commit([fenced, ...removals.map(({ change }) => change)], { priority: 'background' });
    // The rest comes first.
    cursor.after = undefined;
    await renewLease();
  }
  await removeNumbers(scope, entity.name, fenced);
  await removeKept(scope, entity, fenced);
}

/** Removes the first of some records, with everything written for them. */
async function planRemoval(
  scope: Scope,
  entity: CompiledEntity,
  records: readonly PlacedRecord[],
): Promise<readonly PlannedChange[]> {
  const planned: PlannedChange[] = [];
  for (const { item } of records) {
    const own = await recordChanges(scope, entity, { before: readRecord(entity, item) });
    if (planned.length > 0 && planned.length + own.length > changesPerStep) break;
    planned.push(...own);
  }
  return mergeChanges(planned);
}

/** A new entity of the name counts from 1 again. */
async function removeNumbers(scope: Scope, entityName: string, fenced: Change): Promise<void> {
  const counters = await scope.range(numberPartition(entityName), { limit: definitionLimits.fieldsMax });
  if (counters.length === 0) return;
  const removals = counters.map(({ pk, sk }): Change => ({ kind: 'remove', pk, sk, if: 'any' }));
  await scope.commit([fenced, ...removals], { priority: 'background' });
}

/** An entity that nothing serves any more and whose records are kept. */
export interface RetiredEntity {
  readonly name: string;
  readonly records: number;
  readonly retired_at: string;
}

export async function retiredEntities(store: Store, orgCode: string): Promise<readonly RetiredEntity[]> {
  const rows = await entityRows.range(store.scope(orgScopeName(orgCode)), entityPartition, { limit: retiredMax });
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

const retiredMax = 10_000;

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
