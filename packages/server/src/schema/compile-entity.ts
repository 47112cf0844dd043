import type { InputError } from '@freehold/contract/problem';
import { compileExpression, type Expression, isMistake } from '../expressions/port.ts';
import { compileConversions } from './conversion.ts';
import {
  type CheckDefinition,
  type EntityDefinition,
  type FieldDefinition,
  type FieldNaming,
  type FieldValues,
  isPlatformField,
  namesByAlias,
  namingOf,
} from './definition.ts';
import { type EntityState, newEntityState } from './entity-state.ts';
import { evaluateOn, evaluationSteps, type ReadableFields } from './field-types/expression-value.ts';
import { type CompiledField, compileField, readableFields } from './field-types/registry.ts';
import { type CompiledFill, compileFills } from './fills.ts';
import { type CompiledIndexes, compileIndexes } from './indexes.ts';
import { type CompiledKeys, defaultTemplates, mayOverlap, mayStartWith, parseTemplate } from './key-template.ts';
import { StoredNames, withKnownNames } from './renames/stored-names.ts';
import { type ConfiguredViews, type EntityViews, entityViews } from './views/entity-views.ts';

/** A definition made ready to serve requests. Made once per config version, never changed. */
export interface CompiledEntity extends CompiledIndexes {
  readonly name: string;
  /** The version of the create config that it was made from. */
  readonly version: number;
  /** The generation that fences of workspaces are compared with, but for demands of other entities on this one. */
  readonly generation: number;
  readonly fields: ReadonlyMap<string, CompiledField>;
  /** The names of its fields in the store. */
  readonly stored: StoredNames;
  /** The name of the field that each alias is one of. */
  readonly aliases: ReadonlyMap<string, string>;
  /** The names by which policies may call the fields; undefined where each field has one name. */
  readonly naming: FieldNaming | undefined;
  readonly keys: CompiledKeys;
  /** Set where record keys are this start and then the id: records are found and listed by it, else by the id index. */
  readonly directSortPrefix: string | undefined;
  readonly idIndexPk: string;
  /** The owner field by which plain lists show the caller's own records alone. */
  readonly scopedBy: string | undefined;
  /** Fields that stored records may have and that no reply shows. */
  readonly hidden: readonly string[];
  /** The values that a write leaves out, of those that the definition does not know. */
  readonly unkept: readonly string[];
  readonly freed: readonly string[];
  readonly hasSealed: boolean;
  readonly definition: EntityDefinition;
  readonly views: EntityViews;
  readonly checks: readonly CompiledCheck[];
  /** Fields that records without a value are being given one of. */
  readonly fills: readonly CompiledFill[];
}

/** @param definition accepted by `parseDefinition`; anything else is a fault of ours. */
export function compileEntity(
  definition: EntityDefinition,
  version: number,
  state: EntityState = newEntityState(definition, version),
  configured: ConfiguredViews = {},
): CompiledEntity {
  const name = definition.entityName;
  const readable = readableFields(definition.UpdateParams);
  const catalog = definition.UpdateParams.filter((field) => !isPlatformField(field.name)).map((field) =>
    compileField(field, readable),
  );
  const fields = new Map(catalog.map((field) => [field.name, field]));
  const stored = new StoredNames(definition.UpdateParams, compileConversions(catalog));
  const hidden = state.hidden.map(stored.inMemory);
  const aliases = namesByAlias(definition.UpdateParams);
  const keys = compileKeys(definition);
  return {
    name,
    version,
    generation: state.generation,
    fields,
    aliases,
    stored,
    naming: namingOf(withKnownNames(definition.UpdateParams, state.names)),
    ...compileIndexes({ name, stored }, state.indexes),
    keys,
    directSortPrefix: directSortPrefix(keys),
    idIndexPk: `index#${name};id`,
    scopedBy: definition.ownerIndexes?.find(({ scopeList }) => scopeList === true)?.ownerFieldName,
    hidden,
    unkept: (state.unkept ?? []).map(stored.inMemory),
    freed: state.freed ?? [],
    hasSealed: state.hasSealed,
    definition,
    checks: compileChecks(definition),
    fills: compileFills(definition, state.fills ?? [], fields),
    views: entityViews({
      definition,
      catalog: { fields, aliases },
      isShownAsStored: hidden.length === 0 && aliases.size === 0 && !stored.areOther,
      configured,
    }),
  };
}

/**
 * Whether records of two entities could get in each other's way: fall on one key, or among the keys that the other
 * entity is listed by.
 */
export function recordsMayMeet(left: CompiledEntity, right: CompiledEntity): boolean {
  if (!mayOverlap(left.keys.pk, right.keys.pk)) return false;
  return mayOverlap(left.keys.sk, right.keys.sk) || mayLieAmong(left, right) || mayLieAmong(right, left);
}

function mayLieAmong(listed: CompiledEntity, other: CompiledEntity): boolean {
  return listed.directSortPrefix !== undefined && mayStartWith(other.keys.sk, listed.directSortPrefix);
}

function compileKeys(definition: Pick<EntityDefinition, 'entityName' | 'baseKeys'>): CompiledKeys {
  const templates = { ...defaultTemplates(definition.entityName), ...definition.baseKeys };
  const pk = parseTemplate(templates.pkTemplate);
  const sk = parseTemplate(templates.skTemplate);
  if (typeof pk === 'string' || typeof sk === 'string')
    throw new TypeError(`the templates of ${definition.entityName} do not compile`);
  return { pk, sk };
}

function directSortPrefix(keys: CompiledKeys): string | undefined {
  const [start, id, rest] = keys.sk.parts;
  if (keys.pk.tokens.some((token) => token !== 'org')) return undefined;
  if (start === undefined || !('literal' in start) || !/[#;]$/.test(start.literal)) return undefined;
  if (id === undefined || !('token' in id) || id.token !== 'id' || rest !== undefined) return undefined;
  return start.literal;
}

/** A condition that every record meets as it is written. */
export interface CompiledCheck {
  readonly definition: CheckDefinition;
  /** The faults of a record; undefined where the check holds, or reads a field without a value. */
  readonly refuse: (record: FieldValues) => InputError | undefined;
  /** The number of characters and elements that `refuse` goes through at most. */
  readonly steps: (record: FieldValues) => number;
}

/** A check that cannot be evaluated, as with a division by zero, does not hold. */
function compileChecks({ UpdateParams, checks = [] }: EntityDefinition): readonly CompiledCheck[] {
  if (checks.length === 0) return [];
  const fields = checkedFields(UpdateParams);
  return checks.map((definition) => {
    const expression = compileCheck(definition.cel, fields);
    if (isMistake(expression)) throw new TypeError(`the check \`${definition.cel}\` does not compile`);
    return {
      definition,
      refuse: (record) => refusal(definition, evaluateOn(expression, fields, record)),
      steps: (record) => evaluationSteps(expression, fields, record),
    };
  });
}

/** Checks are asked before a new record has its numbers, so that a refused one costs none. */
export function checkedFields(catalog: readonly FieldDefinition[]): ReadableFields {
  return readableFields(catalog, ({ isNumbered }) => isNumbered !== true);
}

export function compileCheck(cel: string, fields: ReadableFields): ReturnType<typeof compileExpression> {
  return compileExpression(cel, fields.language, ['bool']);
}

function refusal({ message }: CheckDefinition, evaluated: ReturnType<Expression['evaluate']>): InputError | undefined {
  if (evaluated.kind === 'absent' || (evaluated.kind === 'value' && evaluated.value === true)) return undefined;
  return { pointer: '', code: 'check_failed', message };
}
