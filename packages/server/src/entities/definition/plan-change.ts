import { auditEntry } from '../../audit/audit-entry.ts';
import { type ConfigChange, type ConfigSet, itemChanged, newBodies } from '../../config/port.ts';
import { invalidBody } from '../../lib/problem.ts';
import {
  apiName,
  type CompiledEntity,
  contentOfBodies,
  type EntityContent,
  type EntityDefinition,
  type EntityState,
  fieldTypeOf,
  type ParsedDefinition,
  revivedNames,
  rootOf,
  storedNameOf,
  storedNamesOf,
} from '../../schema/port.ts';
import { type EntityAdminDeps, entityAudited, unknownEntity } from '../admin-deps.ts';
import { planMigration } from '../plan-migration.ts';
import { type ApiChange, readConfigBodies, readMembers, requireConfigMatch, shownConfig } from './api-change.ts';
import { unfitViews } from './definition-limits.ts';
import { namedByDefinition, readWithTargets, refuseOrphanedViews, unknownTargets } from './lookup-targets.ts';
import { mergeDefinition } from './merge-definition.ts';
import { overwrittenFields } from './narrowed-fields.ts';

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
  /** Names of removed fields that fields have now. */
  readonly revived: readonly string[];
}

/** The configuration that a change is planned on, and the version that it makes. */
export interface Moment {
  readonly orgCode: string;
  readonly set: ConfigSet;
  readonly next: number;
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
  const standing = contentOfBodies(configs.bodies);
  const stood = await unknownTargets(set, namedByDefinition(standing.definition, standing.views));
  const judge = (merged: unknown, parse: () => ParsedDefinition): Promise<ParsedDefinition> =>
    readWithTargets(set, { named: namedByDefinition(merged, standing.views), stood }, () => fitting(standing, parse));
  const members = readMembers(shown, body);
  const { definition, warnings, removed } = await mergeDefinition(
    before.definition,
    members,
    { ...valuesLeft(before, active.state), version: next },
    judge,
  );
  const content = { ...standing, definition };
  await refuseOrphanedViews(set, { before: standing, after: content });
  const versions = { ...active.versions, create: next };
  const target = {
    name: entityName,
    wanted: { content, versions, erased: removed.flatMap((name) => storedUnder(before, name)) },
  };
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
    states: { before: active.state, after: step.state },
    removed,
    revived: revivedNames(before.freed, definition.UpdateParams),
    lost: [...removed, ...overwrittenFields(before, step.after)],
    warnings: [...warnings, ...changeWarnings({ before: before.definition, after: definition, removed })],
  };
}

/** The names under which records may have values of a field, or of a field that the definition has no more. */
function storedUnder({ fields, stored, hidden }: CompiledEntity, name: string): readonly string[] {
  const root = rootOf(stored.inStore(name));
  const known = fields.get(name)?.definition;
  const left = hidden.map(stored.inStore).filter((one) => rootOf(one) === root);
  return [...new Set([...(known === undefined ? [stored.inStore(name)] : storedNamesOf(known)), ...left])];
}

/** What records may have that the definition does not show. */
function valuesLeft({ hidden, stored }: CompiledEntity, { erasing = [] }: EntityState) {
  return { hidden, names: [...hidden.map(stored.inStore), ...erasing] };
}

/** @throws Problem `validation_failed`, `unknown_field`. */
function fitting({ views }: EntityContent, parse: () => ParsedDefinition): ParsedDefinition {
  const parsed = parse();
  const unfit = unfitViews({ definition: parsed.definition, views });
  if (unfit.length > 0) throw invalidBody(unfit);
  return parsed;
}

/** What a change of a definition does not do to stored records and to policies, though one might expect it to. */
function changeWarnings({
  before,
  after,
  removed,
}: {
  readonly before: EntityDefinition;
  readonly after: EntityDefinition;
  readonly removed: readonly string[];
}): readonly string[] {
  const old = new Map(before.UpdateParams.map((field) => [storedNameOf(field), field]));
  const changed = after.UpdateParams.flatMap((field) => {
    const sentence = fieldTypeOf(field).changeWarning?.(old.get(storedNameOf(field)), field);
    return sentence === undefined ? [] : [`field \`${field.name}\`: ${sentence}`];
  });
  return [...changed, ...removed.map(removalWarning)];
}

function removalWarning(name: string): string {
  return `field \`${name}\`: policies that name it stay, and apply to a later field of this name`;
}
