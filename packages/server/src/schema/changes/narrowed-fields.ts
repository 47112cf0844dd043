import type { CompiledCheck, CompiledEntity } from '../compile-entity.ts';
import { type FieldDefinition, lookupOf } from '../definition.ts';
import { type CompiledField, fieldTypeOf } from '../field-types/registry.ts';
import { isFilled } from '../fills.ts';
import { renamedIn } from '../renames/stored-names.ts';

/**
 * The fields whose stored values a definition may refuse though the one before it took them. A field is named where
 * that cannot be ruled out without looking at the values.
 */
export function narrowedFields(before: CompiledEntity, after: CompiledEntity): readonly string[] {
  return [...after.fields.values()]
    .filter((field) => {
      const name = nameUnder(before, after, field.name);
      const old = before.fields.get(name);
      const mustHave = field.required && !isFilled(after.definition, field.definition);
      if (old !== undefined && isSecret(old) === isSecret(field))
        return (mustHave && !old.required) || isNarrower(old, field);
      // Records have no value yet, one of any type that a removed field has left, or a value that is to be converted.
      return mustHave || before.hidden.includes(name) || isConverted(after, field);
    })
    .map(({ name }) => name);
}

function isConverted({ stored }: CompiledEntity, { name }: CompiledField): boolean {
  return stored.conversions.some((conversion) => conversion.name === name);
}

/** The checks that a definition holds records to, and the one before it did not. */
function newChecks(before: CompiledEntity, after: CompiledEntity): readonly CompiledCheck[] {
  const sayOf = (entity: CompiledEntity, { definition: { cel } }: CompiledCheck): string =>
    JSON.stringify([cel, renamedIn(cel, entity.definition.UpdateParams)]);
  const held = new Set(before.checks.map((check) => sayOf(before, check)));
  return after.checks.filter((check) => !held.has(sayOf(after, check)));
}

function isNarrower(old: CompiledField, field: CompiledField): boolean {
  const [was, is] = [old.definition, field.definition];
  // Of a sealed value nothing can be known but that it is there.
  if (isSecret(field)) return false;
  const lookup = lookupOf(is);
  if (lookup !== undefined && lookup.entity !== lookupOf(was)?.entity) return true;
  return isTighter(was, is);
}

function isSecret({ behaviour }: CompiledField): boolean {
  return behaviour.isSecret === true;
}

type Checked = Omit<FieldDefinition, 'name'>;

function isTighter(was: Checked, is: Checked): boolean {
  const [oldType, type] = [fieldTypeOf(was), fieldTypeOf(is)];
  if (type !== oldType && oldType.takenBy?.includes(type.colType) !== true) return true;
  if (was.enumValues?.some((value) => is.enumValues?.includes(value) === false) === true) return true;
  if (type.isList === true && oldType.isList === true) {
    const element = (of: Checked, hints: Checked = {}): Checked => ({ ...hints, validate: of.validate === true });
    if (isTighter(element(was, was.items), element(is, is.items))) return true;
  }
  return is.validate === true && checksMore(was.validate === true ? was : {}, is);
}

function checksMore(was: Checked, is: Checked): boolean {
  return (
    isAbove(is.minlength, was.minlength) ||
    isAbove(is.min, was.min) ||
    isBelow(is.maxlength, was.maxlength) ||
    isBelow(is.max, was.max) ||
    (is.pattern !== undefined && is.pattern !== was.pattern)
  );
}

function isAbove(bound: number | undefined, old: number | undefined): boolean {
  return bound !== undefined && (old === undefined || bound > old);
}

function isBelow(bound: number | undefined, old: number | undefined): boolean {
  return bound !== undefined && (old === undefined || bound < old);
}

/**
 * The fields whose stored values become what the platform computes, or are dropped for sealed ones, at the next write:
 * by the names that they had before.
 */
export function overwrittenFields(before: CompiledEntity, after: CompiledEntity): readonly string[] {
  return [...after.fields.values()]
    .map((field) => ({ ...field, name: nameUnder(before, after, field.name) }))
    .filter(({ name, behaviour: { compute, isSecret } }) => {
      const old = before.fields.get(name)?.behaviour;
      const isHeld =
        old === undefined
          ? before.hidden.includes(name) && !before.unkept.includes(name)
          : old.compute === undefined && old.isSecret !== true;
      return isHeld && (compute !== undefined || isSecret === true);
    })
    .map(({ name }) => name);
}

/** The name in one definition of an entity for the values that have this name in another one. */
function nameUnder(one: CompiledEntity, other: CompiledEntity, name: string): string {
  return one.stored.inMemory(other.stored.inStore(name));
}

/** The fields and checks of a definition that stored records may not meet, though they met the one before it. */
export function narrowing(before: CompiledEntity, after: CompiledEntity) {
  return { fields: narrowedFields(before, after), checks: newChecks(before, after) };
}

/** The fields that records may have and that another definition hides. */
export function hiddenFields(before: CompiledEntity, after: CompiledEntity): readonly string[] {
  return [...before.fields.keys()].filter((name) => !after.fields.has(nameUnder(after, before, name)));
}
