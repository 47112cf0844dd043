import type { CompiledEntity } from '../../schema/port.ts';
import { type ApiAction, actions, contentOfBodies } from '../../schema/port.ts';
import type { EntityAdminDeps } from '../admin-deps.ts';
import { readConfigBodies, type ShownConfig, shownConfig } from '../config-bodies.ts';
import { unknownEntity } from '../unknown-entity.ts';
import { type ShownBuilds, showBuilds } from './show-builds.ts';

export type ShownEntity = Readonly<Record<ApiAction, ShownConfig>> & ShownBuilds & { readonly entityName: string };

/** The five configs, and how far fills and indexes are. @throws Problem `not_found`. */
export async function showEntity(deps: EntityAdminDeps, orgCode: string, entityName: string): Promise<ShownEntity> {
  const active = (await deps.configs.refresh(orgCode)).active(entityName);
  if (active === undefined) throw unknownEntity(entityName);
  const bodies = await readConfigBodies(deps.store, orgCode, { entityName, active });
  const configs = Object.fromEntries(actions.map((action) => [action, shownConfig(bodies, action)]));
  const builds = await showBuilds(deps.store, orgCode, {
    definition: contentOfBodies(bodies.bodies).definition,
    state: active.state,
  });
  return { entityName, ...(configs as Record<ApiAction, ShownConfig>), ...builds };
}

export async function compiledOf(
  { configs }: EntityAdminDeps,
  orgCode: string,
  entityName: string,
): Promise<CompiledEntity | undefined> {
  const set = await configs.current(orgCode);
  return set.active(entityName) === undefined ? undefined : await set.entity(entityName);
}
