import { compileExpression, type Expression, isMistake, type Mistake } from '../../../expressions/port.ts';
import type { ExpressionFormula } from '../../definition.ts';
import type { FieldType, FieldValue } from '../field-type.ts';
import { isValueProblem } from '../field-type.ts';
import { plainTypes } from '../plain-types.ts';
import { evaluateOn, evaluationSteps, type ReadableFields } from './readable-fields.ts';

/** The types that a formula in CEL may have. */
export const formulaTypes: readonly string[] = ['string', 'number', 'integer', 'boolean', 'date', 'datetime'];

export function compileFormula({ cel, type }: ExpressionFormula, fields: ReadableFields): Expression | Mistake {
  const wanted = plainType(type)?.inExpressions?.({ name: 'formula' }).type ?? '';
  // A whole number is a number as well.
  const results = wanted === 'double' ? [wanted, 'int'] : [wanted];
  return compileExpression(cel, fields.language, results);
}

/** @param fields undefined where what the other fields are is not known yet: then nothing is computed. */
export function behaveTyped(
  name: string,
  formula: ExpressionFormula,
  fields: ReadableFields | undefined,
): ReturnType<FieldType['behave']> {
  const type = plainType(formula.type);
  const behaviour = type?.behave({ name });
  const stored = type?.inExpressions?.({ name });
  if (behaviour === undefined || stored === undefined) return `has a \`formula\` of the type \`${formula.type}\``;
  if (typeof behaviour === 'string' || fields === undefined) return behaviour;
  const expression = compileFormula(formula, fields);
  if (isMistake(expression)) return `has a \`formula\` that does not compile: ${expression.message}`;
  return {
    ...behaviour,
    compute: (record): FieldValue | undefined => {
      const evaluated = evaluateOn(expression, fields, record);
      const value = evaluated.kind === 'value' ? stored.write?.(evaluated.value) : undefined;
      const parsed = value === undefined ? undefined : behaviour.parse(value);
      return parsed === undefined || isValueProblem(parsed) ? undefined : parsed.value;
    },
    computeSteps: (record) => evaluationSteps(expression, fields, record),
  };
}

function plainType(colType: string): FieldType | undefined {
  return formulaTypes.includes(colType) ? plainTypes.find((type) => type.colType === colType) : undefined;
}
