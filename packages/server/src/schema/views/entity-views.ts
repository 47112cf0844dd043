import type { CompiledField } from '../compiled-field.ts';
import { type EntityDefinition, platformFields, type ViewDefinition, type Views } from '../definition.ts';
import { type ApiAction, actions } from '../entity-content.ts';
import { isSealed } from '../entity-state.ts';
import { apiNamesOf, type NamedFields } from '../field-names.ts';
import { compileView, type Projection } from './projection.ts';

/** How the records of an entity are shown in the replies of each of its actions. */
export interface EntityViews {
  /** Those that every entity has. */
  readonly generated: Views;
  /** Those that the builder gave the config of the action: they stand before the generated ones. */
  own(action: ApiAction): Views;
  /** `stored` is the record's text as it stands; undefined where there is no view of that name. */
  of(action: ApiAction, name: string): Projection | 'stored' | undefined;
  /** Everything that may be shown, whatever the builder made of the view `default`. */
  whole(): Projection;
}

/** What the views of an entity are made from. */
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
