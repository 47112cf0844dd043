import type { EntityDefinition } from './definition.ts';
import { type IndexState, newIndexStates } from './indexes/index-states.ts';

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

/** Values of these fields lie sealed beside the record, never in it. */
export function isSealed(field: { readonly colType?: string }): boolean {
  return field.colType === 'encrypted';
}
