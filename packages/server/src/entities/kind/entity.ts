import { isDeepStrictEqual } from 'node:util';
import { type ApiVersions, newBodies, sameVersions, versionKey } from '../../config/port.ts';
import { closedObjectOf, type JsonSchema } from '../../lib/json-schema.ts';
import {
  type BodyChange,
  type BodyVersions,
  type ConfigKind,
  type ItemReference,
  type ItemStorage,
  listed,
  otherName,
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
  getViews,
  isObject,
  isShownBy,
  lookedUpByContent,
  lookupOf,
  lookupPointer,
  parseEntityContent,
  routeNameProblem,
  systemEntityNames,
  viewedActions,
} from '../../schema/port.ts';
import { describeDefinition, describeViews, widenedEntity } from './describe-entity.ts';
import { entityRecords } from './entity-records.ts';

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
