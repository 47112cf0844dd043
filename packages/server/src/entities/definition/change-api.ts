import { type ConfigSet, changeConfig, definitions } from '../../config/port.ts';
import { invalidBody, Problem } from '../../lib/problem.ts';
import { isObject } from '../../lib/unknown-names.ts';
import { actions, apiName } from '../../schema/port.ts';
import type { Store } from '../../store/port.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import type { EntityAdminDeps } from '../plan-migration.ts';
import { showBuilds } from '../showing/show-builds.ts';
import { lookAtChange, refuseChange } from '../stored-records/records-of-change.ts';
import type { ApiChange, ChangedApi } from './api-change.ts';
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

/** The effect of `changeApi`, of which nothing is done. @throws Problem as `changeApi`, but for what records say. */
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

/**
 * The body of a create with the name that it was called under. The generated name says nothing, so that what a file
 * says stays.
 * @throws Problem `validation_failed` where the body says another name.
 */
export function underApiName(api: string, body: unknown): unknown {
  if (!isObject(body) || api === apiName('create', String(body.entityName))) return body;
  const { apiname = api, ...members } = body;
  if (apiname !== api) {
    const message = '`apiname` is not the name that the path has';
    throw invalidBody([{ pointer: '/apiname', code: 'contradiction', message }]);
  }
  return { ...members, apiname };
}

interface NamedChange {
  readonly orgCode: string;
  readonly set: ConfigSet;
  readonly api: string;
  readonly body: unknown;
}

const namedMax = 10;

/**
 * The entity that was created under a name; where several were, the body names it.
 * @throws Problem `not_found`, and `conflict` where there are several and the body names none of them.
 */
async function createdUnder(store: Store, { orgCode, set, api, body }: NamedChange): Promise<string> {
  const scope = store.scope(orgScopeName(orgCode));
  const found: string[] = [];
  // One by one: all definitions of an org together may have 32 MB.
  for (const entityName of set.entityNames) {
    const version = set.active(entityName)?.versions.create ?? 0;
    const row = await definitions.read(scope, { entityName, version });
    if (row?.value.apiname === api) found.push(entityName);
  }
  const [first] = found;
  if (first === undefined) throw new Problem('not_found', `there is no API \`${api.slice(0, 100)}\``);
  if (found.length === 1) return first;
  const requested = isObject(body) ? found.find((name) => name === body.entityName) : undefined;
  if (requested !== undefined) return requested;
  const named = found.slice(0, namedMax).map((name) => `\`${name}\``);
  const message = `${found.length} entities were created under \`${api}\`: say by \`entityName\` which one is meant, such as ${named.join(' or ')}`;
  throw new Problem('conflict', message);
}
