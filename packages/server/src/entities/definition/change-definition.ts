import { changeConfig } from '../../config/port.ts';
import { apiName } from '../../schema/port.ts';
import type { EntityAdminDeps } from '../admin-deps.ts';
import { showBuilds } from '../showing/show-builds.ts';
import { lookAtChange, refuseChange } from '../stored-records/records-of-change.ts';
import type { ChangedApi } from './api-change.ts';
import { type DefinitionChange, planChange } from './plan-change.ts';

/** Merges what is sent into the definition of an entity that may have records. */
export async function changeDefinition(
  deps: EntityAdminDeps,
  orgCode: string,
  change: DefinitionChange,
): Promise<ChangedApi> {
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
