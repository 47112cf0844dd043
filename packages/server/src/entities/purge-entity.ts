import type { Change, Put, Scope, Store } from '../store/port.ts';
import { apiName } from './api-configs.ts';
import type { CompiledEntity } from './compile-entity.ts';
import { compileEntity } from './compile-entity.ts';
import type { EntityDefinition } from './definition.ts';
import { fenceKey, raise } from './fence.ts';
import { type EntityRow, entityKey, entityRows, versionKey } from './org-keys.ts';
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
  for await (const { code } of workspaceRows(orgScope)) {
    const scope = store.scope(workspaceScopeName(work.orgCode, code));
    const fence = await raise({ scope }, work.entityName, work.removal);
    if (fence === 'newer') continue;
    const workspace = { orgCode: work.orgCode, tenantCode: code, scope, fenceVersion: fence.itemVersion };
    while (await purgeStep(entity, workspace)) await stillMine();
  }
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

const changesPerStep = 500;

interface PurgedWorkspace {
  readonly orgCode: string;
  readonly tenantCode: string;
  readonly scope: Scope;
  readonly fenceVersion: number;
}

/** Removes some records with their index items; false once there is none left. */
async function purgeStep(entity: CompiledEntity, workspace: PurgedWorkspace): Promise<boolean> {
  const { scope, fenceVersion } = workspace;
  const limit = Math.max(1, Math.floor(changesPerStep / (entity.indexes.length + 2)));
  const items =
    entity.directSortPrefix === undefined
      ? (await scope.follow(entity.idIndexPk, { limit })).map(({ item }) => item)
      : await scope.range(directPartition(entity, workspace), { prefix: entity.directSortPrefix, limit });
  if (items.length === 0) return false;
  const fenced: Change = { kind: 'check', ...fenceKey(entity.name), if: { version: fenceVersion } };
  await scope.commit([fenced, ...removeRecords(entity, items)], { priority: 'background' });
  return true;
}

/** The work as `purgeWork` wrote it. */
export function readPurgeWork(work: unknown): PurgeEntity {
  return work as PurgeEntity;
}
