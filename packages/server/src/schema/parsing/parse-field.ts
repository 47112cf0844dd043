import { type FieldDefinition, isPlatformField } from '../definition.ts';
import { type FieldBehaviour, type FieldType, isPlatformMade, readValue } from '../field-types/field-type.ts';
import { guidType } from '../field-types/guid.ts';
import { plainTypes } from '../field-types/plain-types.ts';
import { behaviourOf, colTypeOf, fieldTypes, plannedTypes } from '../field-types/registry.ts';
import { takesBackfill } from '../fills/compile-fills.ts';
import { fieldNameProblem, otherFieldName } from '../names.ts';
import { type AddError, errorCount, isObject } from './add-error.ts';
import { checkHints, withoutMeaning } from './field-hints.ts';
import type { Part } from './members.ts';
import { checkConversion } from './parse-conversion.ts';
import { checkFormula } from './parse-formula.ts';
import { checkLookup } from './parse-lookup.ts';

/** Reads one field of the catalog: what is wrong with it is added, and it is given if it holds but for its default and its index. */
export function parseField(part: Part, add: AddError): FieldDefinition | undefined {
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

function readName({ item, pointer }: Part, add: AddError): string | undefined {
  const problem = fieldNameProblem(item.name);
  const name = String(item.name);
  if (problem !== undefined) add(`${pointer}/name`, 'invalid_name', problem);
  else if (isPlatformField(name) && !(name === 'id' && item.colType === guidType.colType))
    add(`${pointer}/name`, 'reserved_name', `field \`${name}\` is set by the platform: ${otherFieldName(name)}`);
  else return name;
  return undefined;
}

function readType(
  { item, pointer }: Part,
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
function readFormerType({ item, pointer }: Part, add: AddError): void {
  const name = String(item.name);
  const type = readType({ item, pointer }, { name, types: allTypes }, add);
  if (type?.isList === true && isObject(item.items))
    checkItems({ item: item.items, pointer: `${pointer}/items` }, name, add);
}

/** The elements of an array are fields without a name, and with nothing that concerns the record as a whole. */
function checkItems(part: Part, name: string, add: AddError): void {
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
