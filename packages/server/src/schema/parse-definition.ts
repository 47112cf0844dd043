import type { InputError } from '@freehold/contract/problem';
import { isMistake } from '../expressions/port.ts';
import { invalidBody } from '../lib/problem.ts';
import { checkedFields, compileCheck } from './checks.ts';
import { definitionLimits, type EntityDefinition, type FieldDefinition } from './definition.ts';
import { withFormerNames } from './field-names.ts';
import { apiNameProblem, entityNameProblem, newEntityNameProblem } from './names.ts';
import { type AddError, isObject, partsOf, refuseUnknownMembers } from './parsing/members.ts';
import { parseCatalog } from './parsing/parse-catalog.ts';
import { checkCompoundIndexes, checkIndexes } from './parsing/parse-indexes.ts';
import { checkBaseKeys } from './parsing/parse-keys.ts';
import { parseViews } from './parsing/parse-views.ts';

/** A definition that holds, with remarks on what it says without effect. */
export interface ParsedDefinition {
  readonly definition: EntityDefinition;
  readonly warnings: readonly string[];
}

/**
 * Reads the payload of `POST /api/{apiname}`.
 * @param isNew whether the entity is not there yet.
 * @throws Problem `validation_failed` or `unknown_field`, with every mistake found and where it stands.
 */
export function parseDefinition(input: unknown, { isNew = false } = {}): ParsedDefinition {
  const errors: InputError[] = [];
  const add = (pointer: string, code: string, message: string): void => {
    errors.push({ pointer, code, message });
  };
  if (!isObject(input)) throw invalidBody([bodyError()]);
  if (Buffer.byteLength(JSON.stringify(input)) > definitionLimits.bytesMax) throw invalidBody([sizeError()]);
  // Before any of them is compiled.
  if (expressionCharacters(input) > definitionLimits.expressionCharactersMax) throw invalidBody([expressionsError()]);
  refuseUnknownMembers({ item: input, pointer: '' }, { what: 'an entity definition', known: definitionMembers }, add);
  const nameProblem = (isNew ? newEntityNameProblem : entityNameProblem)(input.entityName);
  if (nameProblem !== undefined) add('/entityName', 'invalid_name', nameProblem);
  const apiProblem = input.apiname === undefined ? undefined : apiNameProblem(input.apiname);
  if (apiProblem !== undefined) add('/apiname', 'invalid_name', apiProblem);
  const { fields, warnings } = parseCatalog(input.UpdateParams, add);
  if (input.baseKeys !== undefined) checkBaseKeys(input.baseKeys, fields, add);
  checkIndexes(input, fields, add);
  if (input.indexes !== undefined) checkCompoundIndexes(input.indexes, fields, add);
  if (input.Views !== undefined) parseViews(input.Views, fields, add);
  if (input.checks !== undefined) parseChecks(input.checks, fields, add);
  if (errors.length > 0) throw invalidBody(errors);
  // Every member was checked above, so the body is the definition; it is kept as it was supplied, but for names.
  const UpdateParams = fields.map(withFormerNames);
  const isComplete = input.UpdateParams !== undefined && UpdateParams.every((field, at) => field === fields[at]);
  const complete = isComplete ? input : { ...input, UpdateParams };
  return { definition: complete as unknown as EntityDefinition, warnings };
}

const definitionMembers = [
  'entityName',
  'apiname',
  'baseKeys',
  'UpdateParams',
  'ownerIndexes',
  'parentIndex',
  'UniqueIndexes',
  'indexes',
  'Views',
  'checks',
];

/** UTF-16 units of the expressions in what was sent, whatever else is wrong with it. */
function expressionCharacters(input: Readonly<Record<string, unknown>>): number {
  let sum = 0;
  JSON.stringify(input, (member, value: unknown) => {
    if ((member === 'cel' || member === 'backfill') && typeof value === 'string') sum += value.length;
    return value;
  });
  return sum;
}

function expressionsError(): InputError {
  const message = `the expressions of an entity may have at most ${definitionLimits.expressionCharactersMax} characters together`;
  return { pointer: '', code: 'too_long', message };
}

function sizeError(): InputError {
  const message = `an entity definition may have at most ${definitionLimits.bytesMax} bytes`;
  return { pointer: '', code: 'too_long', message };
}

function bodyError(): InputError {
  return { pointer: '', code: 'wrong_type', message: 'an entity definition must be a JSON object' };
}

const checksMax = 20;
const messageMax = 500;

/** Reads `checks`: each is a condition over the fields, and the sentence that a record which does not meet it is refused with. */
function parseChecks(input: unknown, catalog: readonly FieldDefinition[], add: AddError): void {
  const fields = checkedFields(catalog);
  for (const part of partsOf(input, { name: 'checks', pointer: '/checks', max: checksMax }, add)) {
    const { cel, message } = part.item;
    refuseUnknownMembers(part, { what: 'a check', known: ['cel', 'message'] }, add);
    if (typeof message !== 'string' || message === '' || message.length > messageMax)
      add(`${part.pointer}/message`, 'wrong_type', `\`message\` must be a text of 1 to ${messageMax} characters`);
    if (typeof cel !== 'string') add(`${part.pointer}/cel`, 'wrong_type', '`cel` must be an expression, as a string');
    else addMistake(compileCheck(cel, fields), `${part.pointer}/cel`, add);
  }
}

/** The place of a mistake is told as its character, from 1 on. */
function addMistake(compiled: ReturnType<typeof compileCheck>, pointer: string, add: AddError): void {
  if (isMistake(compiled)) add(pointer, 'invalid_expression', `at character ${compiled.at + 1}: ${compiled.message}`);
}
