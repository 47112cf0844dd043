import type { InputError } from '@freehold/contract/problem';
import { pointerTo } from '../lib/json-pointer.ts';
import { invalidBody } from '../lib/problem.ts';
import { type AddError, isObject } from './definition/add-error.ts';
import { parseCatalog } from './definition/parse-field.ts';
import { definitionLimits, type EntityDefinition, type FieldDefinition } from './definition.ts';
import { claimTokens, parseTemplate } from './key-template.ts';
import { entityNameProblem } from './names.ts';

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

function bodyError(): InputError {
  return { pointer: '', code: 'wrong_type', message: 'an entity definition is a JSON object' };
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

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
