import { Problem } from '../../lib/problem.ts';
import { actions, apiName } from '../../schema/port.ts';
import type { EntityAdminDeps } from '../admin-deps.ts';
import type { ApiChange, ChangedApi } from './api-change.ts';
import { changeDefinition } from './change-definition.ts';
import { changeViews } from './change-views.ts';

/**
 * Changes one of the five configs: the create config is the definition, the others have views.
 * @throws Problem `not_found`, `version_mismatch`, `validation_failed`, `unknown_field`, `conflict`.
 */
export async function changeApi(deps: EntityAdminDeps, orgCode: string, change: ApiChange): Promise<ChangedApi> {
  const { api } = change;
  const action = actions.find((one) => api.startsWith(apiName(one, '')));
  const entityName = action === undefined ? '' : api.slice(apiName(action, '').length);
  const isKnown = (await deps.configs.refresh(orgCode)).active(entityName) !== undefined;
  if (action === undefined || !isKnown) throw new Problem('not_found', `there is no API \`${api.slice(0, 100)}\``);
  if (action === 'create') return changeDefinition(deps, orgCode, { ...change, entityName });
  return changeViews(deps, orgCode, { ...change, entityName, action });
}
