import { closedObjectOf, type JsonSchema } from '../../lib/json-schema.ts';
import { type ConfigKind, type ItemReference, listed, otherName } from '../../promotion/port.ts';
import {
  compilePatterns,
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
import { describeDefinition } from './describe-definition.ts';
import { describeViews } from './describe-views.ts';
import { entityRecords } from './entity-records.ts';
import { entityStorage } from './entity-storage.ts';
import { widenedEntity } from './widened-entity.ts';

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
