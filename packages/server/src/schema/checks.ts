import type { InputError } from '@freehold/contract/problem';
import { compileExpression, type Expression, isMistake } from '../expressions/port.ts';
import type { CheckDefinition, EntityDefinition, FieldDefinition } from './definition.ts';
import { evaluateOn, evaluationSteps, type ReadableFields } from './field-types/computed/readable-fields.ts';
import type { FieldValues } from './field-types/field-type.ts';
import { readableFields } from './field-types/registry.ts';

/** A condition that every record meets as it is written. */
export interface CompiledCheck {
  readonly definition: CheckDefinition;
  /** What is wrong with a record; undefined where the check holds, or reads a field without a value. */
  readonly refuse: (record: FieldValues) => InputError | undefined;
  /** How many characters and elements `refuse` goes through at most. */
  readonly steps: (record: FieldValues) => number;
}

/** A check that cannot be evaluated, as with a division by zero, does not hold. */
export function compileChecks({ UpdateParams, checks = [] }: EntityDefinition): readonly CompiledCheck[] {
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
