import { anyOf, type JsonSchema, objectOf, orNull, schemaReference, text } from '../../lib/json-schema.ts';
import { isOfEnvelope } from '../../records/port.ts';
import { type CompiledEntity, fieldNamed, type ViewDefinition, type ViewField } from '../../schema/port.ts';
import { asAlias, fieldSchema, platformFieldSchemas } from './record-fields.ts';
import { type ShowingAction, showingActions, type TypeNames, viewsOf } from './type-names.ts';

/** The name of the schema of what an entity's view shows, where there is such a view. */
export type LookedUp = (entityName: string, view: string) => string | undefined;

/**
 * How the records of an entity are shown, but for the record as it is stored.
 * @param lookedUp undefined where there are too many views to tell what each shows.
 */
export function viewSchemas(
  entity: CompiledEntity,
  names: TypeNames,
  lookedUp: LookedUp | undefined,
): Readonly<Record<string, JsonSchema>> {
  const schemas = showingActions.flatMap((action) =>
    Object.entries(viewsOf(entity, action)).map(([name, view]) => [
      names.views[action].get(name) ?? '',
      lookedUp === undefined ? untold : viewSchema(entity, view, lookedUp),
    ]),
  );
  return Object.fromEntries(schemas.filter(([name]) => name !== names.record));
}

/** What the action answers a record as: by the view `default`, or by another that the caller names. */
export function shownBy(names: TypeNames, action: ShowingAction): readonly JsonSchema[] {
  const { default: usual, ...others } = Object.fromEntries(names.views[action]);
  return [...new Set([usual ?? names.record, ...Object.values(others)])].map(schemaReference);
}

const untold: JsonSchema = {
  type: 'object',
  description: 'By the view of this name; the app has too many views to describe each.',
};

function viewSchema(entity: CompiledEntity, view: ViewDefinition, lookedUp: LookedUp): JsonSchema {
  const members = view.fields.flatMap((field) => {
    const schema = memberSchema(entity, field, lookedUp);
    return schema === undefined ? [] : [{ ...field, as: field.lookup?.as ?? field.as ?? field.name, schema }];
  });
  const optional = members.filter(({ name, lookup }) => lookup !== undefined || !isOfEnvelope(name));
  return objectOf(
    Object.fromEntries(members.map(({ as, schema }) => [as, schema])),
    optional.map(({ as }) => as),
  );
}

/** Undefined for what is not shown: a field that is gone, or that is secret by now. */
function memberSchema(
  entity: CompiledEntity,
  { name, as, cast, lookup }: ViewField,
  lookedUp: LookedUp,
): JsonSchema | undefined {
  const field = fieldNamed(entity, name);
  const schema = field === undefined ? platformFieldSchemas[name] : fieldSchema(field);
  if (schema === undefined || field?.behaviour.isSecret === true) return undefined;
  if (lookup === undefined) {
    const shown = cast === undefined ? schema : castSchemas[cast];
    const isAlias = field !== undefined && field.name !== name && as === undefined;
    return isAlias ? asAlias(shown, field.name) : shown;
  }
  const target = field?.definition.lookup?.entity;
  if (target === undefined) return undefined;
  const shown = lookedUp(target, lookup.view);
  // A record that is not the caller's to get is `null`, and of one that lies too deep the id alone is shown.
  return anyOf([...[shown ?? [], 'RecordId'].flat().map(schemaReference), { type: 'null' }]);
}

const castSchemas: Readonly<Record<NonNullable<ViewField['cast']>, JsonSchema>> = {
  string: text,
  number: orNull({ type: 'number' }),
  integer: orNull({ type: 'integer' }),
  boolean: orNull({ type: 'boolean' }),
};
