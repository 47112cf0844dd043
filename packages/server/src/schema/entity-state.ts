import { type EntityDefinition, type FieldDefinition, isPlatformField, namesOf, storedNameOf } from './definition.ts';
import { fieldTypeOf } from './field-types/registry.ts';
import { type FillState, nextFillStates } from './fills.ts';
import { type IndexState, isLeaving, isSameIndex, newIndexStates, nextIndexStates } from './indexes.ts';
import { nextNames, type RenamedNames, withKnownNames } from './renames/stored-names.ts';

/**
 * The state under an entity's active create config: which definition is live, and what the platform has made of it so
 * far. Every change of it is a change of configuration. It names fields as they are stored, so that it stays the same
 * when a field gets another name.
 */
export interface EntityState {
  /** The version of the create config, which is the definition. */
  readonly version: number;
  /** The config version at which what writers of records must do last changed: the fence of a workspace holds it. */
  readonly generation: number;
  readonly indexes: readonly IndexState[];
  /** Fields that stored records may still have, and that the definition shows no more. */
  readonly hidden: readonly string[];
  /**
   * Fields that the definition does not have and whose stored values a write leaves out: they were made of other fields,
   * should not lie there in plain text, or are being erased. Every other value that it does not know, a write keeps.
   */
  readonly unkept?: readonly string[];
  /** Fields whose stored values a job erases. Until it is done, no definition has a field of these names. */
  readonly erasing?: readonly string[];
  /** Fields whose values a job brings to the records that stand, and those where it failed. */
  readonly fills?: readonly FillState[];
  /** Names of fields that the definition had and has no more, the latest of them: policies may still name them. */
  readonly freed?: readonly string[];
  /**
   * Names that fields had under releases that were gone back from, which the definition does not list: a policy that was
   * written under such a release goes on to mean the field.
   */
  readonly names?: RenamedNames;
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

interface DefinitionSwitch {
  readonly before: EntityDefinition;
  readonly after: EntityDefinition;
  /** Fields whose stored values are to be lost, as they are stored. */
  readonly erased?: readonly string[] | undefined;
}

/** The state once `after` has taken the place of `before`, under which records may have been written. */
export function nextEntityState(
  current: EntityState,
  { before, after, erased = [] }: DefinitionSwitch,
  version: number,
): EntityState {
  const shown = plainFields(after);
  const hidden = union(current.hidden, plainFields(before)).filter((name) => !shown.includes(name));
  const erasing = union(current.erasing ?? [], erased);
  const unkept = union(current.unkept ?? [], computedFields(before), sealedFields(after));
  const names = nextNames(current.names ?? {}, before.UpdateParams, after.UpdateParams);
  return {
    version,
    generation: version,
    indexes: nextIndexStates(current.indexes, after, version),
    hidden,
    ...membersOf({
      unkept: union(
        hidden.filter((name) => unkept.includes(name)),
        erasing,
      ),
      erasing,
      fills: nextFillStates(current.fills ?? [], { before, after }, version),
      freed: freedNames(current.freed ?? [], { before, after }, names),
      names,
    }),
    hasSealed: current.hasSealed || after.UpdateParams.some(isSealed),
  };
}

/** The state with other indexes and fills, once no stored record has a value of the erased fields any more. */
export function settledState(
  { hidden, unkept = [], erasing = [], freed = [], names: known = {}, fills: _, ...others }: EntityState,
  { indexes, fills, erased }: Pick<Required<EntityState>, 'indexes' | 'fills'> & { readonly erased: readonly string[] },
  version: number,
): EntityState {
  const left = (all: readonly string[]): readonly string[] => all.filter((name) => !erased.includes(name));
  const names = Object.fromEntries(Object.entries(known).filter(([stored]) => !erased.includes(stored)));
  return {
    ...others,
    generation: hasNewLeaving(others.indexes, indexes) ? version : others.generation,
    indexes,
    hidden: left(hidden),
    ...membersOf({ unkept: left(unkept), erasing: left(erasing), fills, freed, names }),
  };
}

/**
 * Whether some index is kept until now and is to be erased: a job that fills it must not write any more. An index that
 * has become ready is kept, and a completely erased one needs nothing.
 */
function hasNewLeaving(before: readonly IndexState[], after: readonly IndexState[]): boolean {
  const left = before.filter(isLeaving);
  return after.some((index) => isLeaving(index) && !left.some((other) => isSameIndex(other, index)));
}

/** An entity has a member only where it says something. */
function membersOf(members: Required<Pick<EntityState, 'unkept' | 'erasing' | 'fills' | 'freed' | 'names'>>) {
  const { unkept, erasing, fills, freed, names } = members;
  return {
    ...(unkept.length > 0 ? { unkept } : {}),
    ...(erasing.length > 0 ? { erasing } : {}),
    ...(fills.length > 0 ? { fills } : {}),
    ...(freed.length > 0 ? { freed } : {}),
    ...(Object.keys(names).length > 0 ? { names } : {}),
  };
}

/** More than a builder remembers to have removed. */
const freedMax = 1000;

function freedNames(
  current: readonly string[],
  { before, after }: DefinitionSwitch,
  known: RenamedNames,
): readonly string[] {
  const had = before.UpdateParams.flatMap(namesOf);
  const has = new Set(withKnownNames(after.UpdateParams, known).flatMap(namesOf));
  const names = union(current, had).filter((name) => !has.has(name) && !isPlatformField(name));
  return names.slice(-freedMax);
}

function union(...lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())];
}

function computedFields({ UpdateParams }: EntityDefinition): readonly string[] {
  return UpdateParams.filter((field) => fieldTypeOf(field).isComputed === true).map(storedNameOf);
}

function sealedFields({ UpdateParams }: EntityDefinition): readonly string[] {
  return UpdateParams.filter(isSealed).map(storedNameOf);
}

/** The fields whose values lie in the text of a record. */
function plainFields({ UpdateParams }: EntityDefinition): readonly string[] {
  return UpdateParams.filter((field) => !isPlatformField(field.name) && !isSealed(field)).map(storedNameOf);
}

/** Values of these fields lie sealed beside the record, never in it. */
export function isSealed(field: FieldDefinition): boolean {
  return fieldTypeOf(field).isSecret === true;
}
