import { isMistake } from '../../expressions/port.ts';
import { compileConversionOf, conversionOf, formerFields, rootOf } from '../conversion.ts';
import {
  definitionLimits,
  type FieldDefinition,
  isPlatformField,
  lookupOf,
  namesOf,
  storedNameOf,
} from '../definition.ts';
import { isPlatformMade } from '../field-types/field-type.ts';
import { fieldTypeOf } from '../field-types/registry.ts';
import { fieldNameProblem, otherFieldName, reservedFieldNameProblem } from '../names.ts';
import { type AddError, type DefinitionPart, errorCount, isObject, refuseUnknownMembers } from './members.ts';

export interface PlacedField {
  readonly field: FieldDefinition;
  readonly pointer: string;
}

/** A name of a field beside its own, and its pointer. */
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

interface PlacedNames {
  readonly placed: PlacedField;
  readonly owners: Map<string, string>;
}

function checkOther({ name, pointer }: OtherName, { placed: { field }, owners }: PlacedNames, add: AddError): void {
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

/** Reads a conversion, but for its expression: the field that it converts from must have a type and a stored name. */
export function checkConversion(
  part: DefinitionPart,
  { name, readType, depth = 1 }: { readonly name: string; readonly readType: ReadType; readonly depth?: number },
  add: AddError,
): void {
  const { cel, from } = part.item;
  const refuse = (code: string, message: string): void => add(part.pointer, code, `field \`${name}\`: ${message}`);
  refuseUnknownMembers(part, { what: 'a conversion', known: ['cel', 'from'] }, add);
  if (typeof cel !== 'string') refuse('wrong_type', 'the `cel` of its conversion must be a string');
  if (!isObject(from)) {
    refuse('wrong_type', 'the `from` of its conversion must be a field');
    return;
  }
  const place = { item: from, pointer: `${part.pointer}/from` };
  refuseUnknownMembers(place, { what: 'a converted field', known: formerMembers }, add);
  const mistake = memberMistake(from, depth);
  if (mistake !== undefined) refuse(mistake.code, mistake.message);
  else {
    readType(place, add);
    const deeper = { name, readType, depth: depth + 1 };
    if (isObject(from.convert))
      checkConversion({ item: from.convert, pointer: `${place.pointer}/convert` }, deeper, add);
  }
}

function memberMistake({ name, storedAs, items, lookup, convert }: DefinitionPart['item'], depth: number) {
  const { conversionsOfFieldMax: max } = definitionLimits;
  if (fieldNameProblem(name) !== undefined || typeof storedAs !== 'string')
    return { code: 'wrong_type', message: 'a converted field has a `name` and a `storedAs`' };
  if ([items, lookup, convert].some((member) => member !== undefined && !isObject(member)))
    return { code: 'wrong_type', message: 'the `items`, `lookup` and `convert` of a converted field must be objects' };
  if (convert === undefined || depth < max) return undefined;
  return { code: 'too_many', message: `a field may be converted at most ${max} times` };
}

/** Adds what is wrong with the type that a part names. */
type ReadType = (part: DefinitionPart, add: AddError) => void;

const formerMembers = ['name', 'colType', 'items', 'lookup', 'storedAs', 'convert'];

/** Checks the types of the expressions, and that the fields are stored under names of one field. */
export function checkConversions(fields: readonly PlacedField[], add: AddError): void {
  const { conversionsMax } = definitionLimits;
  const sum = fields.reduce((count, { field }) => count + formerFields(field).length, 0);
  if (sum > conversionsMax) {
    const message = `the fields of an entity may have at most ${conversionsMax} conversions together`;
    add('/UpdateParams', 'too_many', message);
    return;
  }
  for (const { field, pointer } of fields) {
    const at = `${pointer}/convert`;
    const before = errorCount(add);
    checkStoredNames(field, at, before.add);
    if (field.convert === undefined || before.count() > 0) continue;
    const mistake = mistakeIn(field);
    if (mistake !== undefined) add(at, 'invalid_expression', `field \`${field.name}\`: its conversion${mistake}`);
  }
}

/** Earlier values are under names of the same field, each made by an earlier conversion. */
function checkStoredNames(field: FieldDefinition, pointer: string, add: AddError): void {
  const stored = [storedNameOf(field), ...formerFields(field).map(({ storedAs }) => storedAs)];
  const root = rootOf(storedNameOf(field));
  const versions = stored.map(conversionOf);
  const isOne = stored.every((name) => rootOf(name) === root) && namesOf(field).includes(root);
  const isFalling = versions.every((version, index) => index === 0 || version < (versions[index - 1] ?? 0));
  if (isOne && isFalling && versions.at(-1) === 0) return;
  add(
    pointer,
    'invalid_hints',
    `field \`${field.name}\`: its \`storedAs\` and its \`convert\` are kept by the platform`,
  );
}

function mistakeIn(field: FieldDefinition): string | undefined {
  if (!isConvertible(field)) return ': a value that the platform makes or encrypts, and a lookup, is not converted';
  let to = field;
  while (to.convert !== undefined) {
    if (!isConvertible(to.convert.from))
      return ': a value that the platform made or encrypted, or a lookup, is not converted';
    const compiled = compileConversionOf(to.convert, to);
    if (isMistake(compiled)) return `, at character ${compiled.at + 1}: ${compiled.message}`;
    to = to.convert.from;
  }
  return undefined;
}

function isConvertible(field: FieldDefinition): boolean {
  const type = fieldTypeOf(field);
  return !isPlatformMade(type) && type.isSecret !== true && lookupOf(field) === undefined;
}
