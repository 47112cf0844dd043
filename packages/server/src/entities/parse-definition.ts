import type { InputError } from '@freehold/contract/problem';
import { pointerTo } from '../lib/json-pointer.ts';
import { invalidBody } from '../lib/problem.ts';
import { definitionLimits, type EntityDefinition, type FieldDefinition, isPlatformField } from './definition.ts';
import { fieldTypes } from './field-types/registry.ts';
import { claimTokens, parseTemplate } from './key-template.ts';
import { entityNameProblem, fieldNameProblem } from './names.ts';

/** A definition that holds, with remarks on what it says without effect. */
export interface ParsedDefinition {
  readonly definition: EntityDefinition;
  readonly warnings: readonly string[];
}

/**
 * Reads the payload of `POST /api/{apiname}`.
 * @throws Problem `validation_failed` or `unknown_field`, with every mistake found and where it stands.
 */
export function parseDefinition(input: unknown): ParsedDefinition {
  const errors: InputError[] = [];
  const add = (pointer: string, code: string, message: string): void => {
    errors.push({ pointer, code, message });
  };
  if (!isObject(input)) throw invalidBody([bodyError()]);
  if (Buffer.byteLength(JSON.stringify(input)) > definitionLimits.bytesMax) throw invalidBody([sizeError()]);
  for (const member of Object.keys(input)) {
    if (notYetBuilt.includes(member)) {
      if (!isEmpty(input[member])) add(`/${member}`, 'not_supported', `\`${member}\` is not supported yet`);
    } else if (!definitionMembers.includes(member))
      add(pointerTo(member), 'unknown_field', `unknown member \`${member}\` in an entity definition`);
  }
  const nameProblem = entityNameProblem(input.entityName);
  if (nameProblem !== undefined) add('/entityName', 'invalid_name', nameProblem);
  const { fields, warnings } = parseCatalog(input.UpdateParams, add);
  if (input.baseKeys !== undefined) checkTemplates(input.baseKeys, fields, add);
  if (errors.length > 0) throw invalidBody(errors);
  // Every member was checked above, so the body is the definition; it is kept as it was supplied.
  const complete = input.UpdateParams === undefined ? { ...input, UpdateParams: [] } : input;
  return { definition: complete as unknown as EntityDefinition, warnings };
}

const definitionMembers = ['entityName', 'baseKeys', 'UpdateParams'];
const notYetBuilt = ['ownerIndexes', 'parentIndex', 'UniqueIndexes', 'Views'];

const workspaceStart = 'org#{org};';

function sizeError(): InputError {
  const message = `an entity definition may have at most ${definitionLimits.bytesMax} bytes`;
  return { pointer: '', code: 'too_long', message };
}

type AddError = (pointer: string, code: string, message: string) => void;

function bodyError(): InputError {
  return { pointer: '', code: 'wrong_type', message: 'an entity definition is a JSON object' };
}

function parseCatalog(input: unknown, add: AddError): { fields: FieldDefinition[]; warnings: string[] } {
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

function errorCount(add: AddError): { add: AddError; count: () => number } {
  let count = 0;
  return {
    add: (pointer, code, message) => {
      count += 1;
      add(pointer, code, message);
    },
    count: () => count,
  };
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

function checkTemplates(input: unknown, fields: readonly FieldDefinition[], add: AddError): void {
  if (!isObject(input)) {
    add('/baseKeys', 'wrong_type', '`baseKeys` must be an object');
    return;
  }
  for (const member of Object.keys(input))
    if (member !== 'pkTemplate' && member !== 'skTemplate')
      add(pointerTo('baseKeys', member), 'unknown_field', `unknown member \`${member}\` in \`baseKeys\``);
  const known = new Set<string>([...claimTokens, ...fields.filter(canBeToken).map((field) => field.name)]);
  for (const member of ['pkTemplate', 'skTemplate'] as const) {
    const source = input[member];
    const at = `/baseKeys/${member}`;
    if (typeof source !== 'string' || source === '' || source.length > 256) {
      add(at, 'wrong_type', `\`${member}\` must be a string of 1 to 256 characters`);
      continue;
    }
    const template = parseTemplate(source);
    if (typeof template === 'string') {
      add(at, 'invalid_template', `\`${member}\` ${template}`);
      continue;
    }
    for (const token of template.tokens)
      if (!known.has(token)) add(at, 'unknown_token', `\`${member}\` names an unknown token \`{${token}}\``);
    if (member === 'pkTemplate' && !(source.startsWith(workspaceStart) && source.length > workspaceStart.length))
      add(at, 'outside_workspace', '`pkTemplate` must begin with `org#{org};`, so that it stays in the workspace');
  }
}

function canBeToken(field: FieldDefinition): boolean {
  return field.colType !== 'json';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
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
