import { definitionLimits, type FieldDefinition, isPlatformField } from '../definition.ts';
import { namesOf } from '../field-names.ts';
import { fieldNameProblem, otherFieldName, reservedFieldNameProblem } from '../names.ts';
import type { AddError } from './members.ts';

/** A field of the catalog, and where it stands. */
export interface PlacedField {
  readonly field: FieldDefinition;
  readonly pointer: string;
}

/** A name of a field beside its own, and where it stands. */
interface OtherName {
  readonly name: string;
  readonly pointer: string;
}

/**
 * Checks that every name of every field means one field alone: a name that a field had earlier, or under which it is
 * stored, is taken as long as the field exists.
 */
export function checkFieldNames(fields: readonly PlacedField[], add: AddError): void {
  const { aliasesMax, aliasesOfEntityMax } = definitionLimits;
  const owners = new Map<string, string>();
  for (const { field, pointer } of fields) {
    if (owners.has(field.name)) add(`${pointer}/name`, 'duplicate', `field \`${field.name}\` is defined twice`);
    owners.set(field.name, field.name);
  }
  for (const placed of fields) {
    checkNumbers(placed, add);
    for (const other of otherNames(placed)) checkOther(other, { placed, owners }, add);
  }
  if (fields.reduce((sum, { field }) => sum + (field.aliases ?? []).length, 0) > aliasesOfEntityMax)
    add(
      '/UpdateParams',
      'too_many',
      `the fields of an entity may have at most ${aliasesOfEntityMax} aliases together, and each at most ${aliasesMax}`,
    );
}

function checkNumbers({ field, pointer }: PlacedField, add: AddError): void {
  const { aliasesMax, formerNamesMax } = definitionLimits;
  const { name, aliases = [] } = field;
  if (aliases.length > aliasesMax)
    add(`${pointer}/aliases`, 'too_many', `field \`${name}\` may have at most ${aliasesMax} aliases`);
  for (const [index, alias] of aliases.entries())
    if (aliases.indexOf(alias) < index)
      add(
        `${pointer}/aliases/${index}`,
        'duplicate',
        `field \`${name}\`: alias \`${alias.slice(0, 100)}\` is there twice`,
      );
  if (namesOf(field).length > formerNamesMax + 1)
    add(`${pointer}/name`, 'too_many', `field \`${name}\` may have had at most ${formerNamesMax} other names`);
}

function otherNames({ field, pointer }: PlacedField): readonly OtherName[] {
  const { aliases = [], formerNames = [], storedAs } = field;
  return [
    ...aliases.map((name, index) => ({ name, pointer: `${pointer}/aliases/${index}` })),
    ...formerNames.map((name, index) => ({ name, pointer: `${pointer}/formerNames/${index}` })),
    ...(storedAs === undefined ? [] : [{ name: storedAs, pointer: `${pointer}/storedAs` }]),
  ];
}

interface Names {
  readonly placed: PlacedField;
  /** The field of each name. */
  readonly owners: Map<string, string>;
}

function checkOther({ name, pointer }: OtherName, { placed: { field }, owners }: Names, add: AddError): void {
  const problem = otherNameProblem(name, pointer.endsWith('/storedAs'));
  const owner = owners.get(name);
  const refuse = (code: string, message: string): void => add(pointer, code, `field \`${field.name}\`: ${message}`);
  if (problem !== undefined) refuse('invalid_name', problem);
  else if (name === field.name) refuse('duplicate', `\`${name}\` is its name`);
  else if (owner !== undefined && owner !== field.name)
    refuse('duplicate', `\`${name}\` is or was a name of field \`${owner}\``);
  else owners.set(name, field.name);
}

/** A conversion stores values under the name of the field, an `@` and a config version. */
const convertedName = /^[A-Za-z][A-Za-z0-9_]{0,62}@[1-9][0-9]{0,15}$/;

function otherNameProblem(name: string, isStored: boolean): string | undefined {
  const shown = name.slice(0, 100);
  if (isStored && convertedName.test(name)) return undefined;
  if (isPlatformField(name)) return `\`${name}\` is set by the platform: ${otherFieldName(name)}`;
  if (reservedFieldNameProblem(name) !== undefined)
    return `no field can be named \`${shown}\`: ${otherFieldName(name)}`;
  if (fieldNameProblem(name) !== undefined) return `no field can be named \`${shown}\``;
  return undefined;
}
