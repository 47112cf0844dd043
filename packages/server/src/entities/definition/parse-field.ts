import { pointerTo } from '../../lib/json-pointer.ts';
import { definitionLimits, type FieldDefinition, isPlatformField } from '../definition.ts';
import { fieldTypes } from '../field-types/registry.ts';
import { fieldNameProblem } from '../names.ts';
import { type AddError, errorCount, isObject } from './add-error.ts';

/** Reads the catalog of a definition: the fields that hold, and remarks on what they say without effect. */
export function parseCatalog(input: unknown, add: AddError): { fields: FieldDefinition[]; warnings: string[] } {
  const fields: FieldDefinition[] = [];
  const warnings: string[] = [];
  if (input === undefined) return { fields, warnings };
  if (!Array.isArray(input)) {
    add('/UpdateParams', 'wrong_type', '`UpdateParams` must be an array of fields');
    return { fields, warnings };
  }
  if (input.length > definitionLimits.fieldsMax)
    add('/UpdateParams', 'too_many', `\`UpdateParams\` may have at most ${definitionLimits.fieldsMax} fields`);
  const seen = new Set<string>();
  for (const [index, item] of input.slice(0, definitionLimits.fieldsMax).entries()) {
    const field = parseField(item, `/UpdateParams/${index}`, add);
    if (field === undefined) continue;
    if (seen.has(field.name))
      add(`/UpdateParams/${index}/name`, 'duplicate', `field \`${field.name}\` is defined twice`);
    seen.add(field.name);
    fields.push(field);
    if ((field.minlength !== undefined || field.maxlength !== undefined) && field.validate !== true)
      warnings.push(`field \`${field.name}\`: its lengths are not enforced, because \`validate\` is not true`);
  }
  if (fields.filter((field) => field.index === true).length > definitionLimits.indexesMax)
    add('/UpdateParams', 'too_many', `at most ${definitionLimits.indexesMax} fields may have an index`);
  return { fields, warnings };
}

/** The hints of every type: what each must be, and what to say if it is not. */
const hintShapes: Readonly<Record<string, { readonly holds: (value: unknown) => boolean; readonly expected: string }>> =
  {
    validate: { holds: isBoolean, expected: '`true` or `false`' },
    required: { holds: isBoolean, expected: '`true` or `false`' },
    index: { holds: isBoolean, expected: '`true` or `false`' },
    minlength: { holds: isLength, expected: 'a whole number from 0' },
    maxlength: { holds: isLength, expected: 'a whole number from 0' },
    min: { holds: isNumber, expected: 'a number' },
    max: { holds: isNumber, expected: 'a number' },
    enumValues: { holds: isEnumValues, expected: `a list of 1 to ${definitionLimits.enumValuesMax} strings` },
    description: { holds: (value) => typeof value === 'string' && value.length <= 2000, expected: 'a string' },
    default: { holds: (value) => value !== null, expected: 'a value of the field' },
  };
const commonHints = ['validate', 'required', 'index', 'description', 'default'];
const hintsNotYetBuilt = ['search', 'lookup', 'formula', 'items'];

function parseField(item: unknown, pointer: string, add: AddError): FieldDefinition | undefined {
  if (!isObject(item)) {
    add(pointer, 'wrong_type', 'a field is an object with a `name`');
    return undefined;
  }
  const nameProblem = fieldNameProblem(item.name);
  if (nameProblem !== undefined) {
    add(`${pointer}/name`, 'invalid_name', nameProblem);
    return undefined;
  }
  const name = String(item.name);
  if (isPlatformField(name) && !(name === 'id' && item.colType === 'guid')) {
    add(`${pointer}/name`, 'reserved_name', `field \`${name}\` is set by the platform`);
    return undefined;
  }
  const { colType = 'string' } = item;
  const type = typeof colType === 'string' ? fieldTypes.get(colType) : undefined;
  if (type === undefined) {
    const known = [...fieldTypes.keys()].join(', ');
    add(`${pointer}/colType`, 'unknown_type', `field \`${name}\`: unknown colType, must be one of ${known}`);
    return undefined;
  }
  const before = errorCount(add);
  checkHints(item, { name, pointer, hints: [...commonHints, ...type.hints] }, before.add);
  if (before.count() > 0) return undefined;
  const field = item as unknown as FieldDefinition;
  checkBehaviour(field, pointer, add);
  return field;
}

interface FieldPlace {
  readonly name: string;
  readonly pointer: string;
  readonly hints: readonly string[];
}

function checkHints(item: Readonly<Record<string, unknown>>, place: FieldPlace, add: AddError): void {
  const { name, pointer, hints } = place;
  for (const [hint, value] of Object.entries(item)) {
    if (hint === 'name' || hint === 'colType') continue;
    const at = pointer + pointerTo(hint);
    const shape = Object.hasOwn(hintShapes, hint) ? hintShapes[hint] : undefined;
    if (hintsNotYetBuilt.includes(hint))
      add(at, 'not_supported', `field \`${name}\`: the hint \`${hint}\` is not supported yet`);
    else if (shape === undefined) add(at, 'unknown_field', `field \`${name}\` has an unknown hint \`${hint}\``);
    else if (!shape.holds(value)) add(at, 'wrong_type', `field \`${name}\`: \`${hint}\` must be ${shape.expected}`);
    else if (!hints.includes(hint))
      add(at, 'hint_without_meaning', `field \`${name}\`: \`${hint}\` means nothing for its colType`);
  }
}

function checkBehaviour(field: FieldDefinition, pointer: string, add: AddError): void {
  const behaviour = fieldTypes.get(field.colType ?? 'string')?.behave(field);
  if (behaviour === undefined) return;
  if (typeof behaviour === 'string') {
    add(pointer, 'invalid_hints', `field \`${field.name}\` ${behaviour}`);
    return;
  }
  if (field.index === true && behaviour.encode === undefined)
    add(`${pointer}/index`, 'not_indexable', `field \`${field.name}\`: its colType cannot be indexed`);
  if (field.default === undefined) return;
  const parsed = behaviour.parse(field.default);
  const check = field.validate === true ? behaviour.check : undefined;
  const problem = 'value' in parsed ? check?.(parsed.value) : parsed;
  if (problem !== undefined)
    add(`${pointer}/default`, problem.code, `field \`${field.name}\`: its default ${problem.message}`);
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value);
}

function isLength(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isEnumValues(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= definitionLimits.enumValuesMax &&
    value.every((item) => typeof item === 'string' && item !== '' && item.length <= 256)
  );
}
