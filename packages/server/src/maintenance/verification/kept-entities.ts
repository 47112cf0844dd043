import type { ConfigSet } from '../../config/port.ts';
import { systemEntities } from '../../schema/port.ts';
import type { Store } from '../../store/port.ts';
import { orgScopeName, type Workspace } from '../../tenancy/port.ts';
import { entitiesBeingRemoved } from '../purge-entity.ts';
import { type FurtherEntries, type KeptEntity, keptEntity } from './kept-entity.ts';

export interface KeptEntitiesOf {
  readonly workspace: Pick<Workspace, 'orgCode'>;
  readonly config: ConfigSet;
  readonly further: FurtherEntries;
}

/** The entities that may have records: of the configuration, of the platform, and those that are being removed. */
export async function keptEntities(
  store: Store,
  { workspace, config, further }: KeptEntitiesOf,
): Promise<ReadonlyMap<string, KeptEntity>> {
  const kept = new Map<string, KeptEntity>();
  for (const name of [...systemEntities.keys(), ...config.entityNames]) {
    const entity = await config.entity(name);
    if (entity !== undefined) kept.set(name, keptEntity(entity, config.active(name)?.state, further));
  }
  for (const entity of await entitiesBeingRemoved(store.scope(orgScopeName(workspace.orgCode))))
    kept.set(entity.name, keptEntity(entity, undefined, further));
  return kept;
}
