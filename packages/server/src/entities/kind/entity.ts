import { isDeepStrictEqual } from 'node:util';
import { systemEntityNames } from '@freehold/contract/system-entities';
import { type ApiVersions, type ConfigSet, versionKey } from '../../config/port.ts';
import { closedObjectOf, type JsonSchema } from '../../lib/json-schema.ts';
import { Problem } from '../../lib/problem.ts';
import { isObject } from '../../lib/unknown-names.ts';
import {
  type BodyChange,
  type BodyVersions,
  type ConfigKind,
  type DeployCheck,
  type FailingItem,
  type ItemReference,
  type ItemStorage,
  type ItemTarget,
  type KindRecords,
  listed,
  type MigrationDeps,
  otherName,
  type RecordsPlan,
  type SwitchMoment,
} from '../../promotion/port.ts';
import { planRetiredRemoval, retiredEntities } from '../../records/port.ts';
import {
  actions,
  apiName,
  bodiesOfContent,
  type CompiledEntity,
  compilePatterns,
  contentOfBodies,
  definitionSchemas,
  type EntityContent,
  type EntityState,
  hiddenFields,
  isLookupList,
  isShownBy,
  lookedUpByContent,
  lookupOf,
  narrowing,
  overwrittenFields,
  parseEntityContent,
  revivedNames,
  routeNameProblem,
  viewedActions,
} from '../../schema/port.ts';
import type { Store } from '../../store/port.ts';
import { newBodies, sameVersions } from '../entity-rows.ts';
import { type EntityTarget, type MigrationStep, planMigration } from '../plan-migration.ts';
import {
  type FailingRecords,
  failingRecords,
  type HeldValues,
  heldSentence,
  heldValues,
  isHeld,
  lookAtChange,
  refuseChange,
} from '../stored-records/records-of-change.ts';
import { describeDefinition, describeViews, widenedEntity } from './describe-entity.ts';

/** Five bodies, one for each config, that have versions of their own. */
const entityStorage: ItemStorage = {
  liveNames: ({ entityNames }) => entityNames,
  liveVersions: (set, { name }) => set.active(name)?.versions,
  bodyKeys: ({ name }, versions) =>
    actions.map((action) => versionKey(apiName(action, name), eachOf(versions)[action])),
  contentOf: (bodies) =>
    contentOfBodies(
      Object.fromEntries(actions.map((action, index) => [action, bodies[index]])) as Parameters<
        typeof contentOfBodies
      >[0],
    ),
  bodyPuts: ({ content, version }, versions) => newBodies(content as EntityContent, eachOf(versions), version),
  versionsAfter,
};

/** The outcome of the records of entities in a switch to other definitions, and what is to be known of it. */
const entityRecords: KindRecords = {
  plan: planRecords,
  retired: retiredEntities,
  planRetiredRemoval,
};

/** The five configs of an entity, which move together. */
export const entityKind: ConfigKind<EntityContent> = {
  kind: 'entity',
  storage: entityStorage,
  records: entityRecords,
  singular: 'entity',
  schema: entitySchema(),
  prepare: (input) => compilePatterns(isObject(input) ? input.definition : undefined),
  parse: (name, input) => {
    const parsed = parseEntityContent(input);
    if ('errors' in parsed) return parsed;
    const errors = otherName('/definition/entityName', name, parsed.content.definition.entityName);
    return errors.length > 0 ? { errors } : parsed;
  },
  newNameErrors: (name) => {
    const message = routeNameProblem(name);
    return message === undefined ? [] : [{ pointer: '/definition/entityName', code: 'invalid_name', message }];
  },
  references: (content) => [...lookedUp(content), ...shownByViews(content)],
  isShownBy: (content, view) => isShownBy(content.views.get ?? content.definition.Views, view),
  isBuiltInShownBy: (name, view) => (systemEntityNames.includes(name) ? isShownBy({}, view) : undefined),
  describe: ({ before, after }) => {
    if (before === undefined) return after === undefined ? [] : [newEntity(after)];
    if (after === undefined)
      return [
        `entity \`${before.definition.entityName}\` is taken out: its routes are gone, its records are served no more`,
      ];
    return [
      ...describeDefinition(before.definition, after.definition),
      ...viewedActions.flatMap((action) =>
        describeViews(` of \`${action}\``, { before: before.views[action], after: after.views[action] }),
      ),
    ];
  },
  widening: ({ before, after }) => (before === undefined || after === undefined ? [] : widenedEntity(before, after)),
};

function lookedUp({ definition: { entityName, UpdateParams } }: EntityContent): readonly ItemReference[] {
  return UpdateParams.flatMap((field, index) => {
    const lookup = lookupOf(field);
    // An entity may look up itself.
    if (lookup === undefined || lookup.entity === entityName) return [];
    const pointer = `/definition/UpdateParams/${index}${isLookupList(field) ? '/items' : ''}/lookup/entity`;
    return entityReference(lookup.entity, pointer, `looks it up in the field \`${field.name}\``);
  });
}

function shownByViews(content: EntityContent): readonly ItemReference[] {
  return lookedUpByContent(content).map(({ pointer, field, entity: name, view }) => ({
    kind: 'entity',
    name,
    pointer,
    view,
    reason: `shows it by the view \`${view}\` at the field \`${field}\``,
  }));
}

function newEntity({ definition: { entityName, UpdateParams } }: EntityContent): string {
  const start = `entity \`${entityName}\` is new`;
  if (UpdateParams.length === 0) return `${start}, without fields`;
  return `${start}, with the fields ${listed(UpdateParams.map(({ name }) => name))}`;
}

function entitySchema(): JsonSchema {
  const { EntityDefinition, ...others } = definitionSchemas((name) => ({ $ref: `#/$defs/${name}` }));
  const views = Object.fromEntries(viewedActions.map((action) => [action, { $ref: '#/$defs/Views' }]));
  const schema = closedObjectOf({ definition: EntityDefinition, views: closedObjectOf(views, [...viewedActions]) }, [
    'views',
  ]);
  return { ...schema, $defs: others };
}

/** The entity that is named, where it is the builder's own: those of access control are in every org. */
export function entityReference(name: string, pointer: string, reason: string): readonly ItemReference[] {
  return systemEntityNames.includes(name) ? [] : [{ kind: 'entity', name, pointer, reason }];
}

function eachOf(versions: BodyVersions): ApiVersions {
  return typeof versions === 'number' ? sameVersions(versions) : versions;
}

function versionsAfter({ before, after, live, next }: BodyChange): ApiVersions {
  const wanted = bodiesOfContent(after as EntityContent);
  const current = before === undefined ? undefined : bodiesOfContent(before as EntityContent);
  const versions = actions.map((action) => {
    const stays = current !== undefined && live !== undefined && isDeepStrictEqual(current[action], wanted[action]);
    return [action, stays && typeof live !== 'number' ? live[action] : next];
  });
  return Object.fromEntries(versions) as ApiVersions;
}

async function planRecords(
  parts: MigrationDeps,
  moment: SwitchMoment,
  targets: readonly ItemTarget[],
): Promise<RecordsPlan> {
  const { steps, changes } = await planMigration(parts, moment, targets.map(entityTarget));
  const { store } = parts;
  return {
    changes,
    from: steps.map(({ before }) => before?.version ?? 0),
    warnings: steps.flatMap(hiddenWarnings),
    checks: steps.flatMap(buildChecks),
    checksWithoutRecords: [...steps.flatMap(comparedChecks), ...steps.flatMap(revivedChecks)],
    checkRecords: () => checkRecords(store, moment, steps),
    failing: () => failingItems(store, moment, steps),
    setAfter: (set) => setAfter(set, steps),
  };
}

function entityTarget({ name, wanted }: ItemTarget): EntityTarget {
  if (wanted === undefined) return { name, wanted };
  const { content, versions } = wanted;
  const each = typeof versions === 'number' ? sameVersions(versions) : versions;
  return { name, wanted: { content: content as EntityContent, versions: each } };
}

async function* failingItems(
  store: Store,
  moment: SwitchMoment,
  steps: readonly MigrationStep[],
): AsyncGenerator<FailingItem> {
  for await (const { name, problem } of failingEntities(store, moment, steps))
    yield { item: { kind: 'entity', name }, problem };
}

function hiddenWarnings(step: MigrationStep): readonly string[] {
  return fieldsToHide(step).map(
    (name) => `entity \`${step.name}\`: field \`${name}\` is hidden, and records keep what they have of it`,
  );
}

function buildChecks({ name, before, state }: MigrationStep): readonly DeployCheck[] {
  if (before === undefined || state === undefined) return [];
  return [...builtIndexes(name, state), ...filledFields(name, state)];
}

function filledFields(name: string, { fills = [] }: EntityState): readonly DeployCheck[] {
  const fields = fills.filter(({ state }) => state === 'filling').map(({ field }) => field);
  if (fields.length === 0) return [];
  const listed = fields.map((field) => `\`${field}\``).join(', ');
  const message = `records of production that stand are given values of these fields in the background: ${listed}`;
  return [{ kind: 'entity', name, check: 'records', level: 'info', message, fields }];
}

function builtIndexes(name: string, { indexes: all }: EntityState): readonly DeployCheck[] {
  const building = all.filter((index) => index.state === 'building');
  if (building.length === 0) return [];
  const indexes = building.map(({ kind, name: index }) => ({ kind, name: index }));
  const listed = indexes.map((index) => `${index.kind} \`${index.name}\``).join(', ');
  const message = `indexes are built from the records of production and serve once that is done: ${listed}`;
  return [{ kind: 'entity', name, check: 'indexes', level: 'info', message, indexes }];
}

/** In place of what the records have against a changed definition. */
function comparedChecks({ name, before, after, returns }: MigrationStep): readonly DeployCheck[] {
  if (after === undefined || (before === undefined && !returns)) return [];
  const message = 'what the records of production have against the definition is shown to org admins alone';
  return [{ kind: 'entity', name, check: 'records', level: 'info', message }];
}

async function checkRecords(
  store: Store,
  { orgCode, set }: SwitchMoment,
  steps: readonly MigrationStep[],
): Promise<readonly DeployCheck[]> {
  const config = setAfter(set, steps);
  const checks: DeployCheck[] = [];
  for (const step of steps) {
    const hidden = await recordsToHide(store, orgCode, step);
    if (hidden !== undefined) checks.push(hiddenCheck(step.name, hidden));
    const lost = await recordsToLose(store, orgCode, step);
    if (lost !== undefined) checks.push(losingCheck(step.name, lost));
    checks.push(...revivedChecks(step));
    const found = await recordsAgainst(store, { orgCode, config }, step);
    if (found !== undefined) checks.push(failingCheck(step, found));
  }
  return checks;
}

function failingCheck({ name, returns }: MigrationStep, found: FailingRecords): DeployCheck {
  const { would_fail, checked, complete } = found;
  const some = complete
    ? `all ${checked} records of production`
    : `the first ${checked} records of production, which are not all`;
  const reason = returns
    ? 'the entity comes back to records that were kept'
    : 'the definition is stricter than the previous one';
  const message = `${reason}: of ${some}, ${would_fail} would fail`;
  const level = would_fail === 0 && complete ? 'info' : 'error';
  return { kind: 'entity', name, check: 'records', level, message, ...found };
}

function losingCheck(name: string, { sentence, fields, checked, complete }: ReportedValues): DeployCheck {
  const message = `fields take values of another making, and the next write of a record drops what it has: ${sentence}`;
  return { kind: 'entity', name, check: 'records', level: 'error', message, would_lose: fields, checked, complete };
}

function revivedChecks({ name, before, after }: MigrationStep): readonly DeployCheck[] {
  const names = revivedNames(before?.freed ?? [], after?.definition.UpdateParams ?? []).map((one) => `\`${one}\``);
  if (names.length === 0) return [];
  const message = `fields have the names of removed ones, and policies of production that name these apply to them: ${names.join(', ')}`;
  return [{ kind: 'entity', name, check: 'access', level: 'warning', message }];
}

function hiddenCheck(name: string, { sentence, fields, checked, complete }: ReportedValues): DeployCheck {
  const message = `fields go that production has values of: ${sentence}; they stay, hidden, and come back with the fields`;
  return { kind: 'entity', name, check: 'records', level: 'warning', message, hides: fields, checked, complete };
}

/** The objections of the records of an entity to its next definition; undefined where they cannot have anything. */
async function recordsAgainst(
  store: Store,
  { orgCode, config }: { readonly orgCode: string; readonly config: ConfigSet },
  { before, after, returns }: MigrationStep,
): Promise<FailingRecords | undefined> {
  if (before === undefined || after === undefined) return undefined;
  const { fields: narrowed, checks } = narrowing(before, after);
  const fields = [...new Set([...narrowed, ...(returns ? lookupFields(after) : [])])];
  if (fields.length + checks.length === 0) return undefined;
  return failingRecords(store, { orgCode, config, entity: after, fields, checks });
}

/** The fields that records may have and that are hidden once the step is made. */
function fieldsToHide({ before, after }: MigrationStep): readonly string[] {
  if (before === undefined || after === undefined) return [];
  return hiddenFields(before, after);
}

/** The number of records with values of fields that the step hides; undefined where none may have. */
async function recordsToHide(store: Store, orgCode: string, step: MigrationStep): Promise<ReportedValues | undefined> {
  return step.before === undefined ? undefined : notified(store, orgCode, step.before, fieldsToHide(step));
}

/** Counts records with values that the step loses as fields change their type; undefined where none may have. */
async function recordsToLose(
  store: Store,
  orgCode: string,
  { before, after }: MigrationStep,
): Promise<ReportedValues | undefined> {
  if (before === undefined || after === undefined) return undefined;
  return notified(store, orgCode, before, overwrittenFields(before, after));
}

async function notified(
  store: Store,
  orgCode: string,
  entity: CompiledEntity,
  names: readonly string[],
): Promise<ReportedValues | undefined> {
  if (names.length === 0) return undefined;
  const held = await heldValues(store, { orgCode, entity, names });
  if (held === undefined || !isHeld(held)) return undefined;
  return { ...held, sentence: heldSentence(held) };
}

interface ReportedValues extends HeldValues {
  readonly sentence: string;
}

/** While the entity was not served, nothing protected the records that its own refer to. */
function lookupFields({ fields }: CompiledEntity): readonly string[] {
  return [...fields.values()].flatMap(({ name, definition }) => (lookupOf(definition) === undefined ? [] : [name]));
}

/** The configuration as it will be: for who looks at what is stored before the switch. */
function setAfter(set: ConfigSet, steps: readonly MigrationStep[]): ConfigSet {
  const after = new Map(steps.map((step) => [step.name, step.after]));
  return { ...set, entity: async (name) => (after.has(name) ? after.get(name) : set.entity(name)) };
}

interface FailingEntity {
  readonly name: string;
  readonly problem: Problem;
}

/** Every entity whose records contradict what is to come, or lose values, or cannot all be looked at, with how that is refused. */
async function* failingEntities(
  store: Store,
  { orgCode, set }: { readonly orgCode: string; readonly set: ConfigSet },
  steps: readonly MigrationStep[],
): AsyncGenerator<FailingEntity> {
  const config = setAfter(set, steps);
  for (const { name, before, after } of steps) {
    if (before === undefined || after === undefined) continue;
    try {
      const change = { orgCode, config, before, after, lost: overwrittenFields(before, after) };
      refuseChange(name, await lookAtChange(store, change));
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      yield { name, problem };
    }
  }
}
