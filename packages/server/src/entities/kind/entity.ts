import { isDeepStrictEqual } from 'node:util';
import { type ApiVersions, newBodies, sameVersions, versionKey } from '../../config/port.ts';
import { closedObjectOf, type JsonSchema } from '../../lib/json-schema.ts';
import { planRetiredRemoval, retiredEntities } from '../../maintenance/port.ts';
import {
  type BodyChange,
  type BodyVersions,
  type Check,
  type ConfigKind,
  type FailingItem,
  type ItemReference,
  type ItemStorage,
  type ItemTarget,
  type KindRecords,
  listed,
  otherName,
  type RecordsPlan,
  type SwitchMoment,
  type SwitchParts,
} from '../../promotion/port.ts';
import {
  actions,
  apiName,
  bodiesOfContent,
  type ConfigBodiesOfEntity,
  compilePatterns,
  contentOfBodies,
  definitionSchemas,
  type EntityContent,
  type EntityState,
  getViews,
  isObject,
  isShownBy,
  lookedUpByContent,
  lookupOf,
  lookupPointer,
  parseEntityContent,
  revivedNames,
  routeNameProblem,
  systemEntityNames,
  viewedActions,
} from '../../schema/port.ts';
import type { Store } from '../../store/port.ts';
import { type EntityStep, type EntityTarget, planMigration } from '../plan-migration.ts';
import {
  type FailingRecords,
  failingEntities,
  fieldsToHide,
  recordsAgainst,
  recordsToHide,
  recordsToLose,
  setAfter,
  type ToldValues,
} from '../stored-records/records-against.ts';
import { describeDefinition, describeViews, widenedEntity } from './describe-entity.ts';

/** Five bodies, one for each config, that have versions of their own. */
const entityStorage: ItemStorage = {
  liveNames: ({ entityNames }) => entityNames,
  liveVersions: (set, { name }) => set.active(name)?.versions,
  bodyKeys: ({ name }, versions) =>
    actions.map((action) => versionKey(apiName(action, name), eachOf(versions)[action])),
  contentOf: (bodies) =>
    contentOfBodies(
      Object.fromEntries(actions.map((action, index) => [action, bodies[index]])) as ConfigBodiesOfEntity,
    ),
  bodyPuts: ({ content, version }, versions) => newBodies(content as EntityContent, eachOf(versions), version),
  versionsAfter,
};

/** What becomes of the records of entities in a switch to other definitions, and what is to be known of it. */
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
  isShownBy: (content, view) => isShownBy(getViews(content), view),
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
    const pointer = `/definition/UpdateParams/${index}${lookupPointer(field)}/entity`;
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
  const standing = before === undefined ? undefined : bodiesOfContent(before as EntityContent);
  const versions = actions.map((action) => {
    const stays = standing !== undefined && live !== undefined && isDeepStrictEqual(standing[action], wanted[action]);
    return [action, stays && typeof live !== 'number' ? live[action] : next];
  });
  return Object.fromEntries(versions) as ApiVersions;
}

async function planRecords(
  parts: SwitchParts,
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
  steps: readonly EntityStep[],
): AsyncGenerator<FailingItem> {
  for await (const { name, problem } of failingEntities(store, moment, steps))
    yield { item: { kind: 'entity', name }, problem };
}

function hiddenWarnings(step: EntityStep): readonly string[] {
  return fieldsToHide(step).map(
    (name) => `entity \`${step.name}\`: field \`${name}\` is hidden, and records keep what they have of it`,
  );
}

function buildChecks({ name, before, state }: EntityStep): readonly Check[] {
  if (before === undefined || state === undefined) return [];
  return [...builtIndexes(name, state), ...filledFields(name, state)];
}

function filledFields(name: string, { fills = [] }: EntityState): readonly Check[] {
  const fields = fills.filter(({ state }) => state === 'filling').map(({ field }) => field);
  if (fields.length === 0) return [];
  const told = fields.map((field) => `\`${field}\``).join(', ');
  const message = `records of production that stand are given values of these fields in the background: ${told}`;
  return [{ kind: 'entity', name, check: 'records', level: 'info', message, fields }];
}

function builtIndexes(name: string, { indexes: all }: EntityState): readonly Check[] {
  const building = all.filter((index) => index.state === 'building');
  if (building.length === 0) return [];
  const indexes = building.map(({ kind, name: index }) => ({ kind, name: index }));
  const told = indexes.map((index) => `${index.kind} \`${index.name}\``).join(', ');
  const message = `indexes are built from the records of production and serve once that is done: ${told}`;
  return [{ kind: 'entity', name, check: 'indexes', level: 'info', message, indexes }];
}

/** In place of what the records have against a changed definition. */
function comparedChecks({ name, before, after, returns }: EntityStep): readonly Check[] {
  if (after === undefined || (before === undefined && !returns)) return [];
  const message = 'what the records of production have against the definition is shown to org admins alone';
  return [{ kind: 'entity', name, check: 'records', level: 'info', message }];
}

async function checkRecords(
  store: Store,
  { orgCode, set }: SwitchMoment,
  steps: readonly EntityStep[],
): Promise<readonly Check[]> {
  const config = setAfter(set, steps);
  const checks: Check[] = [];
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

function failingCheck({ name, returns }: EntityStep, found: FailingRecords): Check {
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

function losingCheck(name: string, { sentence, fields, checked, complete }: ToldValues): Check {
  const message = `fields take values of another making, and the next write of a record drops what it has: ${sentence}`;
  return { kind: 'entity', name, check: 'records', level: 'error', message, would_lose: fields, checked, complete };
}

function revivedChecks({ name, before, after }: EntityStep): readonly Check[] {
  const names = revivedNames(before?.freed ?? [], after?.definition.UpdateParams ?? []).map((one) => `\`${one}\``);
  if (names.length === 0) return [];
  const message = `fields have the names of removed ones, and policies of production that name these apply to them: ${names.join(', ')}`;
  return [{ kind: 'entity', name, check: 'access', level: 'warning', message }];
}

function hiddenCheck(name: string, { sentence, fields, checked, complete }: ToldValues): Check {
  const message = `fields go that production has values of: ${sentence}; they stay, hidden, and come back with the fields`;
  return { kind: 'entity', name, check: 'records', level: 'warning', message, hides: fields, checked, complete };
}
