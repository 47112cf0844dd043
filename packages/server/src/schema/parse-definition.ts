import type { InputError } from '@freehold/contract/problem';
import { isMistake } from '../expressions/port.ts';
import { invalidBody, Problem } from '../lib/problem.ts';
import { checkedFields, compileCheck } from './compile-entity.ts';
import {
  definitionLimits,
  type EntityDefinition,
  type FieldDefinition,
  isPlatformField,
  withFormerNames,
} from './definition.ts';
import { type EntityContent, viewedActions } from './entity-content.ts';
import { reservedTokens } from './key-template.ts';
import { apiNameProblem, entityNameProblem, fieldNameProblem, newEntityNameProblem } from './names.ts';
import { type AddError, isObject, partsOf, refuseUnknownMembers } from './parsing/members.ts';
import { checkAggregates } from './parsing/parse-aggregates.ts';
import { parseCatalog } from './parsing/parse-catalog.ts';
import { checkBaseKeys, checkCompoundIndexes, checkIndexes } from './parsing/parse-indexes.ts';
import { parseViews } from './parsing/parse-views.ts';

/** A definition that holds, with remarks on what it says without effect. */
export interface ParsedDefinition {
  readonly definition: EntityDefinition;
  readonly warnings: readonly string[];
}

/**
 * Reads the payload of `POST /api/{apiname}`.
 * @param isNew whether the entity is not there yet.
 * @throws Problem `validation_failed` or `unknown_field`, with every mistake found and its pointer.
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
  if (input.aggregates !== undefined) checkAggregates(input.aggregates, fields, add);
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
  'aggregates',
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

/** The position of a mistake is its character, from 1 on. */
function addMistake(compiled: ReturnType<typeof compileCheck>, pointer: string, add: AddError): void {
  if (isMistake(compiled)) add(pointer, 'invalid_expression', `at character ${compiled.at + 1}: ${compiled.message}`);
}

/** Reads an entity as one thing: its definition, and the views that configs have of their own. */
export function parseEntityContent(
  input: unknown,
): { readonly content: EntityContent } | { readonly errors: readonly InputError[] } {
  const errors: InputError[] = [];
  const add: AddError = (pointer, code, message) => {
    errors.push({ pointer, code, message });
  };
  if (!isObject(input)) return { errors: [notAnObject] };
  refuseUnknownMembers({ item: input, pointer: '' }, { what: 'an entity', known: ['definition', 'views'] }, add);
  const definition = readDefinition(input.definition, add);
  const { views = {} } = input;
  if (!isObject(views))
    add('/views', 'wrong_type', '`views` must be an object that holds views by the name of an action');
  else if (definition !== undefined) checkOwnViews(views, definition.UpdateParams, add);
  if (errors.length > 0 || definition === undefined) return { errors };
  return { content: { definition, views: views as EntityContent['views'] } };
}

const notAnObject: InputError = {
  pointer: '',
  code: 'wrong_type',
  message: 'the content of an entity must be an object with `definition`, and optionally `views`',
};

function readDefinition(input: unknown, add: AddError): EntityContent['definition'] | undefined {
  try {
    return parseDefinition(input).definition;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    for (const { pointer, code, message } of error.details.errors ?? []) add(`/definition${pointer}`, code, message);
    return undefined;
  }
}

/** The start of the input, as error pointers show it. */
const viewsPointer = /^\/Views/;

function checkOwnViews(
  views: Readonly<Record<string, unknown>>,
  fields: readonly FieldDefinition[],
  add: AddError,
): void {
  refuseUnknownMembers({ item: views, pointer: '/views' }, { what: '`views`', known: viewedActions }, add);
  for (const action of viewedActions) {
    if (!Object.hasOwn(views, action)) continue;
    if (Buffer.byteLength(JSON.stringify(views[action])) > definitionLimits.bytesMax)
      add(`/views/${action}`, 'too_long', `views may have at most ${definitionLimits.bytesMax} bytes`);
    else
      parseViews(views[action], fields, (pointer, code, message) =>
        add(pointer.replace(viewsPointer, `/views/${action}`), code, message),
      );
  }
}

/** The data that are sent as a new definition, and a remark on each field that was added. */
interface WithOwnerFields {
  readonly input: unknown;
  readonly warnings: readonly string[];
}

/**
 * Adds the fields that `ownerIndexes` of a new definition name and that are none, as `guid`. A name that no such field
 * may have is left for the parser to refuse.
 */
export function withOwnerFields(input: unknown): WithOwnerFields {
  if (!isObject(input)) return { input, warnings: [] };
  const { UpdateParams = [], ownerIndexes } = input;
  if (!Array.isArray(UpdateParams) || !Array.isArray(ownerIndexes)) return { input, warnings: [] };
  const taken = new Set(UpdateParams.flatMap(namesIn));
  const named = new Set(ownerIndexes.map((index: unknown) => (isObject(index) ? index.ownerFieldName : undefined)));
  const added = [...named].filter((name): name is string => mayBeAdded(name) && !taken.has(name));
  if (added.length === 0) return { input, warnings: [] };
  return {
    input: { ...input, UpdateParams: [...UpdateParams, ...added.map((name) => ({ name, colType: 'guid' }))] },
    warnings: added.map((name) => `field \`${name}\` is added as a \`guid\`: \`ownerFieldName\` names it`),
  };
}

function mayBeAdded(name: unknown): name is string {
  if (typeof name !== 'string' || fieldNameProblem(name) !== undefined) return false;
  return !isPlatformField(name) && !reservedTokens.includes(name);
}

/** Each name that a field has or had: another field may not have it. */
function namesIn(field: unknown): readonly unknown[] {
  if (!isObject(field)) return [];
  const { name, aliases, formerNames, storedAs } = field;
  return [name, storedAs, aliases, formerNames].flat();
}

/** @throws Problem naming what is wrong with the views that a config is to have. */
export function refuseBadViews(members: Readonly<Record<string, unknown>>, definition: EntityDefinition): void {
  const errors: InputError[] = [];
  const add = (pointer: string, code: string, message: string): void => {
    errors.push({ pointer, code, message });
  };
  refuseUnknownMembers({ item: members, pointer: '' }, { what: 'what a config can change', known: ['Views'] }, add);
  const { Views = null } = members;
  if (Buffer.byteLength(JSON.stringify(Views)) > definitionLimits.bytesMax)
    add('/Views', 'too_long', `\`Views\` may have at most ${definitionLimits.bytesMax} bytes`);
  else if (Views !== null) parseViews(Views, definition.UpdateParams, add);
  if (errors.length > 0) throw invalidBody(errors);
}

/** Reads the definition of an entity that is to be made. @throws Problem as `parseDefinition`. */
export function parseNewDefinition(input: unknown): ParsedDefinition {
  const complete = withOwnerFields(input);
  const { definition, warnings } = parseDefinition(complete.input, { isNew: true });
  return { definition, warnings: [...complete.warnings, ...warnings] };
}
