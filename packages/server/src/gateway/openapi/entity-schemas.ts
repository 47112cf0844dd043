import {
  AggregatePage,
  Explanation,
  Facets,
  ImportProgress,
  ImportResult,
  RecordCount,
  RecordId,
} from '@freehold/contract/app/records';
import { uncreatedEntityNames } from '@freehold/contract/system-entities';
import {
  anyOf,
  arrayOf,
  closedObjectOf,
  type JsonSchema,
  objectOf,
  orNull,
  schemaReference,
  text,
} from '../../lib/json-schema.ts';
import { isOfEnvelope } from '../../records/port.ts';
import {
  apiNamesOf,
  type CompiledEntity,
  type CompiledField,
  fieldNamed,
  isOwnedByCaller,
  isPlatformMade,
} from '../../schema/port.ts';
import { namedSchemas } from './described-operations.ts';
import { facetsPartial, partial, partialReason, total } from './list-parameters.ts';
import {
  type DocumentedExpansion,
  type DocumentedView,
  expandSchema,
  fieldSchema,
  platformFieldSchemas,
  type ShownViews,
  shownBy,
  underEachName,
  viewSchemas,
} from './view-schemas.ts';

/** An entity as a document tells it. */
export interface DocumentedEntity extends DocumentedView {
  readonly expansions: () => readonly DocumentedExpansion[];
}

/** Schemas that the operations of all entities share. */
export const recordSchemas = namedSchemas([
  RecordId,
  Explanation,
  RecordCount,
  AggregatePage,
  Facets,
  ImportResult,
  ImportProgress,
]);

/** The requests and replies of an entity's operations. */
export function entitySchemas(documented: DocumentedEntity, views: ShownViews): Readonly<Record<string, JsonSchema>> {
  const { entity, names, expansions } = documented;
  const expanded = expansions();
  const expand = expanded.length === 0 ? undefined : { [names.expand]: expandSchema(expanded) };
  const shown: Readonly<Record<string, JsonSchema>> = {
    ...(views.has(names.record) ? { [names.record]: recordSchema(entity) } : {}),
    ...viewSchemas(documented, views),
  };
  return {
    ...(expand === undefined ? shown : expandable(entity, shown, names.expand)),
    ...expand,
    ...(uncreatedEntityNames.includes(entity.name) ? {} : { [names.create]: createSchema(entity) }),
    [names.update]: updateSchema(entity),
    [names.page]: pageSchema(documented),
  };
}

function pageSchema(documented: DocumentedEntity): JsonSchema {
  const items = arrayOf(shownBy(documented, 'list'));
  const explain = schemaReference('Explanation');
  const optional = {
    partial,
    partial_reason: partialReason,
    total,
    facets: schemaReference('Facets'),
    facets_partial: facetsPartial,
    explain,
  };
  return objectOf({ items, nexttoken: orNull(text), ...optional }, Object.keys(optional));
}

/** Schemas of records, each with the member that holds what the record is expanded by. */
function expandable(
  entity: CompiledEntity,
  schemas: Readonly<Record<string, JsonSchema>>,
  expand: string,
): Readonly<Record<string, JsonSchema>> {
  const members = Object.entries(schemas).map(([name, schema]) => {
    const { properties = {} } = schema as { readonly properties?: Readonly<Record<string, JsonSchema>> };
    const member = fieldNamed(entity, 'expand') !== undefined || 'expand' in properties ? '$expand' : 'expand';
    return [name, { ...schema, properties: { ...properties, [member]: schemaReference(expand) } }];
  });
  return Object.fromEntries(members);
}

/** A record may lack any field: it may be of an earlier definition, or be shown to one who may not see all. */
function recordSchema(entity: CompiledEntity): JsonSchema {
  const shown = fieldsOf(entity, ({ behaviour }) => behaviour.isSecret !== true);
  const own = Object.fromEntries(
    shown.flatMap((field) => {
      const schema = fieldSchema(field);
      return underEachName(field, isPlatformMade(field.behaviour) ? readOnly(schema) : schema);
    }),
  );
  const platform = Object.fromEntries(
    Object.entries(platformFieldSchemas).map(([name, schema]) => [name, readOnly(schema)]),
  );
  const all: Readonly<Record<string, JsonSchema>> = { ...own, ...platform };
  return objectOf(
    all,
    Object.keys(all).filter((name) => !isOfEnvelope(name)),
  );
}

function createSchema(entity: CompiledEntity): JsonSchema {
  const sent = fieldsOf(entity, (field) => !isPlatformMade(field.behaviour));
  const properties = Object.fromEntries(
    sent.flatMap((field) => underEachName(field, withDefault(field, sendable(field)))),
  );
  const needed = sent.filter((field) => isNeeded(entity, field)).map(({ definition }) => apiNamesOf(definition));
  const always = needed.filter(([, alias]) => alias === undefined).flat();
  const schema = closedObjectOf(
    properties,
    Object.keys(properties).filter((name) => !always.includes(name)),
  );
  const byAnyName = needed.filter(([, alias]) => alias !== undefined);
  if (byAnyName.length === 0) return schema;
  return { ...schema, allOf: byAnyName.map((names) => anyOf(names.map((name) => objectOf({ [name]: {} })))) };
}

/** Whether a create without a value of the field is refused. */
export function isNeeded(entity: CompiledEntity, field: CompiledField): boolean {
  return field.required && !isFilled(entity, field);
}

/** Values of the platform may be sent unchanged, so that a record can be read, edited and put back. */
function updateSchema(entity: CompiledEntity): JsonSchema {
  const own = fieldsOf(entity, () => true).flatMap((field) => underEachName(field, sendable(field)));
  const properties: Readonly<Record<string, JsonSchema>> = { ...Object.fromEntries(own), ...platformFieldSchemas };
  return closedObjectOf(properties, Object.keys(properties));
}

function fieldsOf(entity: CompiledEntity, holds: (field: CompiledField) => boolean): readonly CompiledField[] {
  return [...entity.fields.values()].filter(holds);
}

/** Whether a new record gets a value where none is sent: its default, or its creator as the owner. */
function isFilled(entity: CompiledEntity, { name, definition }: CompiledField): boolean {
  return definition.default !== undefined || isOwnedByCaller(entity.definition, name);
}

/** The schema for a sent value: `null` means no value, which fields may have that are not required. */
function sendable(field: CompiledField): JsonSchema {
  const schema = field.required || isPlatformMade(field.behaviour) ? fieldSchema(field) : orNull(fieldSchema(field));
  return field.behaviour.isSecret === true ? { ...schema, writeOnly: true } : schema;
}

function readOnly(schema: JsonSchema): JsonSchema {
  return { ...schema, readOnly: true };
}

/** In words: generators of clients take what has a `default` for a member that is always there. */
function withDefault({ definition }: CompiledField, schema: JsonSchema): JsonSchema {
  if (definition.default === undefined) return schema;
  const sentence = `Left out, \`${JSON.stringify(definition.default)}\`.`;
  return { ...schema, description: [schema.description ?? [], sentence].flat().join(' ') };
}
