import { compileExpression, type Expression, type ExpressionMistake, isMistake } from '../../expressions/port.ts';
import { type ExpressionFormula, type FieldValue, type FieldValues, fieldName } from '../definition.ts';
import { textOrder } from '../order/order-encoding.ts';
import { evaluateOn, evaluationSteps, type ReadableFields } from './expression-value.ts';
import { type FieldType, isValueProblem, wrongType } from './field-type.ts';
import { plainTypes } from './plain-types.ts';

/**
 * A value made of other fields of the record: a text, `formula` with each `{field}` replaced by its value, or what an
 * expression gives.
 */
export const formulaType: FieldType = {
  colType: 'formula',
  hints: ['formula'],
  encode: textOrder,
  takenBy: ['string'],
  isComputed: true,
  storedAs: ({ formula }) => (typeof formula === 'object' ? formula.type : undefined),
  behave: ({ name, formula }, fields) => {
    if (typeof formula === 'object') return behaveTyped(name, formula, fields);
    if (formula === undefined) return 'needs a `formula` such as `{first_name} {last_name}`';
    if (formula.length > charactersMax) return `has a \`formula\` of more than ${charactersMax} characters`;
    if (/[{}]/.test(formula.replace(token, ''))) return 'has a `formula` with a brace that is not part of a `{field}`';
    if (formulaTokens(formula).length > tokensMax) return `has a \`formula\` that names more than ${tokensMax} fields`;
    const nameOf = (token: string): string => (fields === undefined ? token : fieldName(fields, token));
    const names = formulaTokens(formula).map(nameOf);
    const literalLength = formula.replace(token, '').length;
    return {
      parse: (input) => (typeof input === 'string' ? { value: input } : wrongType('a string')),
      parseQuery: (text) => ({ value: text }),
      schema: { type: 'string' },
      compute: (record) => formula.replace(token, (_, name: string) => textOf(record, nameOf(name))),
      computedLength: (record) => names.reduce((sum, name) => sum + textOf(record, name).length, literalLength),
      isSearchable: true,
    };
  },
};

/** The fields that a formula names, each as often as it does. */
export function formulaTokens(formula: string): readonly string[] {
  return [...formula.matchAll(token)].map(([, name = '']) => name);
}

const token = /\{([^{}]*)\}/g;
const charactersMax = 1000;
const tokensMax = 20;

/** Empty where there is no value, or one of a type that formulas do not take, left by an older definition. */
function textOf(record: FieldValues, name: string): string {
  const value = Object.hasOwn(record, name) ? record[name] : undefined;
  return value === undefined || typeof value === 'object' ? '' : String(value);
}

export const formulaTypes: readonly string[] = ['string', 'number', 'integer', 'boolean', 'date', 'datetime'];

export function compileFormula(
  { cel, type }: ExpressionFormula,
  fields: ReadableFields,
): Expression | ExpressionMistake {
  const wanted = plainType(type)?.inExpressions?.({ name: 'formula' }).type ?? '';
  // A whole number is a number as well.
  const results = wanted === 'double' ? [wanted, 'int'] : [wanted];
  return compileExpression(cel, fields.language, results);
}

/** @param fields undefined where what the other fields are is not known yet: then nothing is computed. */
function behaveTyped(
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
