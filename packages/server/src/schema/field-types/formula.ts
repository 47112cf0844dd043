import { fieldName } from '../field-names.ts';
import { textOrder } from '../order/text-order.ts';
import { behaveTyped } from './computed/typed-formula.ts';
import { type FieldType, type FieldValues, wrongType } from './field-type.ts';

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
