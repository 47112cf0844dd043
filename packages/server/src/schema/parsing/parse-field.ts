import { systemEntityNames } from '@freehold/contract/system-entities';
import { isMistake } from '../../expressions/port.ts';
import { pointerTo } from '../../lib/json-pointer.ts';
import {
  definitionLimits,
  type ExpressionFormula,
  type FieldDefinition,
  isLookupList,
  isPlatformField,
} from '../definition.ts';
import type { ReadableFields } from '../field-types/expression-value.ts';
import { type FieldBehaviour, type FieldType, isPlatformMade, readValue } from '../field-types/field-type.ts';
import { compileFormula, formulaTypes } from '../field-types/formula.ts';
import { guidType } from '../field-types/guid.ts';
import { plainTypes } from '../field-types/plain-types.ts';
import { behaviourOf, colTypeOf, fieldTypes, plannedTypes } from '../field-types/registry.ts';
import { compileBackfill, takesBackfill } from '../fills.ts';
import { entityNameProblem, fieldNameProblem, otherFieldName } from '../names.ts';
import { type AddError, type DefinitionPart, errorCount, isObject, refuseUnknownMembers } from './members.ts';
import { checkConversion } from './parse-names.ts';

/** Reads one field of the catalog: what is wrong with it is added, and it is given if it holds but for its default and its index. */
export function parseField(part: DefinitionPart, add: AddError): FieldDefinition | undefined {
  const name = readName(part, add);
  if (name === undefined) return undefined;
  const type = readType(part, { name, types: allTypes }, add);
  if (type === undefined) return undefined;
  const before = errorCount(add);
  const hints = name === 'id' ? idHints : [...commonHints, ...type.hints];
  checkHints(part, { name, hints }, before.add);
  const { items, lookup, formula, convert } = part.item;
  if (isObject(items)) checkItems({ item: items, pointer: `${part.pointer}/items` }, name, before.add);
  if (isObject(formula)) checkFormula({ item: formula, pointer: `${part.pointer}/formula` }, name, before.add);
  if (isObject(convert))
    checkConversion(
      { item: convert, pointer: `${part.pointer}/convert` },
      { name, readType: readFormerType },
      before.add,
    );
  if (before.count() > 0) return undefined;
  const field = part.item as unknown as FieldDefinition;
  const ofElements = isObject(items) ? items.lookup : undefined;
  if (isObject(lookup)) checkLookup({ item: lookup, pointer: `${part.pointer}/lookup` }, field, add);
  if (isObject(ofElements)) checkLookup({ item: ofElements, pointer: `${part.pointer}/items/lookup` }, field, add);
  checkBehaviour(field, part.pointer, add);
  return field;
}

const allTypes = [...fieldTypes.values()];
const commonHints = [
  'validate',
  'required',
  'index',
  'search',
  'description',
  'default',
  'backfill',
  'aliases',
  'formerNames',
  'storedAs',
  'convert',
];
/** The platform gives the id its value and its index. */
const idHints = ['validate', 'required', 'index', 'description'];

function readName({ item, pointer }: DefinitionPart, add: AddError): string | undefined {
  const problem = fieldNameProblem(item.name);
  const name = String(item.name);
  if (problem !== undefined) add(`${pointer}/name`, 'invalid_name', problem);
  else if (isPlatformField(name) && !(name === 'id' && item.colType === guidType.colType))
    add(`${pointer}/name`, 'reserved_name', `field \`${name}\` is set by the platform: ${otherFieldName(name)}`);
  else return name;
  return undefined;
}

function readType(
  { item, pointer }: DefinitionPart,
  { name, types }: { readonly name: string; readonly types: readonly FieldType[] },
  add: AddError,
): FieldType | undefined {
  const { colType = colTypeOf({}) } = item;
  const type = types.find((candidate) => candidate.colType === colType);
  if (type !== undefined) return type;
  const at = `${pointer}/colType`;
  if (plannedTypes.includes(colType))
    add(at, 'not_supported', `field \`${name}\`: the colType \`file\` is not supported yet`);
  else {
    const known = types.map((candidate) => candidate.colType).join(', ');
    add(at, 'unknown_type', `field \`${name}\`: unknown colType, must be one of ${known}`);
  }
  return undefined;
}

/** The type that a field had before it was converted. */
function readFormerType({ item, pointer }: DefinitionPart, add: AddError): void {
  const name = String(item.name);
  const type = readType({ item, pointer }, { name, types: allTypes }, add);
  if (type?.isList === true && isObject(item.items))
    checkItems({ item: item.items, pointer: `${pointer}/items` }, name, add);
}

/** The elements of an array are fields without a name, and with nothing that concerns the record as a whole. */
function checkItems(part: DefinitionPart, name: string, add: AddError): void {
  const type = readType(part, { name, types: plainTypes }, add);
  if (type === undefined) return;
  if (Object.hasOwn(part.item, 'name'))
    add(`${part.pointer}/name`, 'unknown_field', `field \`${name}\`: its \`items\` must not have a name`);
  checkHints(part, { name, hints: type.hints }, add);
}

function checkBehaviour(field: FieldDefinition, pointer: string, add: AddError): void {
  const behaviour = behaviourOf(field);
  if (typeof behaviour === 'string') {
    add(pointer, 'invalid_hints', `field \`${field.name}\` ${behaviour}`);
    return;
  }
  if (field.index === true && behaviour.encode === undefined)
    add(`${pointer}/index`, 'not_indexable', `field \`${field.name}\`: its colType cannot be indexed`);
  if (field.search === true && behaviour.isSearchable !== true)
    add(`${pointer}/search`, 'not_searchable', `field \`${field.name}\`: its colType has no words to search for`);
  if (field.backfill !== undefined && !takesBackfill(field))
    add(`${pointer}/backfill`, 'hint_without_meaning', withoutMeaning(field.name, 'backfill'));
  if (field.default !== undefined) checkDefault(field, behaviour, { pointer: `${pointer}/default`, add });
}

function checkDefault(
  field: FieldDefinition,
  behaviour: FieldBehaviour,
  { pointer, add }: { readonly pointer: string; readonly add: AddError },
): void {
  if (isPlatformMade(behaviour) || behaviour.isSecret === true) {
    add(pointer, 'hint_without_meaning', withoutMeaning(field.name, 'default'));
    return;
  }
  const read = readValue(behaviour, field.validate === true, field.default);
  if ('value' in read) return;
  for (const problem of read.problems)
    add(pointer + (problem.pointer ?? ''), problem.code, `field \`${field.name}\`: its default ${problem.message}`);
}

/** Checks the `lookup` of a field. Whether there is such an entity is not known here. */
function checkLookup(part: DefinitionPart, field: FieldDefinition, add: AddError): void {
  const { item, pointer } = part;
  refuseUnknownMembers(part, { what: '`lookup`', known: ['entity', 'onDelete'] }, add);
  if (!mayBeLookedUp(item.entity)) {
    const message = `field \`${field.name}\`: the \`entity\` of its lookup must be an entity of the builder or \`user\`, \`group\`, \`aclpolicy\` or \`userrole\``;
    add(`${pointer}/entity`, 'invalid_name', message);
  }
  const { onDelete = 'restrict' } = item;
  if (isLookupList(field) && onDelete === 'cascade') {
    const message = `field \`${field.name}\` refers to several records, so \`onDelete\` must be \`restrict\` or \`setnull\`: with \`cascade\` a record would go with the first of them`;
    add(`${pointer}/onDelete`, 'contradiction', message);
  } else if (onDelete !== 'restrict' && onDelete !== 'cascade' && onDelete !== 'setnull') {
    const message = `field \`${field.name}\`: \`onDelete\` must be \`restrict\`, \`cascade\` or \`setnull\``;
    add(`${pointer}/onDelete`, 'wrong_type', message);
  } else if (onDelete === 'setnull' && field.validate === true) {
    const message = mustHaveValue(field);
    if (message !== undefined) add(`${pointer}/onDelete`, 'contradiction', message);
  }
}

/** Why the value of a field that is checked cannot be cleared. An array that loses its elements is still a value. */
function mustHaveValue(field: FieldDefinition): string | undefined {
  if (!isLookupList(field))
    return field.required === false
      ? undefined
      : `field \`${field.name}\` is required, so \`setnull\` could not clear it`;
  return (field.minlength ?? 0) > 0
    ? `field \`${field.name}\` has a \`minlength\`, so \`setnull\` could not take its elements out`
    : undefined;
}

/** Links between users and what they hold are no things of their own: they go with what they link. */
const links = ['useraclpolicy', 'usergroup'];

function mayBeLookedUp(name: unknown): boolean {
  if (typeof name === 'string' && systemEntityNames.includes(name)) return !links.includes(name);
  return entityNameProblem(name) === undefined;
}

/** Reads a formula in CEL, but for its expression, which needs the other fields. */
function checkFormula(part: DefinitionPart, name: string, add: AddError): void {
  const { cel, type } = part.item;
  refuseUnknownMembers(part, { what: 'a formula', known: ['cel', 'type'] }, add);
  if (typeof cel !== 'string')
    add(`${part.pointer}/cel`, 'wrong_type', `field \`${name}\`: the \`cel\` of its formula must be a string`);
  if (typeof type !== 'string' || !formulaTypes.includes(type))
    add(
      `${part.pointer}/type`,
      'unknown_type',
      `field \`${name}\`: the \`type\` of its formula must be one of ${formulaTypes.join(', ')}`,
    );
}

export function checkFormulaTypes(
  formula: ExpressionFormula,
  place: { readonly name: string; readonly pointer: string; readonly fields: ReadableFields },
  add: AddError,
): void {
  const compiled = compileFormula(formula, place.fields);
  if (!isMistake(compiled)) return;
  const message = `field \`${place.name}\`: its formula, at character ${compiled.at + 1}: ${compiled.message}`;
  add(`${place.pointer}/cel`, 'invalid_expression', message);
}

/** Checks the types of an expression that gives standing records their values. */
export function checkBackfillTypes(
  field: FieldDefinition,
  { pointer, fields }: { readonly pointer: string; readonly fields: ReadableFields },
  add: AddError,
): void {
  const compiled = compileBackfill(field, fields);
  if (!isMistake(compiled)) return;
  const message = `field \`${field.name}\`: its backfill, at character ${compiled.at + 1}: ${compiled.message}`;
  add(pointer, 'invalid_expression', message);
}

/** Checks that the hints of a field are known, of the right types, and among those that mean something for it. */
function checkHints(
  part: DefinitionPart,
  field: { readonly name: string; readonly hints: readonly string[] },
  add: AddError,
): void {
  const { name, hints } = field;
  for (const [hint, value] of Object.entries(part.item)) {
    if (hint === 'name' || hint === 'colType') continue;
    const at = part.pointer + pointerTo(hint);
    const shape = Object.hasOwn(hintShapes, hint) ? hintShapes[hint] : undefined;
    if (shape === undefined)
      add(at, 'unknown_field', `field \`${name}\` has an unknown hint \`${hint.slice(0, 100)}\``);
    else if (!shape.holds(value)) add(at, 'wrong_type', `field \`${name}\`: \`${hint}\` must be ${shape.expected}`);
    else if (!hints.includes(hint)) add(at, 'hint_without_meaning', withoutMeaning(name, hint));
  }
}

function withoutMeaning(name: string, hint: string): string {
  return `field \`${name}\`: \`${hint}\` does not apply to its colType`;
}

/** Hints that the checks of a field come from, so that they say nothing where `validate` is not true. */
export const checkedHints = ['minlength', 'maxlength', 'min', 'max', 'pattern'] as const;

interface HintShape {
  readonly holds: (value: unknown) => boolean;
  readonly expected: string;
}

const flag: HintShape = { holds: (value) => typeof value === 'boolean', expected: '`true` or `false`' };
const text: HintShape = { holds: (value) => typeof value === 'string', expected: 'a string' };
const length: HintShape = {
  holds: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  expected: 'a whole number from 0',
};
const number: HintShape = { holds: (value) => Number.isFinite(value), expected: 'a number' };
const object: HintShape = { holds: isObject, expected: 'an object' };

const names: HintShape = {
  holds: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
  expected: 'a list of names',
};

const hintShapes: Readonly<Record<string, HintShape>> = {
  validate: flag,
  required: flag,
  index: flag,
  search: flag,
  minlength: length,
  maxlength: length,
  min: number,
  max: number,
  pattern: text,
  backfill: text,
  enumValues: { holds: isEnumValues, expected: `a list of 1 to ${definitionLimits.enumValuesMax} strings` },
  formula: { holds: (value) => typeof value === 'string' || isObject(value), expected: 'a string or an object' },
  items: object,
  lookup: object,
  aliases: names,
  formerNames: names,
  storedAs: text,
  convert: { holds: isObject, expected: 'an expression that is sent for a field that stands' },
  description: { holds: (value) => typeof value === 'string' && value.length <= 2000, expected: 'a string' },
  default: { holds: (value) => value !== null, expected: 'a value of the field' },
};

function isEnumValues(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= definitionLimits.enumValuesMax &&
    value.every((item) => typeof item === 'string' && item !== '' && item.length <= 256)
  );
}
