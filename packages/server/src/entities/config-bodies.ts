import type { ActiveEntity } from '../config/port.ts';
import { apiBodies } from '../config/port.ts';
import type { EntityDefinition } from '../schema/port.ts';
import { type ApiAction, type ApiConfig, actions, activeConfigKey, apiName, generatedViews } from '../schema/port.ts';
import type { Store } from '../store/port.ts';
import { orgScopeName } from '../tenancy/port.ts';

/** The live configs of an entity, as they are stored. */
export interface ConfigBodies {
  readonly entityName: string;
  readonly active: ActiveEntity;
  readonly bodies: Readonly<Record<ApiAction, ApiConfig>>;
}

export async function readConfigBodies(
  store: Store,
  orgCode: string,
  { entityName, active }: { readonly entityName: string; readonly active: ActiveEntity },
): Promise<ConfigBodies> {
  const rows = await apiBodies.readMany(
    store.scope(orgScopeName(orgCode)),
    actions.map((action) => ({ api: apiName(action, entityName), version: active.versions[action] })),
  );
  const bodies = rows.map((row) => {
    if (row === undefined) throw new Error('the body of a live config is missing');
    return row.value;
  });
  return {
    entityName,
    active,
    bodies: Object.fromEntries(actions.map((action, index) => [action, bodies[index]])) as ConfigBodies['bodies'],
  };
}

/** One of the five configs as it is shown: the definition, or what is generated from it and the views that it has. */
export type ShownConfig = ApiConfig & { readonly key: string; readonly version: number };

/** A config that was given no views of its own has those of the definition; beside them stand the generated ones. */
export function shownConfig({ entityName, active, bodies }: ConfigBodies, action: ApiAction): ShownConfig {
  const key = activeConfigKey(apiName(action, entityName));
  const shown = { key, version: active.versions[action], ...bodies[action] };
  if (action === 'create') return shown;
  const definition = bodies.create as unknown as EntityDefinition;
  const own = bodies[action].Views ?? definition.Views ?? {};
  return { ...shown, Views: { ...generatedViews(definition), ...own } };
}
