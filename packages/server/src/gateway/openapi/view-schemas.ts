import { anyOf, type JsonSchema, objectOf, orNull, schemaReference, text } from '../../lib/json-schema.ts';
import { pausesBetween } from '../../lib/scheduling/cooperatively.ts';
import { isOfEnvelope } from '../../records/port.ts';
import { type CompiledEntity, fieldNamed, type ViewField } from '../../schema/port.ts';
import { asAlias, fieldSchema, platformFieldSchemas } from './record-fields.ts';
import { type ShowingAction, showingActions, type TypeNames, viewOf, viewsOf } from './type-names.ts';

/** The name of the schema of what an entity's view shows, where there is such a view. */
export type LookedUp = (entityName: string, view: string) => string | undefined;

/** The schemas of views that a document has: whether each says what the view shows. */
export type ShownViews = ReadonlyMap<string, boolean>;

/** The views by which an entity's operations show its records, and other records with them. */
export interface ShownEntity {
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
export async function shownViews(entities: readonly ShownEntity[]): Promise<ShownViews> {
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
  readonly of: ShownEntity;
  readonly fields: readonly ViewField[];
}

/** Those with a schema of their own. */
function namedViews(of: ShownEntity): readonly NamedView[] {
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
function lookedUpBy({ entity, lookedUp }: Pick<ShownEntity, 'entity' | 'lookedUp'>, { name, lookup }: ViewField) {
  const target = lookup === undefined ? undefined : fieldNamed(entity, name)?.definition.lookup?.entity;
  return lookup === undefined || target === undefined ? undefined : lookedUp(target, lookup.view);
}

/** How the records of an entity are shown by the views of a document, but for the record as it is stored. */
export function viewSchemas(one: ShownEntity, shown: ShownViews): Readonly<Record<string, JsonSchema>> {
  const described = namedViews(one).filter(({ name }) => shown.has(name));
  return Object.fromEntries(
    described.map(({ name, fields }) => [name, shown.get(name) === true ? viewSchema(one, fields) : untold]),
  );
}

/** What the action answers a record as. */
export function shownBy(one: Pick<ShownEntity, 'names' | 'view'>, action: ShowingAction): JsonSchema {
  return schemaReference(shownName(one, action));
}

function shownName({ names, view }: Pick<ShownEntity, 'names' | 'view'>, action: ShowingAction): string {
  return names.views[action].get(viewOf(names, action, view)) ?? names.record;
}

const untold: JsonSchema = {
  type: 'object',
  description: 'By the view of this name; the app has too many views to describe each.',
};

function viewSchema(one: ShownEntity, fields: readonly ViewField[]): JsonSchema {
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
function memberSchema(one: ShownEntity, viewField: ViewField): JsonSchema | undefined {
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
  // A record that is not the caller's to get is `null`, and of one that lies too deep the id alone is shown.
  return anyOf([...[lookedUpBy(one, viewField) ?? [], 'RecordId'].flat().map(schemaReference), { type: 'null' }]);
}

const castSchemas: Readonly<Record<NonNullable<ViewField['cast']>, JsonSchema>> = {
  string: text,
  number: orNull({ type: 'number' }),
  integer: orNull({ type: 'integer' }),
  boolean: orNull({ type: 'boolean' }),
};
