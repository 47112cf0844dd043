import { auditEntry } from '../../audit/audit-entry.ts';
import type { ConfigSet } from '../../config/port.ts';
import { type ConfigChange, changeConfig, itemChanged, newBodies } from '../../config/port.ts';
import { invalidBody } from '../../lib/problem.ts';
import type { CompiledEntity, EntityState, ParsedDefinition } from '../../schema/port.ts';
import { apiName, contentOfBodies, type EntityContent } from '../../schema/port.ts';
import type { EntityAdminDeps } from '../admin-deps.ts';
import { readConfigBodies, shownConfig } from '../config-bodies.ts';
import { entityAudited } from '../entity-audited.ts';
import { planMigration } from '../plan-migration.ts';
import { showIndexes } from '../showing/show-indexes.ts';
import { refuseHeld } from '../stored-records/held-values.ts';
import { refuseFailing } from '../stored-records/refuse-failing.ts';
import { unknownEntity } from '../unknown-entity.ts';
import { type ApiChange, type ChangedApi, readMembers, requireConfigMatch } from './api-change.ts';
import { changeWarnings } from './change-warnings.ts';
import { unfitViews } from './definition-limits.ts';
import { namedByDefinition, readWithTargets, refuseOrphanedViews, unknownTargets } from './lookup-targets.ts';
import { mergeDefinition } from './merge-definition.ts';

export interface DefinitionChange extends ApiChange {
  readonly entityName: string;
}

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
    if (change.force !== true && looked !== plan.before.version) {
      await refuseFailing(deps.store, { orgCode, ...plan });
      await refuseHeld(deps.store, { orgCode, entity: plan.before, names: plan.removed });
    }
    looked = plan.before.version;
    return plan;
  });
  deps.wake();
  const { state, warnings } = planned;
  const indexes = await showIndexes(deps.store, orgCode, { entityName, state });
  return { entityName, api, version, indexes, ...(warnings.length > 0 ? { warnings } : {}) };
}

interface ChangePlan extends ConfigChange {
  readonly before: CompiledEntity;
  readonly after: CompiledEntity;
  readonly config: ConfigSet;
  readonly state: EntityState;
  readonly warnings: readonly string[];
  readonly removed: readonly string[];
}

interface Moment {
  readonly orgCode: string;
  readonly set: ConfigSet;
  readonly next: number;
}

async function planChange(
  deps: EntityAdminDeps,
  { orgCode, set, next }: Moment,
  { entityName, body, ...preconditions }: DefinitionChange,
): Promise<ChangePlan> {
  const active = set.active(entityName);
  const before = await set.entity(entityName);
  if (active === undefined || before === undefined) throw unknownEntity(entityName);
  const configs = await readConfigBodies(deps.store, orgCode, { entityName, active });
  const shown = shownConfig(configs, 'create');
  requireConfigMatch(shown, preconditions);
  const standing = contentOfBodies(configs.bodies);
  const stood = await unknownTargets(set, namedByDefinition(standing.definition, standing.views));
  const judge = (merged: unknown, parse: () => ParsedDefinition): Promise<ParsedDefinition> =>
    readWithTargets(set, { named: namedByDefinition(merged, standing.views), stood }, () => fitting(standing, parse));
  const members = readMembers(shown, body);
  const { definition, warnings, removed } = await mergeDefinition(before.definition, members, before.hidden, judge);
  const content = { ...standing, definition };
  await refuseOrphanedViews(set, { before: standing, after: content });
  const versions = { ...active.versions, create: next };
  const target = { name: entityName, wanted: { content, versions, erased: removed } };
  const { steps, changes } = await planMigration(deps, { orgCode, set, next, keepsRecords: false }, [target]);
  const [step] = steps;
  if (step?.after === undefined || step.state === undefined)
    throw new TypeError('a change of an entity is a step of it');
  const changed = { version: next, action: 'changed', configs: versions } as const;
  const api = apiName('create', entityName);
  return {
    changes: [
      ...newBodies(content, versions, next),
      ...changes,
      itemChanged({ kind: 'entity', name: entityName }, deps.auditContext, changed),
      auditEntry(deps.auditContext, entityAudited('entity.changed', entityName, { api, version: next })),
    ],
    before,
    after: step.after,
    config: set,
    state: step.state,
    removed,
    warnings: [...warnings, ...changeWarnings({ before: before.definition, after: definition })],
  };
}

/** @throws Problem `validation_failed`, `unknown_field`. */
function fitting({ views }: EntityContent, parse: () => ParsedDefinition): ParsedDefinition {
  const parsed = parse();
  const unfit = unfitViews({ definition: parsed.definition, views });
  if (unfit.length > 0) throw invalidBody(unfit);
  return parsed;
}
