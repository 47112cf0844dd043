import { type EntityDefinition, isPlatformField } from './definition.ts';
import { type IndexState, newIndexStates, nextIndexStates } from './indexes/index-states.ts';

/**
 * What stands under an entity's active create config: which definition is live, and what the platform has made of it
 * so far. Every change of it is a change of configuration.
 */
export interface EntityState {
  /** The version of the create config, which is the definition. */
  readonly version: number;
  /** The config version at which what writers of records must do last changed: the fence of a workspace holds it. */
  readonly generation: number;
  readonly indexes: readonly IndexState[];
  /** Fields that stored records may still have, and that the definition shows no more. */
  readonly hidden: readonly string[];
  /** Whether records may have sealed values beside them. */
  readonly hasSealed: boolean;
}

/** The state of an entity without records: everything that it declares is ready. */
export function newEntityState(definition: EntityDefinition, version: number): EntityState {
  return {
    version,
    generation: version,
    indexes: newIndexStates(definition, version),
    hidden: [],
    hasSealed: definition.UpdateParams.some(isSealed),
  };
}

/** The state once `after` has taken the place of `before`, under which records may have been written. */
export function nextEntityState(
  current: EntityState,
  { before, after }: { readonly before: EntityDefinition; readonly after: EntityDefinition },
  version: number,
): EntityState {
  const shown = plainFields(after);
  const hidden = [...new Set([...current.hidden, ...plainFields(before)])].filter((name) => !shown.includes(name));
  return {
    version,
    generation: version,
    indexes: nextIndexStates(current.indexes, after, version),
    hidden,
    hasSealed: current.hasSealed || after.UpdateParams.some(isSealed),
  };
}

/** The fields whose values lie in the text of a record. */
function plainFields({ UpdateParams }: EntityDefinition): readonly string[] {
  return UpdateParams.filter((field) => !isPlatformField(field.name) && !isSealed(field)).map(({ name }) => name);
}

/** Values of these fields lie sealed beside the record, never in it. */
export function isSealed(field: { readonly colType?: string }): boolean {
  return field.colType === 'encrypted';
}
