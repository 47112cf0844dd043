import type { CompiledEntity, CompiledField, FieldDefinition } from '../../schema/port.ts';

/**
 * The fields whose stored values a definition may refuse though the one before it took them. A field is named where
 * that cannot be ruled out without looking at the values.
 */
export function narrowedFields(before: CompiledEntity, after: CompiledEntity): readonly string[] {
  return [...after.fields.values()]
    .filter((field) => {
      const old = before.fields.get(field.name);
      if (old !== undefined && isSecret(old) === isSecret(field)) return isNarrower(old, field);
      // Records have no value yet, or one of any type that a removed field has left.
      return field.required || before.hidden.includes(field.name);
    })
    .map(({ name }) => name);
}

function isNarrower(old: CompiledField, field: CompiledField): boolean {
  const [was, is] = [old.definition, field.definition];
  if (field.required && !old.required) return true;
  // Of a sealed value nothing can be known but that it is there.
  if (isSecret(field)) return false;
  if (is.lookup !== undefined && is.lookup.entity !== was.lookup?.entity) return true;
  return isTighter(was, is);
}

function isSecret({ behaviour }: CompiledField): boolean {
  return behaviour.isSecret === true;
}

type Checked = Omit<FieldDefinition, 'name'>;

function isTighter(was: Checked, is: Checked): boolean {
  const { colType: oldType = 'string', items: oldItems } = was;
  const { colType = 'string', items } = is;
  if (colType !== oldType && wider[colType]?.includes(oldType) !== true) return true;
  if (was.enumValues?.some((value) => is.enumValues?.includes(value) === false) === true) return true;
  if (colType === 'array' && oldType === 'array') {
    const element = (of: Checked, hints: Checked = {}): Checked => ({ ...hints, validate: of.validate === true });
    if (isTighter(element(was, oldItems), element(is, items))) return true;
  }
  return is.validate === true && checksMore(was.validate === true ? was : {}, is);
}

/** By `colType`: those whose every stored value is one of its own. */
const wider: Readonly<Record<string, readonly string[]>> = {
  string: ['guid', 'email', 'url', 'enum', 'date', 'datetime', 'formula'],
  number: ['integer', 'autoincrement'],
  integer: ['autoincrement'],
};

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
