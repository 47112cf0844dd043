import { isDeepStrictEqual } from 'node:util';
import type { InputError } from '@freehold/contract/problem';
import { Problem } from '../../lib/problem.ts';
import type { CompiledEntity } from '../compile-entity.ts';
import { rootOf, storedNamesOf } from '../conversion.ts';
import { type EntityDefinition, type FieldDefinition, storedNameOf } from '../definition.ts';
import { apiName, type EntityContent, viewedActions } from '../entity-content.ts';
import { type EntityState, newEntityState, nextEntityState } from '../entity-state.ts';
import { fieldTypeOf } from '../field-types/registry.ts';
import type { IndexState } from '../indexes.ts';
import { defaultTemplates, reservedTokens } from '../key-template.ts';
import { parseViews } from '../parsing/parse-views.ts';
import { storedByName } from '../renames/stored-names.ts';

/** @throws Problem `conflict` where the records of an entity would need other keys than they have. */
function refuseOtherKeys(before: EntityDefinition, after: EntityDefinition): void {
  const keysOf = ({ entityName, baseKeys, UpdateParams }: EntityDefinition) => {
    const { pkTemplate, skTemplate } = { ...defaultTemplates(entityName), ...baseKeys };
    return [pkTemplate, skTemplate].map((template) => storedTemplate(template, UpdateParams));
  };
  if (isDeepStrictEqual(keysOf(before), keysOf(after))) return;
  const { entityName: name } = before;
  throw new Problem(
    'conflict',
    `the \`baseKeys\` of entity \`${name}\` cannot be changed, because the keys of records never change: remove the entity and its records first`,
    { kind: 'entity', name },
  );
}

/** A template that names fields as they are stored: keys are the same where it is. */
function storedTemplate(template: string, fields: readonly FieldDefinition[]): string {
  const stored = storedByName(fields);
  const renamed = new Set(fields.filter((field) => storedNameOf(field) !== field.name).map(storedNameOf));
  return template.replace(/\{([^{}]*)\}/g, (whole, token: string) => {
    if (reservedTokens.includes(token)) return whole;
    // A claim of the caller, where a field was called like it before.
    return stored.has(token) ? `{${stored.get(token)}}` : renamed.has(token) ? `{=${token}}` : whole;
  });
}

/** Views that configs have of their own must not name what the definition has no more. */
export function unfitViews({ definition, views }: EntityContent): readonly InputError[] {
  const errors: InputError[] = [];
  for (const action of viewedActions) {
    const own = views[action];
    if (own === undefined) continue;
    parseViews(own, definition.UpdateParams, (pointer, code, message) => {
      const api = apiName(action, definition.entityName);
      const sentence = `the API \`${api}\` has a view that would not fit, at \`${pointer}\`: ${message}`;
      errors.push({ pointer: '/UpdateParams', code, message: sentence });
    });
  }
  return errors;
}

/** Each costs every write until its entries are gone. */
const leavingMax = 40;

/** @throws Problem `conflict` while too many indexes of earlier changes are still being taken away. */
function refuseTooManyLeaving({ indexes }: EntityState): void {
  const leaving = indexes.filter(({ state }) => state === 'dropping' || state === 'erasing');
  if (leaving.length <= leavingMax) return;
  throw new Problem('conflict', 'the indexes of earlier changes are still being removed: try again in a moment');
}

/** The names under which records may have values of a field, or of a field that the definition has no more. */
export function storedUnder({ fields, stored, hidden }: CompiledEntity, name: string): readonly string[] {
  const root = rootOf(stored.inStore(name));
  const known = fields.get(name)?.definition;
  const left = hidden.map(stored.inStore).filter((one) => rootOf(one) === root);
  return [...new Set([...(known === undefined ? [stored.inStore(name)] : storedNamesOf(known)), ...left])];
}

/** Warns of expected effects on stored records and policies that a change of a definition does not have. */
export function changeWarnings({
  before,
  after,
  removed,
}: {
  readonly before: EntityDefinition;
  readonly after: EntityDefinition;
  readonly removed: readonly string[];
}): readonly string[] {
  const old = new Map(before.UpdateParams.map((field) => [storedNameOf(field), field]));
  const changed = after.UpdateParams.flatMap((field) => {
    const sentence = fieldTypeOf(field).changeWarning?.(old.get(storedNameOf(field)), field);
    return sentence === undefined ? [] : [`field \`${field.name}\`: ${sentence}`];
  });
  return [...changed, ...removed.map(removalWarning)];
}

function removalWarning(name: string): string {
  return `field \`${name}\`: policies that name it stay, and apply to a later field of this name`;
}

/** The state of an entity when its records were last written, and whether it is served. */
interface CurrentState {
  readonly state: EntityState | undefined;
  readonly compiled: CompiledEntity | undefined;
  readonly isServed: boolean;
}

/**
 * The state of an entity under a definition that is to come.
 * @throws Problem `conflict` where the records that are there cannot be had under it.
 */
export function stateUnder(
  definition: EntityDefinition,
  { state, compiled, isServed }: CurrentState,
  {
    next,
    version,
    erased = [],
  }: { readonly next: number; readonly version: number; readonly erased?: readonly string[] | undefined },
): EntityState {
  if (state === undefined || compiled === undefined) return { ...newEntityState(definition, next), version };
  refuseOtherKeys(compiled.definition, definition);
  refuseErasing(definition, state);
  // Failed work is tried again.
  const isSame =
    isDeepStrictEqual(compiled.definition, definition) &&
    [...state.indexes, ...(state.fills ?? [])].every((one) => one.state !== 'failed');
  const current = isServed ? state : { ...state, indexes: state.indexes.map(unfinishedLeaves) };
  const after =
    isSame && erased.length === 0 && isServed
      ? state
      : nextEntityState(current, { before: compiled.definition, after: definition, erased }, next);
  refuseTooManyLeaving(after);
  return { ...after, version };
}

/** Lost values must not come back to life under a name that is given again. */
function refuseErasing({ entityName, UpdateParams }: EntityDefinition, { erasing = [] }: EntityState): void {
  const early = UpdateParams.filter((field) => erasing.includes(storedNameOf(field))).map(({ name }) => `\`${name}\``);
  if (early.length === 0) return;
  const message = `the values of removed fields of \`${entityName}\` are still being erased: try again in a moment with ${early.join(', ')}`;
  throw new Problem('conflict', message, { kind: 'entity', name: entityName });
}

/**
 * While the entity was not served, its indexes were not finished either: they are rebuilt under other ids. What is
 * being dropped may still be read by.
 */
function unfinishedLeaves(index: IndexState): IndexState {
  return index.state === 'ready' || index.state === 'dropping' ? index : { ...index, state: 'erasing' };
}
