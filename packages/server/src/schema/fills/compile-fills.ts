import { compileExpression, type Expression, isMistake, type Mistake } from '../../expressions/port.ts';
import type { CompiledField } from '../compiled-field.ts';
import type { EntityDefinition, FieldDefinition } from '../definition.ts';
import { fieldName, storedNameOf } from '../field-names.ts';
import { evaluateOn, evaluationSteps, type ReadableFields } from '../field-types/computed/readable-fields.ts';
import { type FieldValue, type FieldValues, readValue } from '../field-types/field-type.ts';
import { fieldTypeOf, readableFields } from '../field-types/registry.ts';
import { lookupOf } from '../lookups.ts';
import { type FillState, isFilled } from './fill-states.ts';

/** How a record without a value of a field gets one, as long as the field is being filled. */
export interface CompiledFill {
  readonly name: string;
  /** Whether each write fills it. What may be another record's is given by the job alone: no write is refused for it. */
  readonly isByWriters: boolean;
  /** Made of the record's other values; undefined where these give none, or one that the field does not take. */
  readonly value: (record: FieldValues) => FieldValue | undefined;
  /** How many characters and elements `value` goes through at most. */
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

interface Made {
  readonly made: (record: FieldValues) => unknown;
  readonly steps: CompiledFill['steps'];
}

function madeBy(definition: FieldDefinition, fields: ReadableFields): Made {
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
export function compileBackfill(definition: FieldDefinition, fields: ReadableFields): Expression | Mistake {
  const { type = '' } = fieldTypeOf(definition).inExpressions?.(definition) ?? {};
  // A whole number is a number as well.
  const results = type === 'double' ? [type, 'int'] : [type];
  const expression = compileExpression(definition.backfill ?? '', fields.language, results);
  if (isMistake(expression)) return expression;
  const own = expression.readings.find(({ name }) => fieldName(fields, name) === definition.name);
  return own === undefined ? expression : { message: 'it reads the field itself, which has no value', at: own.at };
}

/** Whether an expression can give values of the field. */
export function takesBackfill(definition: FieldDefinition): boolean {
  const { isComputed, isNumbered, inExpressions } = fieldTypeOf(definition);
  if (isComputed === true || isNumbered === true || lookupOf(definition) !== undefined) return false;
  return inExpressions?.(definition).write !== undefined;
}
