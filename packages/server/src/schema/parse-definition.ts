import type { InputError } from '@freehold/contract/problem';
import { invalidBody } from '../lib/problem.ts';
import { definitionLimits, type EntityDefinition } from './definition.ts';
import { withFormerNames } from './field-names.ts';
import { apiNameProblem, entityNameProblem, newEntityNameProblem } from './names.ts';
import { isObject } from './parsing/add-error.ts';
import { refuseUnknownMembers } from './parsing/members.ts';
import { parseCatalog } from './parsing/parse-catalog.ts';
import { parseChecks } from './parsing/parse-checks.ts';
import { checkCompoundIndexes } from './parsing/parse-compound-indexes.ts';
import { checkIndexes } from './parsing/parse-indexes.ts';
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
