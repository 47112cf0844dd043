import type { ConfigChange, ConfigSet } from '../../config/port.ts';
import { invalidBody } from '../../lib/problem.ts';
import {
  apiName,
  type CompiledEntity,
  contentOfBodies,
  type EntityContent,
  type EntityState,
  mergeDefinition,
  overwrittenFields,
  type parseNewDefinition,
  revivedNames,
  unfitViews,
} from '../../schema/port.ts';
import { type EntityAdminDeps, type Moment, migrateEntity, unknownEntity } from '../plan-migration.ts';
import { type ApiChange, readConfigBodies, readMembers, requireConfigMatch, shownConfig } from './api-change.ts';
import { namedByDefinition, readWithTargets, refuseOrphanedViews, unknownTargets } from './lookup-targets.ts';

type ParsedDefinition = ReturnType<typeof parseNewDefinition>;

export interface DefinitionChange extends ApiChange {
  readonly entityName: string;
}

interface ChangePlan extends ConfigChange {
  readonly before: CompiledEntity;
  readonly after: CompiledEntity;
  readonly config: ConfigSet;
  readonly states: { readonly before: EntityState; readonly after: EntityState };
  readonly warnings: readonly string[];
  readonly removed: readonly string[];
  /** The fields whose stored values go: those that are removed, and those that take values of another making. */
  readonly lost: readonly string[];
  readonly revived: readonly string[];
}

/**
 * Plans a change of a definition, and commits nothing: what is made and what is only shown comes from here.
 * @throws Problem `not_found`, `version_mismatch`, `validation_failed`, `unknown_field`, and what `planMigration` throws.
 */
export async function planChange(
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
  const current = contentOfBodies(configs.bodies);
  const previous = await unknownTargets(set, namedByDefinition(current.definition, current.views));
  const judge = (merged: unknown, parse: () => ParsedDefinition): Promise<ParsedDefinition> =>
    readWithTargets(set, { named: namedByDefinition(merged, current.views), previous }, () => fitting(current, parse));
  const members = readMembers(shown, body);
  const change = { version: next, erasing: active.state.erasing };
  const { definition, warnings, removed, erased } = await mergeDefinition(before, members, change, judge);
  const content = { ...current, definition };
  await refuseOrphanedViews(set, { before: current, after: content });
  const versions = { ...active.versions, create: next };
  const target = { name: entityName, wanted: { content, versions, erased } };
  const changed = { action: 'changed', api: apiName('create', entityName) } as const;
  const { steps, changes } = await migrateEntity(deps, { orgCode, set, next }, target, changed);
  const [step] = steps;
  if (step?.after === undefined || step.state === undefined)
    throw new TypeError('a change of an entity is a step of it');
  return {
    changes,
    before,
    after: step.after,
    config: set,
    states: { before: active.state, after: step.state },
    removed,
    revived: revivedNames(before.freed, definition.UpdateParams),
    lost: [...removed, ...overwrittenFields(before, step.after)],
    warnings,
  };
}

/** @throws Problem `validation_failed`, `unknown_field`. */
function fitting({ views }: EntityContent, parse: () => ParsedDefinition): ParsedDefinition {
  const parsed = parse();
  const unfit = unfitViews({ definition: parsed.definition, views });
  if (unfit.length > 0) throw invalidBody(unfit);
  return parsed;
}
