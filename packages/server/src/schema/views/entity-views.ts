import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { pointerTo } from '../../lib/json-pointer.ts';
import {
  apiNamesOf,
  type EntityDefinition,
  type FieldValue,
  fieldName,
  isPlatformField,
  type NamedFields,
  namesByAlias,
  platformFields,
  storedNameOf,
  type ViewDefinition,
  type ViewField,
  type Views,
} from '../definition.ts';
import { type ApiAction, actions, type EntityContent, type ViewedAction, viewedActions } from '../entity-content.ts';
import { isSealed } from '../entity-state.ts';
import type { FieldBehaviour } from '../field-types/field-type.ts';
import type { CompiledField } from '../field-types/registry.ts';
import { viewNameProblem } from '../names.ts';
import { isObject } from '../parsing/members.ts';
import { storedByName } from '../renames/stored-names.ts';

/** The way the records of an entity are shown in the replies of each of its actions. */
export interface EntityViews {
  /** Those that every entity has. */
  readonly generated: Views;
  /** Those that the builder gave the config of the action: they stand before the generated ones. */
  own(action: ApiAction): Views;
  /** `stored` is the record's text unchanged; undefined where there is no view of that name. */
  of(action: ApiAction, name: string): Projection | 'stored' | undefined;
  /** Everything that may be shown, whatever the builder made of the view `default`. */
  whole(): Projection;
}

interface ViewSource {
  readonly definition: Pick<EntityDefinition, 'UpdateParams' | 'Views'>;
  readonly catalog: NamedFields<CompiledField>;
  /** Whether a reply may show the text of a record: it has no field that is hidden, or that has another name. */
  readonly isShownAsStored: boolean;
  /** The views that the builder gave each config; where none is said they are those of the definition. */
  readonly configured: ConfiguredViews;
}

export type ConfiguredViews = Readonly<Partial<Record<ApiAction, Views>>>;

/** Views are compiled when they are first asked for. */
export function entityViews({ definition, catalog, isShownAsStored, configured }: ViewSource): EntityViews {
  const generated: Views = generatedViews(definition);
  const compiled = new Map(actions.map((action) => [action, new Map<string, Projection>()]));
  let whole: Projection | undefined;
  const ownViews = (action: ApiAction): Views => configured[action] ?? definition.Views ?? {};
  return {
    generated,
    own: ownViews,
    whole: () => {
      whole ??= compileView(generatedViews(definition).default, catalog);
      return whole;
    },
    of: (action, name) => {
      const ready = compiled.get(action);
      const known = ready?.get(name);
      if (known !== undefined) return known;
      const own = viewNamed(ownViews(action), name);
      if (own === undefined && name === 'default' && isShownAsStored) return 'stored';
      const view = own ?? viewNamed(generated, name);
      if (view === undefined) return undefined;
      const projection = compileView(view, catalog);
      ready?.set(name, projection);
      return projection;
    },
  };
}

/**
 * The views that every entity has, unless its builder makes others of these names: all that may be shown, and who it is.
 * A value is shown under each name of its field, so that clients from before a rename find it.
 */
export function generatedViews(definition: Pick<EntityDefinition, 'UpdateParams'>): {
  readonly default: ViewDefinition;
  readonly compact: ViewDefinition;
} {
  const [id, ...stamps] = platformFields;
  const names = definition.UpdateParams.filter((field) => field.name !== id && !isSealed(field)).flatMap(apiNamesOf);
  return {
    default: viewOf([id, ...names, ...stamps]),
    compact: viewOf([id, ...names.filter((name) => name === 'name')]),
  };
}

/** A view by the name that a request gives. */
export function viewNamed(views: Views, name: string): ViewDefinition | undefined {
  return Object.hasOwn(views, name) ? views[name] : undefined;
}

function viewOf(names: readonly string[]): ViewDefinition {
  return { fields: names.map((name) => ({ name })) };
}

/** A view made ready for the records of one entity: the members it shows, in their order. */
export type Projection = readonly ProjectionMember[];

export type ProjectionMember = ValueMember | LookupMember;

interface ProjectedRecord {
  readonly data: Readonly<Record<string, FieldValue>>;
  readonly version: number;
}

interface ValueMember {
  readonly as: string;
  readonly field: string;
  /** Undefined leaves the member out. */
  readonly read: (record: ProjectedRecord) => FieldValue | null | undefined;
  readonly cast?: ViewField['cast'];
  /** That of a field whose values are shown as they are. */
  readonly behaviour?: FieldBehaviour;
}

/** Shows the record of `entity` whose id is the field's value, by a view of that entity. */
export interface LookupMember {
  readonly as: string;
  readonly field: string;
  readonly entity: string;
  readonly view: string;
}

/** Fields that the entity has no more, or may not show any more, are left out: a view may be older than the catalog. */
export function compileView(view: ViewDefinition, catalog: NamedFields<CompiledField>): Projection {
  return view.fields.flatMap((viewField): Projection => {
    const { name: requestedField, as = requestedField, lookup } = viewField;
    const name = fieldName(catalog, requestedField);
    const field = catalog.fields.get(name);
    if (field === undefined ? !isPlatformField(name) : field.behaviour.isSecret === true) return [];
    const { cast } = viewField;
    if (lookup === undefined) {
      const shown = cast !== undefined ? { cast } : field === undefined ? {} : { behaviour: field.behaviour };
      return [{ as, field: name, read: reader(name, cast), ...shown }];
    }
    const entity = field?.definition.lookup?.entity;
    return entity === undefined ? [] : [{ as: lookup.as, field: name, entity, view: lookup.view }];
  });
}

const shapes = new WeakMap<Projection, string>();

/** A view's effect on a record, in few letters: views of one shape show one record alike. Computed once per version. */
export function shapeOf(projection: Projection): string {
  const known = shapes.get(projection);
  if (known !== undefined) return known;
  const members = projection.map((member) =>
    'entity' in member
      ? [member.as, member.field, member.entity, member.view]
      : [member.as, member.field, member.cast ?? null],
  );
  const shape = hash('sha256', JSON.stringify(members), 'base64url').slice(0, 11);
  shapes.set(projection, shape);
  return shape;
}

function reader(name: string, cast: ViewField['cast']): ValueMember['read'] {
  const read: ValueMember['read'] = name === 'version' ? ({ version }) => version : ({ data }) => data[name];
  if (cast === undefined) return read;
  return (record) => {
    const value = read(record);
    return value === undefined || value === null ? value : castValue(value, cast);
  };
}

export type Cast = NonNullable<ViewField['cast']>;

/** A value as a view shows it in another type; `null` where it says nothing in that type. */
export function castValue(value: FieldValue, cast: Cast): FieldValue | null {
  switch (cast) {
    case 'string':
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
    case 'number':
      return toNumber(value);
    case 'integer': {
      const number = toNumber(value);
      return number === null ? null : Math.trunc(number);
    }
    case 'boolean':
      return toBoolean(value);
  }
}

const decimal = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

function toNumber(value: FieldValue): number | null {
  if (typeof value === 'number') return value;
  const number = typeof value === 'string' && decimal.test(value) ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}

function toBoolean(value: FieldValue): boolean | null {
  if (value === true || value === 'true' || value === 1) return true;
  return value === false || value === 'false' || value === 0 ? false : null;
}

// By which views of other entities an entity's views show their records.

/** A view that shows records of an entity by a view of that one. */
export interface LookedUpView {
  /** The position of the other view's name. */
  readonly pointer: string;
  readonly field: string;
  readonly entity: string;
  readonly view: string;
}

/**
 * @param fields the catalog of the entity. It and the views may be what no definition is: what can be read of them counts.
 * @param at where the views stand.
 */
export function lookedUpViews(fields: unknown, views: unknown, at: string): readonly LookedUpView[] {
  const targets = new Map(listOf(fields).flatMap(lookupOf));
  return Object.entries(isObject(views) ? views : {}).flatMap(([name, view]) =>
    listOf(isObject(view) ? view.fields : undefined).flatMap((shown, index): readonly LookedUpView[] => {
      if (!isObject(shown) || !isObject(shown.lookup)) return [];
      const entity = targets.get(shown.name);
      if (entity === undefined || typeof shown.lookup.view !== 'string') return [];
      // An invalid name is reported elsewhere.
      if (viewNameProblem(shown.lookup.view) !== undefined) return [];
      const pointer = `${at}${pointerTo(name)}/fields/${index}/lookup/view`;
      return [{ pointer, field: String(shown.name), entity, view: shown.lookup.view }];
    }),
  );
}

/** Those of all five configs. Pointers begin at the content. */
export function lookedUpByContent({ definition, views }: EntityContent): readonly LookedUpView[] {
  const { UpdateParams, Views: shared } = definition;
  return [
    ...lookedUpViews(UpdateParams, shared, '/definition/Views'),
    ...viewedActions.flatMap((action) => lookedUpViews(UpdateParams, views[action], `/views/${action}`)),
  ];
}

/** Whether records are shown by a view of this name: two are there unasked. */
export function isShownBy(views: unknown, name: string): boolean {
  return (
    name === 'default' || name === 'compact' || viewNamed(isObject(views) ? (views as Views) : {}, name) !== undefined
  );
}

function listOf(input: unknown): readonly unknown[] {
  return Array.isArray(input) ? input : [];
}

function lookupOf(field: unknown): readonly (readonly [name: unknown, entity: string])[] {
  if (!isObject(field) || !isObject(field.lookup) || typeof field.lookup.entity !== 'string') return [];
  const { entity } = field.lookup;
  return [field.name, ...listOf(field.aliases)].map((name) => [name, entity]);
}

/** The fields that replies of an action may show: a caller chooses the view, so those of all of them together. */
export function shownFields({ definition, views }: EntityContent, action: ViewedAction): readonly string[] {
  const all: Views = { ...generatedViews(definition), ...(views[action] ?? definition.Views) };
  const aliases = namesByAlias(definition.UpdateParams);
  return [
    ...new Set(Object.values(all).flatMap(({ fields }) => fields.map(({ name }) => fieldName({ aliases }, name)))),
  ];
}

/** A config is shown with its generated views: a view that is sent back as it was goes on following the catalog. */
export function withoutGenerated(
  members: Readonly<Record<string, unknown>>,
  definition: EntityDefinition,
): Readonly<Record<string, unknown>> {
  if (!isObject(members.Views)) return members;
  const generated: Views = generatedViews(definition);
  const isOwn = ([name, view]: [string, unknown]): boolean => !isDeepStrictEqual(view, viewNamed(generated, name));
  return { ...members, Views: Object.fromEntries(Object.entries(members.Views).filter(isOwn)) };
}

/** The values of existing records that people may see only after the change. Fields that are new have no past. */
export function widening(before: EntityContent, after: EntityContent) {
  const sealed = new Set(before.definition.UpdateParams.filter(isSealed).map(storedNameOf));
  const unsealed = after.definition.UpdateParams.filter(
    (field) => sealed.has(storedNameOf(field)) && !isSealed(field),
  ).map(({ name }) => name);
  const [previous, is] = [storedByName(before.definition.UpdateParams), storedByName(after.definition.UpdateParams)];
  const known = new Set(previous.values());
  const shown = viewedActions.map((action) => {
    const was = new Set(shownFields(before, action).map((name) => previous.get(name) ?? name));
    const fields = shownFields(after, action).filter((name) => {
      const stored = is.get(name) ?? name;
      return !was.has(stored) && (known.has(stored) || isPlatformField(name)) && !unsealed.includes(name);
    });
    return { action, fields };
  });
  const showsAll = isScoped(before.definition) && !isScoped(after.definition);
  return { unsealed, shown: shown.filter(({ fields }) => fields.length > 0), showsAll };
}

function isScoped({ ownerIndexes = [] }: EntityDefinition): boolean {
  return ownerIndexes.some(({ scopeList }) => scopeList === true);
}
