import { type EntityDefinition, platformFields, type ViewDefinition, type Views } from '../definition.ts';
import { isSealed } from '../entity-state.ts';
import { apiNamesOf } from '../field-names.ts';

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
