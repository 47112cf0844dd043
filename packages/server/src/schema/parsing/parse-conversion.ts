import { isMistake } from '../../expressions/port.ts';
import { compileConversionOf, conversionOf, formerFields, rootOf } from '../conversion.ts';
import { definitionLimits, type FieldDefinition } from '../definition.ts';
import { namesOf, storedNameOf } from '../field-names.ts';
import { isPlatformMade } from '../field-types/field-type.ts';
import { fieldTypeOf } from '../field-types/registry.ts';
import { lookupOf } from '../lookups.ts';
import { fieldNameProblem } from '../names.ts';
import { type AddError, errorCount, isObject, type Part, refuseUnknownMembers } from './members.ts';
import type { PlacedField } from './parse-names.ts';

/** Reads a conversion, but for its expression: the field that it converts from must have a type and a stored name. */
export function checkConversion(
  part: Part,
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

function memberMistake({ name, storedAs, items, lookup, convert }: Part['item'], depth: number) {
  const { conversionsOfFieldMax: max } = definitionLimits;
  if (fieldNameProblem(name) !== undefined || typeof storedAs !== 'string')
    return { code: 'wrong_type', message: 'a converted field has a `name` and a `storedAs`' };
  if ([items, lookup, convert].some((member) => member !== undefined && !isObject(member)))
    return { code: 'wrong_type', message: 'the `items`, `lookup` and `convert` of a converted field must be objects' };
  if (convert === undefined || depth < max) return undefined;
  return { code: 'too_many', message: `a field may be converted at most ${max} times` };
}

/** Adds what is wrong with the type that a part names. */
export type ReadType = (part: Part, add: AddError) => void;

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
