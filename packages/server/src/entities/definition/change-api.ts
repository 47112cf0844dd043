import { Problem } from '../../lib/problem.ts';
import { actions, apiName } from '../../schema/port.ts';
import type { EntityAdminDeps } from '../admin-deps.ts';
import type { ApiChange, ChangedApi } from './api-change.ts';
import { changeDefinition } from './change-definition.ts';
import { changeViews, previewViews } from './change-views.ts';
import { type ChangePreview, previewDefinition } from './preview-change.ts';

/**
 * Changes one of the five configs: the create config is the definition, the others have views.
 * @throws Problem `not_found`, `version_mismatch`, `validation_failed`, `unknown_field`, `conflict`.
 */
export async function changeApi(deps: EntityAdminDeps, orgCode: string, change: ApiChange): Promise<ChangedApi> {
  const { action, entityName } = await configOf(deps, orgCode, change.api);
  if (action === 'create') return changeDefinition(deps, orgCode, { ...change, entityName });
  return changeViews(deps, orgCode, { ...change, entityName, action });
}

/** What `changeApi` would do, of which nothing is done. @throws Problem as `changeApi`, but for what records say. */
export async function previewApi(deps: EntityAdminDeps, orgCode: string, change: ApiChange): Promise<ChangePreview> {
  const { action, entityName } = await configOf(deps, orgCode, change.api);
  if (action === 'create') return previewDefinition(deps, orgCode, { ...change, entityName });
  return previewViews(deps, orgCode, { ...change, entityName, action });
}

async function configOf(deps: EntityAdminDeps, orgCode: string, api: string) {
  const action = actions.find((one) => api.startsWith(apiName(one, '')));
  const entityName = action === undefined ? '' : api.slice(apiName(action, '').length);
  const isKnown = (await deps.configs.refresh(orgCode)).active(entityName) !== undefined;
  if (action === undefined || !isKnown) throw new Problem('not_found', `there is no API \`${api.slice(0, 100)}\``);
  return { action, entityName };
}
