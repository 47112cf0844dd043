import { changeConfig } from '../../config/port.ts';
import { actions, apiName } from '../../schema/port.ts';
import type { EntityAdminDeps } from '../admin-deps.ts';
import { showBuilds } from '../showing/show-builds.ts';
import { lookAtChange, refuseChange } from '../stored-records/records-of-change.ts';
import type { ApiChange, ChangedApi } from './api-change.ts';
import { createdUnder } from './api-names.ts';
import { changeViews, previewViews } from './change-views.ts';
import { type DefinitionChange, planChange } from './plan-change.ts';
import { type ChangePreview, previewDefinition } from './preview-change.ts';

/**
 * Changes one of the five configs: the create config is the definition, the others have views.
 * @throws Problem `not_found`, `version_mismatch`, `validation_failed`, `unknown_field`, `conflict`.
 */
export async function changeApi(deps: EntityAdminDeps, orgCode: string, change: ApiChange): Promise<ChangedApi> {
  const { action, entityName } = await configOf(deps, orgCode, change);
  if (action === 'create') return changeDefinition(deps, orgCode, { ...change, entityName });
  return changeViews(deps, orgCode, { ...change, entityName, action });
}

/** What `changeApi` would do, of which nothing is done. @throws Problem as `changeApi`, but for what records say. */
export async function previewApi(deps: EntityAdminDeps, orgCode: string, change: ApiChange): Promise<ChangePreview> {
  const { action, entityName } = await configOf(deps, orgCode, change);
  if (action === 'create') return previewDefinition(deps, orgCode, { ...change, entityName });
  return previewViews(deps, orgCode, { ...change, entityName, action });
}

/** Generated names win over names under which entities were created. */
async function configOf(deps: EntityAdminDeps, orgCode: string, { api, body }: ApiChange) {
  const action = actions.find((one) => api.startsWith(apiName(one, '')));
  const entityName = action === undefined ? '' : api.slice(apiName(action, '').length);
  const set = await deps.configs.refresh(orgCode);
  if (action !== undefined && set.active(entityName) !== undefined) return { action, entityName };
  return { action: 'create', entityName: await createdUnder(deps.store, { orgCode, set, api, body }) } as const;
}

/** Merges what is sent into the definition of an entity that may have records. */
async function changeDefinition(deps: EntityAdminDeps, orgCode: string, change: DefinitionChange): Promise<ChangedApi> {
  const { entityName } = change;
  const api = apiName('create', entityName);
  let looked: number | undefined;
  const { version, planned } = await changeConfig(deps, orgCode, async (set, next) => {
    const plan = await planChange(deps, { orgCode, set, next }, change);
    // However often a plan is made again, the records of one definition are looked at once.
    if (change.force !== true && looked !== plan.before.version)
      refuseChange(entityName, await lookAtChange(deps.store, { orgCode, ...plan }));
    looked = plan.before.version;
    return plan;
  });
  deps.wake();
  const { states, warnings } = planned;
  const { definition } = planned.after;
  const builds = await showBuilds(deps.store, orgCode, { definition, state: states.after });
  return { entityName, api, version, ...builds, ...(warnings.length > 0 ? { warnings } : {}) };
}
