import {
  type Change,
  type Item,
  type Put,
  type RangeRead,
  type Scope,
  ScopeClosed,
  type Store,
} from '../store/port.ts';
import { apiName } from './api-configs.ts';
import type { CompiledEntity } from './compile-entity.ts';
import { compileEntity } from './compile-entity.ts';
import type { EntityDefinition } from './definition.ts';
import { fenceKey, raise } from './fence.ts';
import { type EntityRow, entityKey, entityRows, versionKey } from './org-keys.ts';
import { readRecord } from './record.ts';
import { removeRecords } from './record-changes.ts';
import { directPartition } from './record-keys.ts';
import { orgScopeName, workspaceScopeName } from './workspace.ts';
import { workspaceRows } from './workspace-directory.ts';

/** The work of removing what a removed entity left behind. Every step may be repeated. */
export interface PurgeEntity {
  readonly orgCode: string;
  readonly entityName: string;
  /** The version of the definition that the records were written by. */
  readonly definition: number;
  /** The config version of the removal: no writer of an older one gets past the fence any more. */
  readonly removal: number;
}

export const purgeEntityJob = 'purge-entity';

export function purgeWork(work: PurgeEntity, at: number): Put {
  const value = JSON.stringify({ job: purgeEntityJob, ...work });
  return {
    kind: 'put',
    pk: 'work',
    sk: `${purgeEntityJob};${work.entityName}`,
    value,
    if: 'any',
    due: { at, queue: 'work' },
  };
}

/**
 * Removes the records from every workspace in bounded commits, then the entity's row, so that its name is free again.
 * INVARIANT: once the name is free, a repetition touches nothing of a new entity of that name, since the row is not
 * the one that was removed and the fence stands higher.
 */
export async function purgeEntity(store: Store, work: PurgeEntity, stillMine: () => Promise<void>): Promise<void> {
  const orgScope = store.scope(orgScopeName(work.orgCode));
  const [row] = await orgScope.get([entityKey(work.entityName)]);
  if (row === undefined || (JSON.parse(row.value) as EntityRow).removal !== work.removal) return;
  const entity = await loadDefinition(orgScope, work);
  for await (const { code } of workspaceRows(orgScope))
    await purgeWorkspace(store.scope(workspaceScopeName(work.orgCode, code)), {
      entity,
      partition: directPartition(entity, { orgCode: work.orgCode, tenantCode: code }),
      removal: work.removal,
      stillMine,
    }).catch(ignoreClosed);
  const removeRow: Change = { kind: 'remove', pk: row.pk, sk: row.sk, if: { version: row.version } };
  await orgScope.commit([removeRow], { priority: 'background' });
}

/** The removed entities of an org whose records are not all gone yet. */
export async function entitiesBeingRemoved(orgScope: Scope): Promise<readonly CompiledEntity[]> {
  const rows = await orgScope.range(entityRows, { limit: rowsMax });
  const removed = rows.flatMap(({ sk, value }) => {
    const { state, version } = JSON.parse(value) as EntityRow;
    return state === 'removing' ? [{ entityName: sk, definition: version }] : [];
  });
  return Promise.all(removed.map((one) => loadDefinition(orgScope, one)));
}

const rowsMax = 10_000;

async function loadDefinition(
  orgScope: Scope,
  work: Pick<PurgeEntity, 'entityName' | 'definition'>,
): Promise<CompiledEntity> {
  const [body] = await orgScope.get([versionKey(apiName('create', work.entityName), work.definition)]);
  if (body === undefined) throw new Error('the definition of a removed entity is missing');
  return compileEntity(JSON.parse(body.value) as EntityDefinition, work.definition);
}

interface WorkspacePurge {
  readonly entity: CompiledEntity;
  /** Where the records lie, if they are found by their keys. */
  readonly partition: string;
  readonly removal: number;
  readonly stillMine: () => Promise<void>;
}

async function purgeWorkspace(scope: Scope, purge: WorkspacePurge): Promise<void> {
  await purge.stillMine();
  const fence = await raise({ scope }, purge.entity.name, purge.removal);
  if (fence === 'newer') return;
  while (await purgeStep(scope, purge, fence.itemVersion)) await purge.stillMine();
}

const changesPerStep = 500;
const bytesPerStep = 4 * 1024 * 1024;

/** Removes some records with their index items; false once there is none left. */
async function purgeStep(scope: Scope, { entity, partition }: WorkspacePurge, fenceVersion: number): Promise<boolean> {
  const limit = Math.max(1, Math.floor(changesPerStep / (entity.indexes.length + 2)));
  const read = { limit, bytesMax: bytesPerStep };
  const items =
    entity.directSortPrefix === undefined
      ? await followedItems(scope, entity.idIndexPk, read)
      : await scope.range(partition, { ...read, prefix: entity.directSortPrefix });
  if (items.length === 0) return false;
  const fenced: Change = { kind: 'check', ...fenceKey(entity.name), if: { version: fenceVersion } };
  await scope.commit([fenced, ...removeRecords(entity, items.map(readRecord))], { priority: 'background' });
  return true;
}

/** The fence keeps what is read in two steps as it is: nobody writes these records any more. */
async function followedItems(scope: Scope, indexPk: string, read: RangeRead): Promise<readonly Item[]> {
  const followed = await scope.follow(indexPk, read);
  const entries = await scope.range(indexPk, read);
  return followed.flatMap(({ sk, version, value }) => {
    const target = entries.find((entry) => entry.sk === sk)?.target;
    return target === undefined ? [] : [{ ...target, version, value }];
  });
}

/** A workspace that takes no writes any more is removed as a whole, with what is left in it. */
function ignoreClosed(error: unknown): void {
  if (!(error instanceof ScopeClosed)) throw error;
}

/** The work as `purgeWork` wrote it. */
export function readPurgeWork(work: unknown): PurgeEntity {
  return work as PurgeEntity;
}
