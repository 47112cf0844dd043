import { isDeepStrictEqual } from 'node:util';
import { compileExpression, type Expression, type ExpressionMistake, isMistake } from '../expressions/port.ts';
import {
  type EntityDefinition,
  type FieldDefinition,
  type FieldValue,
  type FieldValues,
  fieldName,
  isPlatformField,
  lookupOf,
  storedNameOf,
} from './definition.ts';
import { evaluateOn, evaluationSteps, type ReadableFields } from './field-types/expression-value.ts';
import { isPlatformMade, readValue } from './field-types/field-type.ts';
import { type CompiledField, fieldTypeOf, isRequired, readableFields } from './field-types/registry.ts';
import { renamedIn } from './renames/stored-names.ts';

/**
 * A field whose values a job brings to the records that stand. Once it has been through all of them the state is gone,
 * or `failed` where some got none.
 */
export interface FillState {
  readonly field: string;
  /** The config version that brought it. */
  readonly id: number;
  readonly state: 'filling' | 'failed';
  readonly failed?: FailedFill;
}

/** Records that got no value: how many, and some of them. */
export interface FailedFill {
  readonly records: number;
  readonly examples: readonly { readonly tenant_code: string; readonly id: string }[];
}

export function isSameFill(left: FillState, right: FillState): boolean {
  return left.field === right.field && left.id === right.id;
}

/**
 * The states after a definition took another's place: a field whose values come from elsewhere than before is to be
 * filled. What is not done yet goes on, and what has failed is tried again.
 */
export function nextFillStates(
  current: readonly FillState[],
  { before, after }: { readonly before: EntityDefinition; readonly after: EntityDefinition },
  version: number,
): readonly FillState[] {
  const old = new Map(before.UpdateParams.map((field) => [storedNameOf(field), field]));
  return after.UpdateParams.flatMap((field): readonly FillState[] => {
    const stored = storedNameOf(field);
    const existing = current.find((one) => one.field === stored);
    const previous = old.get(stored);
    const was = previous === undefined ? undefined : (fillSource(before, previous) ?? conversionSource(previous));
    const is = fillSource(after, field) ?? conversionSource(field);
    if (is === undefined) return [];
    const isNewlyRequired = isRequired(field) && (previous === undefined || !isRequired(previous));
    if (isDeepStrictEqual(was, is) && !isNewlyRequired && existing?.state !== 'failed')
      return existing === undefined ? [] : [existing];
    // A default that has been in all records is about new ones only.
    if (existing === undefined && was?.kind === 'default' && is.kind === 'default') return [];
    return [{ field: stored, id: version, state: 'filling' }];
  });
}

/** Whether a definition says where the values of a field come from, by the name under which it is stored. */
export function hasFill(definition: EntityDefinition, stored: string): boolean {
  const field = definition.UpdateParams.find((one) => storedNameOf(one) === stored);
  return field !== undefined && (fillSource(definition, field) ?? conversionSource(field)) !== undefined;
}

/** Whether records without a value of the field get one, so that they do not contradict a definition that requires it. */
export function isFilled(definition: EntityDefinition, field: FieldDefinition): boolean {
  const source = fillSource(definition, field);
  return source !== undefined && source.kind !== 'formula';
}

/** The source of a field's values in records that have none. */
interface FillSource {
  readonly kind: 'formula' | 'backfill' | 'default' | 'conversion';
  readonly from: unknown;
}

/** A field is stored under another name once it is converted, so each of its conversions fills another one. */
function conversionSource({ convert }: FieldDefinition): FillSource | undefined {
  return convert === undefined ? undefined : { kind: 'conversion', from: undefined };
}

function fillSource(
  { UpdateParams, UniqueIndexes = [] }: EntityDefinition,
  field: FieldDefinition,
): FillSource | undefined {
  const { name, formula, backfill } = field;
  if (isPlatformField(name)) return undefined;
  if (formula !== undefined) return { kind: 'formula', from: [formula, renamedIn(textOf(formula), UpdateParams)] };
  if (!mayBeFilled(field)) return undefined;
  if (backfill !== undefined) return { kind: 'backfill', from: [backfill, renamedIn(backfill, UpdateParams)] };
  // One value for all records would break a unique index, and its record might be gone where it is an id.
  const isShared = lookupOf(field) === undefined && !UniqueIndexes.some(({ fields }) => fields.includes(name));
  if (field.default === undefined || !isRequired(field) || !isShared) return undefined;
  return { kind: 'default', from: field.default };
}

function textOf(formula: NonNullable<FieldDefinition['formula']>): string {
  return typeof formula === 'string' ? formula : formula.cel;
}

function mayBeFilled(field: FieldDefinition): boolean {
  const type = fieldTypeOf(field);
  return !isPlatformMade(type) && type.isSecret !== true;
}

/** The fill that gives a record without a value of a field one, as long as the field is being filled. */
export interface CompiledFill {
  readonly name: string;
  /** Whether each write fills it. Values that another record may have come from the job alone: no write is refused. */
  readonly isByWriters: boolean;
  /** Made of the record's other values; undefined where these give none, or a value that the field does not take. */
  readonly value: (record: FieldValues) => FieldValue | undefined;
  /** The number of characters and elements that `value` goes through at most. */
  readonly steps: (record: FieldValues) => number;
}

/** The fields that are being filled, in the order of the catalog: one may read those before it. Formulas are not among them. */
export function compileFills(
  entity: EntityDefinition,
  states: readonly FillState[],
  fields: ReadonlyMap<string, CompiledField>,
): readonly CompiledFill[] {
  const filling = states.filter(({ state }) => state === 'filling').map(({ field }) => field);
  if (filling.length === 0) return [];
  const { UpdateParams, UniqueIndexes = [] } = entity;
  const readable = readableFields(UpdateParams);
  return UpdateParams.flatMap((definition): readonly CompiledFill[] => {
    const field = fields.get(definition.name);
    if (field === undefined || !filling.includes(storedNameOf(definition)) || !isFilled(entity, definition)) return [];
    const isByWriters = !UniqueIndexes.some((unique) => unique.fields.includes(field.name));
    const { made, steps } = madeBy(definition, readable);
    const value = (record: FieldValues): FieldValue | undefined => {
      const input = made(record);
      const read = input === undefined ? undefined : readValue(field.behaviour, definition.validate === true, input);
      return read !== undefined && 'value' in read ? read.value : undefined;
    };
    return [{ name: field.name, isByWriters, value, steps }];
  });
}

interface ComputedFill {
  readonly made: (record: FieldValues) => unknown;
  readonly steps: CompiledFill['steps'];
}

function madeBy(definition: FieldDefinition, fields: ReadableFields): ComputedFill {
  if (definition.backfill === undefined) return { made: () => definition.default, steps: () => 0 };
  const expression = compileBackfill(definition, fields);
  const stored = fieldTypeOf(definition).inExpressions?.(definition);
  if (isMistake(expression) || stored === undefined)
    throw new TypeError(`the backfill of ${definition.name} does not compile`);
  const made = (record: FieldValues): unknown => {
    const evaluated = evaluateOn(expression, fields, record);
    return evaluated.kind === 'value' ? stored.write?.(evaluated.value) : undefined;
  };
  return { made, steps: (record) => evaluationSteps(expression, fields, record) };
}

/** The expression of a field that `takesBackfill`. */
export function compileBackfill(definition: FieldDefinition, fields: ReadableFields): Expression | ExpressionMistake {
  const { type = '' } = fieldTypeOf(definition).inExpressions?.(definition) ?? {};
  // A whole number is a number as well.
  const results = type === 'double' ? [type, 'int'] : [type];
  const expression = compileExpression(definition.backfill ?? '', fields.language, results);
  if (isMistake(expression)) return expression;
  const own = expression.readings.find(({ name }) => fieldName(fields, name) === definition.name);
  return own === undefined ? expression : { message: 'it reads the field itself, which has no value', at: own.at };
}

export function takesBackfill(definition: FieldDefinition): boolean {
  const { isComputed, isNumbered, inExpressions } = fieldTypeOf(definition);
  if (isComputed === true || isNumbered === true || lookupOf(definition) !== undefined) return false;
  return inExpressions?.(definition).write !== undefined;
}
