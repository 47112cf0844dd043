import { isDeepStrictEqual } from 'node:util';
import { identityOf } from '../conversion.ts';
import {
  type CheckDefinition,
  type EntityDefinition,
  type FieldDefinition,
  storedNameOf,
  type Views,
} from '../definition.ts';
import type { EntityState } from '../entity-state.ts';
import { colTypeOf } from '../field-types/registry.ts';
import { isSameFill } from '../fills.ts';
import { type IndexState, isSameIndex } from '../indexes.ts';
import { StoredNames, withNamesOf } from '../renames/stored-names.ts';

/** A part of a change, named for programs and said for people. */
export interface ChangeStep {
  readonly change:
    | 'field_added'
    | 'field_removed'
    | 'field_changed'
    | 'field_renamed'
    | 'field_converted'
    | 'field_filled'
    | 'values_lost'
    | 'index_built'
    | 'index_dropped'
    | 'unique_contradicted'
    | 'check_added'
    | 'check_removed'
    | 'check_changed'
    | 'view_added'
    | 'view_removed'
    | 'view_changed'
    | 'definition_changed';
  readonly message: string;
  readonly field?: string;
  readonly from?: string;
  readonly index?: Pick<IndexState, 'kind' | 'name'>;
  readonly check?: string;
  readonly view?: string;
}

/** A definition that is to take another's place, what becomes of its indexes, and the fields whose values go. */
interface DefinitionSteps {
  readonly before: EntityDefinition;
  readonly after: EntityDefinition;
  readonly states: { readonly before: EntityState; readonly after: EntityState };
  readonly removed: readonly string[];
  readonly lost: readonly string[];
}

/** All that a change of a definition does. There is a step exactly where something becomes other than it was. */
export function definitionSteps({ before, after, states, removed, lost }: DefinitionSteps): readonly ChangeStep[] {
  const steps = [
    ...fieldSteps(before.UpdateParams, after.UpdateParams, removed),
    ...lost.filter((name) => !removed.includes(name)).map(lostStep),
    ...fillSteps(after, states),
    ...indexSteps(states, { before: new StoredNames(before.UpdateParams), after: new StoredNames(after.UpdateParams) }),
    ...checkSteps(before.checks, after.checks),
    ...viewSteps(before.Views, after.Views),
  ];
  return [...steps, ...otherSteps(withNamesOf(before, after), after, steps)];
}

/** @param of whose views they are, where they are those of one config. */
export function viewSteps(before: Views = {}, after: Views = {}, of = ''): readonly ChangeStep[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const viewOf = (views: Views, name: string) => (Object.hasOwn(views, name) ? views[name] : undefined);
  return names.flatMap((view): readonly ChangeStep[] => {
    const [was, is] = [viewOf(before, view), viewOf(after, view)];
    if (isDeepStrictEqual(was, is)) return [];
    const description = `view \`${view}\`${of}`;
    if (was === undefined) return [{ change: 'view_added', view, message: `${description} is added` }];
    if (is === undefined) return [{ change: 'view_removed', view, message: `${description} is removed` }];
    return [{ change: 'view_changed', view, message: `${description} shows other fields, or shows them otherwise` }];
  });
}

function fieldSteps(
  before: readonly FieldDefinition[],
  after: readonly FieldDefinition[],
  removed: readonly string[],
): readonly ChangeStep[] {
  const old = new Map(before.map((field) => [identityOf(field), field]));
  return [
    ...after.flatMap((field): readonly ChangeStep[] => {
      const was = old.get(identityOf(field));
      if (was !== undefined)
        return [...renamedField(was, field), ...convertedField(was, field), ...changedField(was, field)];
      const message = `field \`${field.name}\` is added with the type \`${colTypeOf(field)}\``;
      return [{ change: 'field_added', field: field.name, message }];
    }),
    ...removed.map((field): ChangeStep => {
      const message = before.some(({ name }) => name === field)
        ? `field \`${field}\` is removed and its stored values are erased`
        : `the values that earlier definitions left of field \`${field}\` are erased`;
      return { change: 'field_removed', field, message };
    }),
  ];
}

function renamedField({ name: from }: FieldDefinition, { name: field }: FieldDefinition): readonly ChangeStep[] {
  if (from === field) return [];
  const message = `field \`${from}\` is renamed to \`${field}\`: its values stay, and callers may use both names`;
  return [{ change: 'field_renamed', field, from, message }];
}

function convertedField(was: FieldDefinition, is: FieldDefinition): readonly ChangeStep[] {
  if (storedNameOf(was) === storedNameOf(is)) return [];
  const types = `from \`${colTypeOf(was)}\` to \`${colTypeOf(is)}\``;
  const message = `the values of field \`${is.name}\` are converted ${types}; those from before stay for a rollback`;
  return [{ change: 'field_converted', field: is.name, message }];
}

/** The consequences of a rename. */
const membersOfNames: readonly string[] = ['name', 'aliases', 'formerNames', 'storedAs'];

function changedField(was: FieldDefinition, is: FieldDefinition): readonly ChangeStep[] {
  const others = was.name === is.name ? ['formerNames'] : membersOfNames;
  const ofConversion = storedNameOf(was) === storedNameOf(is) ? [] : ['convert', 'storedAs', 'colType', 'items'];
  const members = changedMembers(was, is).filter((member) => ![...others, ...ofConversion].includes(member));
  if (members.length === 0) return [];
  const named = members.map((member) => `\`${member}\``).join(', ');
  return [{ change: 'field_changed', field: is.name, message: `field \`${is.name}\` changes in ${named}` }];
}

function changedMembers(before: object, after: object): readonly string[] {
  const [was, is] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...was.keys(), ...is.keys()])].filter(
    (member) => !isDeepStrictEqual(was.get(member), is.get(member)),
  );
}

function lostStep(field: string): ChangeStep {
  return {
    change: 'values_lost',
    field,
    message: `the stored values of field \`${field}\` are replaced`,
  };
}

function fillSteps(
  { UpdateParams }: EntityDefinition,
  { before, after }: DefinitionSteps['states'],
): readonly ChangeStep[] {
  const current = before.fills ?? [];
  const { inMemory } = new StoredNames(UpdateParams);
  const started = after.fills?.filter((fill) => !current.some((other) => isSameFill(fill, other))) ?? [];
  return started.map(({ field: stored }): ChangeStep => {
    const field = inMemory(stored);
    const definition = UpdateParams.find(({ name }) => name === field);
    return { change: 'field_filled', field, message: filledSentence(field, definition) };
  });
}

function filledSentence(name: string, definition: FieldDefinition | undefined): string {
  if (definition?.formula !== undefined) return `field \`${name}\` is computed in the stored records`;
  if (definition?.convert !== undefined)
    return `converted values of field \`${name}\` are written to the stored records`;
  return `stored records without a value of field \`${name}\` are given one`;
}

/** Indexes that the definition asks for: those that leave are none any more. */
function readyIndexes({ indexes }: EntityState): readonly IndexState[] {
  return indexes.filter(({ state }) => state === 'ready' || state === 'building' || state === 'failed');
}

/** @param names how the fields are stored that indexes are named by. */
function indexSteps(
  { before, after }: DefinitionSteps['states'],
  names: { readonly before: StoredNames; readonly after: StoredNames },
): readonly ChangeStep[] {
  const keyOf = ({ kind, name }: IndexState): string => `${kind} ${name}`;
  const old = new Map(readyIndexes(before).map((index) => [keyOf(index), index]));
  const next = new Map(readyIndexes(after).map((index) => [keyOf(index), index]));
  const built = [...next.values()].filter(
    (index) => index.state === 'building' && !before.indexes.some((other) => isSameIndex(index, other)),
  );
  const dropped = [...old.values()].filter((index) => !next.has(keyOf(index)));
  return [
    ...built.map((index): ChangeStep => {
      const verb = old.has(keyOf(index)) ? 'built again' : 'built';
      const shown = { ...index, name: names.after.indexName(index) };
      return indexStep('index_built', shown, `${describe(shown)} is ${verb} from the stored records before it serves`);
    }),
    ...dropped
      .map((index) => ({ ...index, name: names.before.indexName(index) }))
      .map((index) => indexStep('index_dropped', index, `${describe(index)} is dropped`)),
  ];
}

function describe({ kind, name }: IndexState): string {
  return kind === 'aggregate' ? `the aggregate \`${name}\`` : `the ${kind} index \`${name}\``;
}

function indexStep(change: 'index_built' | 'index_dropped', { kind, name }: IndexState, message: string): ChangeStep {
  return { change, index: { kind, name }, message };
}

function checkSteps(
  before: readonly CheckDefinition[] = [],
  after: readonly CheckDefinition[] = [],
): readonly ChangeStep[] {
  const [was, is] = [before, after].map((checks) => new Map(checks.map(({ cel, message }) => [cel, message])));
  if (was === undefined || is === undefined) return [];
  return [
    ...[...is].flatMap(([check, text]): readonly ChangeStep[] => {
      if (!was.has(check)) return [{ change: 'check_added', check, message: `the check “${text}” is added` }];
      if (was.get(check) === text) return [];
      return [{ change: 'check_changed', check, message: `a check has the message “${text}”` }];
    }),
    ...[...was]
      .filter(([check]) => !is.has(check))
      .map(
        ([check, text]): ChangeStep => ({ change: 'check_removed', check, message: `the check “${text}” is removed` }),
      ),
  ];
}

/** The differences beside the existing fields that no other step names. */
function otherSteps(
  before: EntityDefinition,
  after: EntityDefinition,
  reported: readonly ChangeStep[],
): readonly ChangeStep[] {
  const isRecorded: Readonly<Record<string, (step: ChangeStep) => boolean>> = {
    ownerIndexes: ({ index }) => index?.kind === 'owner',
    parentIndex: ({ index }) => index?.kind === 'parent',
    UniqueIndexes: ({ index }) => index?.kind === 'unique',
    aggregates: ({ index }) => index?.kind === 'aggregate',
    checks: ({ check }) => check !== undefined,
    Views: ({ view }) => view !== undefined,
  };
  const others = changedMembers(before, after).filter(
    (member) => member !== 'UpdateParams' && !reported.some((step) => isRecorded[member]?.(step)),
  );
  return [
    ...(isReordered(before, after) ? [otherStep('the fields have another order')] : []),
    ...others.map((member) => otherStep(`\`${member}\` changes`)),
  ];
}

function otherStep(message: string): ChangeStep {
  return { change: 'definition_changed', message };
}

function isReordered(before: EntityDefinition, after: EntityDefinition): boolean {
  const namesOf = ({ UpdateParams }: EntityDefinition) => UpdateParams.map(identityOf);
  const [was, is] = [namesOf(before), namesOf(after)];
  return !isDeepStrictEqual(
    was.filter((name) => is.includes(name)),
    is.filter((name) => was.includes(name)),
  );
}
