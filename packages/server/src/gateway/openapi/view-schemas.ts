import {
  anyOf,
  arrayOf,
  guid,
  type JsonSchema,
  objectOf,
  orNull,
  schemaReference,
  text,
  time,
} from '../../lib/json-schema.ts';
import { pausesBetween } from '../../lib/scheduling/event-loop.ts';
import { backwardName, isOfEnvelope } from '../../records/port.ts';
import {
  apiNamesOf,
  type CompiledEntity,
  type CompiledField,
  fieldNamed,
  isLookupList,
  lookupOf,
  type ViewField,
} from '../../schema/port.ts';
import { nameOf, partial, partialReason } from './list-parameters.ts';
import { type Parameter, queryParameter } from './operation.ts';
import { type ShowingAction, showingActions, type TypeNames, viewOf, viewsOf } from './type-names.ts';

/** The fields that the platform sets on every record. */
export const platformFieldSchemas: Readonly<Record<string, JsonSchema>> = {
  id: guid,
  created_at: time,
  updated_at: time,
  created_by: guid,
  updated_by: guid,
  version: { type: 'integer', description: 'Increases with every write of the record.' },
};

/** The schema of an entity's own field, with its builder's description. */
export function fieldSchema({ behaviour, definition }: CompiledField): JsonSchema {
  const { description } = definition;
  return description === undefined ? behaviour.schema : { ...behaviour.schema, description };
}

/** The same under each name of the field: its own, and those by which older clients know it. */
export function underEachName(
  { definition }: CompiledField,
  schema: JsonSchema,
): readonly (readonly [name: string, schema: JsonSchema])[] {
  const { name } = definition;
  return apiNamesOf(definition).map((one) => [one, one === name ? schema : asAlias(schema, name)]);
}

function asAlias(schema: JsonSchema, name: string): JsonSchema {
  return { ...schema, deprecated: true, description: `Another name of \`${name}\`.` };
}

/** The name of the schema of what an entity's view shows, where there is such a view. */
export type LookedUp = (entityName: string, view: string) => string | undefined;

/** The schemas of views that a document has: whether each says what the view shows. */
export type ShownViews = ReadonlyMap<string, boolean>;

/** The views by which an entity's operations show its records, and other records with them. */
export interface DocumentedView {
  readonly entity: CompiledEntity;
  readonly names: TypeNames;
  /** Of the replies of the operations that have it. */
  readonly view: string;
  readonly lookedUp: LookedUp;
  readonly expansions: () => readonly { readonly shown: string | undefined }[];
}

/**
 * The most fields that the views of a document have together; further views are described as an object of any shape.
 */
const viewFieldsMax = 100_000;

/** The views of operations come first, then those by which these show other records. Others are served in between. */
export async function shownViews(entities: readonly DocumentedView[]): Promise<ShownViews> {
  const pause = pausesBetween();
  const views = new Map<string, NamedView>();
  const names = new Set<string>();
  for (const one of entities) {
    await pause();
    for (const view of namedViews(one)) views.set(view.name, view);
    for (const action of showingActions) names.add(shownName(one, action));
  }
  for (const { shown } of entities.flatMap(({ expansions }) => expansions())) if (shown !== undefined) names.add(shown);
  const shown = new Map<string, boolean>();
  let fieldsLeft = viewFieldsMax;
  // A set goes on to what is added to it meanwhile.
  for (const name of names) {
    await pause();
    const view = views.get(name);
    fieldsLeft -= view?.fields.length ?? 0;
    shown.set(name, fieldsLeft >= 0);
    if (view === undefined || fieldsLeft < 0) continue;
    for (const other of view.fields.flatMap((field) => lookedUpBy(view.of, field) ?? [])) names.add(other);
  }
  return shown;
}

interface NamedView {
  readonly name: string;
  readonly of: DocumentedView;
  readonly fields: readonly ViewField[];
}

/** Those with a schema of their own. */
function namedViews(of: DocumentedView): readonly NamedView[] {
  return showingActions
    .flatMap((action) =>
      Object.entries(viewsOf(of.entity, action)).map(([viewName, { fields }]) => ({
        name: of.names.views[action].get(viewName) ?? '',
        of,
        fields,
      })),
    )
    .filter(({ name }) => name !== of.names.record);
}

/** The schema of the record that a view shows with another one. */
function lookedUpBy({ entity, lookedUp }: Pick<DocumentedView, 'entity' | 'lookedUp'>, { name, lookup }: ViewField) {
  const target = lookup === undefined ? undefined : fieldNamed(entity, name)?.definition.lookup?.entity;
  return lookup === undefined || target === undefined ? undefined : lookedUp(target, lookup.view);
}

/** The way the records of an entity are shown by the views of a document, but for the record as it is stored. */
export function viewSchemas(one: DocumentedView, shown: ShownViews): Readonly<Record<string, JsonSchema>> {
  const described = namedViews(one).filter(({ name }) => shown.has(name));
  return Object.fromEntries(
    described.map(({ name, fields }) => [name, shown.get(name) === true ? viewSchema(one, fields) : undocumented]),
  );
}

/** The schema of a record in the action's replies. */
export function shownBy(one: Pick<DocumentedView, 'names' | 'view'>, action: ShowingAction): JsonSchema {
  return schemaReference(shownName(one, action));
}

function shownName({ names, view }: Pick<DocumentedView, 'names' | 'view'>, action: ShowingAction): string {
  return names.views[action].get(viewOf(names, action, view)) ?? names.record;
}

const undocumented: JsonSchema = {
  type: 'object',
  description: 'By the view of this name; the app has too many views to describe each.',
};

function viewSchema(one: DocumentedView, fields: readonly ViewField[]): JsonSchema {
  const members = fields.flatMap((field) => {
    const schema = memberSchema(one, field);
    return schema === undefined ? [] : [{ ...field, as: field.lookup?.as ?? field.as ?? field.name, schema }];
  });
  const optional = members.filter(({ name, lookup }) => lookup !== undefined || !isOfEnvelope(name));
  return objectOf(
    Object.fromEntries(members.map(({ as, schema }) => [as, schema])),
    optional.map(({ as }) => as),
  );
}

/** Undefined for what is not shown: a field that is gone, or that is secret by now. */
function memberSchema(one: DocumentedView, viewField: ViewField): JsonSchema | undefined {
  const { name, as, cast, lookup } = viewField;
  const field = fieldNamed(one.entity, name);
  const schema = field === undefined ? platformFieldSchemas[name] : fieldSchema(field);
  if (schema === undefined || field?.behaviour.isSecret === true) return undefined;
  if (lookup === undefined) {
    const shown = cast === undefined ? schema : castSchemas[cast];
    const isAlias = field !== undefined && field.name !== name && as === undefined;
    return isAlias ? asAlias(shown, field.name) : shown;
  }
  if (field?.definition.lookup?.entity === undefined) return undefined;
  // A record that is not the caller's to get is `null`, and of a record that lies too deep the id alone is shown.
  return anyOf([...[lookedUpBy(one, viewField) ?? [], 'RecordId'].flat().map(schemaReference), { type: 'null' }]);
}

const castSchemas: Readonly<Record<NonNullable<ViewField['cast']>, JsonSchema>> = {
  string: text,
  number: orNull({ type: 'number' }),
  integer: orNull({ type: 'integer' }),
  boolean: orNull({ type: 'boolean' }),
};

/** By what the records of an entity can be expanded. */
export interface DocumentedExpansion {
  readonly name: string;
  /** The name is an alias of the field, or made of one. */
  readonly isAlias: boolean;
  /** `elements` are those that an array of lookups refers to. */
  readonly direction: 'forward' | 'elements' | 'backward';
  /** The schema of each record that is shown; undefined where the other entity is not described. */
  readonly shown: string | undefined;
}

/** A lookup by one of the names of its field. */
export interface DocumentedReference {
  readonly entity: string;
  readonly field: string;
  readonly isAlias: boolean;
}

/** The lookups of each entity, by the entity that they refer to, and the schemas that show its records. */
interface DocumentedLookups {
  readonly referring: ReadonlyMap<string, readonly DocumentedReference[]>;
  readonly names: ReadonlyMap<string, TypeNames>;
}

export function documentedExpansions(
  { name: entityName, fields }: CompiledEntity,
  { referring, names }: DocumentedLookups,
): readonly DocumentedExpansion[] {
  const forward = [...fields.values()].flatMap(({ definition }): readonly DocumentedExpansion[] => {
    const lookup = lookupOf(definition);
    if (lookup === undefined) return [];
    const direction = isLookupList(definition) ? 'elements' : 'forward';
    const shown = names.get(lookup.entity)?.views.get.get('default');
    return apiNamesOf(definition).map((name, at) => ({ name, isAlias: at > 0, direction, shown }));
  });
  const backward = (referring.get(entityName) ?? []).map(
    (reference): DocumentedExpansion => ({
      name: backwardName(reference),
      isAlias: reference.isAlias,
      direction: 'backward',
      shown: names.get(reference.entity)?.views.list.get('default'),
    }),
  );
  return [...forward, ...backward];
}

/** @param entity that of a list, whose fields may have the name of the parameter. */
export function expandParameter(expansions: readonly DocumentedExpansion[], entity?: CompiledEntity): Parameter {
  const some = expansions
    .filter(({ isAlias }) => !isAlias)
    .slice(0, namedMax)
    .map((one) => `\`${one.name}\``);
  const examples = some.length === 0 ? '' : ` Among them: ${some.join(', ')}.`;
  return queryParameter(
    nameOf('expand', entity),
    text,
    `Other records to show with each record, at most 10, with commas between them: lookups, and \`{entity}_via_{field}\` of entities that refer to this one. A dot leads to a second level.${examples}`,
  );
}

const namedMax = 20;

/** The member `expand` of a record. */
export function expandSchema(expansions: readonly DocumentedExpansion[]): JsonSchema {
  const members = expansions.map(({ name, isAlias, direction, shown }) => {
    const record = shown === undefined ? { type: 'object', additionalProperties: true } : schemaReference(shown);
    const schema = shownSchemas[direction](record);
    return [name, isAlias ? { ...schema, deprecated: true } : schema];
  });
  const schema = objectOf(
    Object.fromEntries(members),
    expansions.map(({ name }) => name),
  );
  return { ...schema, description: 'What the request asked for with `expand`.' };
}

const shownSchemas: Readonly<Record<DocumentedExpansion['direction'], (record: JsonSchema) => JsonSchema>> = {
  forward: forwardSchema,
  elements: (record) => orNull(arrayOf(forwardSchema(record))),
  backward: pageSchema,
};

/** A record that is not the caller's to get is `null`; of one for which there was no room the id alone is shown. */
function forwardSchema(record: JsonSchema): JsonSchema {
  return anyOf([record, schemaReference('RecordId'), { type: 'null' }]);
}

function pageSchema(record: JsonSchema): JsonSchema {
  const members = { items: arrayOf(record), nexttoken: orNull(text), partial, partial_reason: partialReason };
  return objectOf(members, ['partial', 'partial_reason']);
}
