import { definitions, type EntityRow, entityPartition, entityRows, fenceKey, raise } from '../config/port.ts';
import {
  directPartition,
  mergeChanges,
  numberPartition,
  type PlannedChange,
  readRecord,
  recordChanges,
} from '../records/port.ts';
import type { CompiledEntity } from '../schema/port.ts';
import { compileEntity, definitionLimits } from '../schema/port.ts';
import { type Change, type Put, type Scope, ScopeClosed, type Store } from '../store/port.ts';
import { removeAsRead, workItem } from '../store/table.ts';
import { orgScopeName, workspaceRows, workspaceScopeName } from '../tenancy/port.ts';
import { nextRecords } from './walk-records.ts';

/** The work of removing what a removed entity left behind. Every step may be repeated. */
export interface PurgeEntity {
  readonly orgCode: string;
  readonly entityName: string;
  /** The config version of the removal: no writer of an older one gets past the fence any more. */
  readonly removal: number;
}

export const purgeEntityJob = 'purge-entity';

export function purgeWork(work: PurgeEntity, at: number): Put {
  return workItem(`${purgeEntityJob};${work.entityName}`, { job: purgeEntityJob, ...work }, at);
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
  for await (const { code } of workspaceRows(orgScope))
    await purgeWorkspace(store.scope(workspaceScopeName(work.orgCode, code)), {
      entity,
      partition: directPartition(entity, { orgCode: work.orgCode, tenantCode: code }),
      removal: work.removal,
      renewLease,
    }).catch(ignoreClosed);
  await orgScope.commit([removeAsRead(row)], { priority: 'background' });
}

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
  /** Where the records lie, if they are found by their keys. */
  readonly partition: string;
  readonly removal: number;
  readonly renewLease: () => Promise<void>;
}

async function purgeWorkspace(scope: Scope, purge: WorkspacePurge): Promise<void> {
  await purge.renewLease();
  const level = { generation: purge.removal, configVersion: Number.MAX_SAFE_INTEGER };
  const fence = await raise({ scope }, purge.entity.name, level);
  if (fence === 'newer') return;
  while (await purgeStep(scope, purge, fence.itemVersion)) await purge.renewLease();
  await removeNumbers(scope, purge.entity.name, fence.itemVersion);
}

const changesPerStep = 500;
const bytesPerStep = 4 * 1024 * 1024;
const itemsPerStep = 100;

/** Removes some records with everything written for them; false once there is none left. */
async function purgeStep(scope: Scope, { entity, partition }: WorkspacePurge, fenceVersion: number): Promise<boolean> {
  const read = { partition, limit: itemsPerStep, bytesMax: bytesPerStep };
  const placed = await nextRecords(scope, entity, read);
  if (placed.length === 0) return false;
  const planned: PlannedChange[] = [];
  for (const { item } of placed) {
    const own = await recordChanges(scope, entity, { before: readRecord(item) });
    if (planned.length > 0 && planned.length + own.length > changesPerStep) break;
    planned.push(...own);
  }
  const removals = mergeChanges(planned);
  const fenced: Change = { kind: 'check', ...fenceKey(entity.name), if: { version: fenceVersion } };
  await scope.commit([fenced, ...removals.map(({ change }) => change)], { priority: 'background' });
  return true;
}

/** A new entity of the name counts from 1 again. */
async function removeNumbers(scope: Scope, entityName: string, fenceVersion: number): Promise<void> {
  const counters = await scope.range(numberPartition(entityName), { limit: definitionLimits.fieldsMax });
  if (counters.length === 0) return;
  const fenced: Change = { kind: 'check', ...fenceKey(entityName), if: { version: fenceVersion } };
  const removals = counters.map(({ pk, sk }): Change => ({ kind: 'remove', pk, sk, if: 'any' }));
  await scope.commit([fenced, ...removals], { priority: 'background' });
}

/** A workspace that takes no writes any more is removed as a whole, with what is left in it. */
function ignoreClosed(error: unknown): void {
  if (!(error instanceof ScopeClosed)) throw error;
}

/** The work as `purgeWork` wrote it. */
export function readPurgeWork(work: unknown): PurgeEntity {
  return work as PurgeEntity;
}
