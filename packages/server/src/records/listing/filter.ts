import { compareBytes } from '../../lib/byte-order.ts';
import { type CompiledField, type FieldValue, isValueProblem, type ValueProblem } from '../../schema/port.ts';
import type { RecordData } from '../record.ts';

type FieldBehaviour = CompiledField['behaviour'];

export const operators = [
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'between',
  'startswith',
  'contains',
  'exists',
] as const;
export type FilterOperator = (typeof operators)[number];

export interface Filter {
  readonly field: string;
  readonly operator: FilterOperator;
  readonly values: readonly FieldValue[];
  /** The values in their encoded form, which has their order; none where the field has none. */
  readonly encoded: readonly (string | undefined)[];
  /** @param value undefined where the record has none. */
  readonly meets: (value: FieldValue | undefined) => boolean;
}

/** Whether a record meets every filter. A field without a value meets `ne` and `exists=false` only. */
export function meetsAll(filters: readonly Filter[], data: RecordData): boolean {
  return filters.every(({ field, meets }) => meets(data[field]));
}

/** The condition on a field whose values have an order. */
export function orderedFilter(
  field: string,
  encode: NonNullable<FieldBehaviour['encode']>,
  condition: Pick<Filter, 'operator' | 'values'>,
): Filter {
  const { operator, values } = condition;
  const encoded = values.map((value) => encode(value));
  const meets = (value: FieldValue | undefined): boolean => {
    // A value of another type was left by an older definition: to this one it is absent, as it is in the index.
    const held = value === undefined ? undefined : encode(value);
    if (operator === 'exists') return (held !== undefined) === values[0];
    if (held === undefined) return operator === 'ne';
    if (operator === 'startswith') return String(value).startsWith(String(values[0]));
    if (operator === 'contains') return String(value).includes(String(values[0]));
    return compares(operator, held, encoded);
  };
  return { field, operator, values, encoded, meets };
}

type ComparingOperator = Exclude<FilterOperator, 'exists' | 'startswith' | 'contains'>;

function compares(operator: ComparingOperator, value: string, encoded: Filter['encoded']): boolean {
  const compare = (index: number): number => compareBytes(value, encoded[index] ?? '');
  switch (operator) {
    case 'eq':
      return value === encoded[0];
    case 'ne':
      return value !== encoded[0];
    case 'gt':
      return compare(0) > 0;
    case 'gte':
      return compare(0) >= 0;
    case 'lt':
      return compare(0) < 0;
    case 'lte':
      return compare(0) <= 0;
    case 'in':
      return encoded.includes(value);
    case 'between':
      return compare(0) >= 0 && compare(1) <= 0;
  }
}

interface FilterField {
  readonly name: string;
  readonly behaviour: FieldBehaviour;
}

/** The condition that a query text sets on a field, or what is wrong with it. */
export function readFilter(
  { name, behaviour }: FilterField,
  operator: FilterOperator,
  text: string,
): Filter | ValueProblem {
  const { encode, parseQuery, contains } = behaviour;
  if (encode !== undefined && parseQuery !== undefined) {
    const values = readValues(operator, text, parseQuery);
    return isValueProblem(values) ? values : orderedFilter(name, encode, { operator, values });
  }
  if (contains === undefined) return notFilterable('cannot be filtered on');
  if (operator === 'contains') return containsFilter(name, text, contains);
  if (operator === 'exists') return existsFilter(name, text);
  return notFilterable('can be filtered on with `contains` and `exists` only');
}

const valuesMax = 100;
/** Looking for more, V8 may compare all of it at each place of a text. */
const partCharactersMax = 250;

function readValues(
  operator: FilterOperator,
  text: string,
  parse: NonNullable<FieldBehaviour['parseQuery']>,
): readonly FieldValue[] | ValueProblem {
  switch (operator) {
    case 'exists':
      return readExists(text);
    case 'startswith':
      return [text];
    case 'contains':
      if (text.length > partCharactersMax)
        return { code: 'too_long', message: `with \`contains\` takes at most ${partCharactersMax} characters` };
      return [text];
    case 'in':
    case 'between': {
      const texts = text.split(',');
      if (operator === 'between' && texts.length !== 2)
        return { code: 'wrong_type', message: 'with `between` takes two values with a comma between them' };
      if (texts.length > valuesMax) return { code: 'too_many', message: `takes at most ${valuesMax} values` };
      return readEach(texts, parse);
    }
    default:
      return readEach([text], parse);
  }
}

function readEach(
  texts: readonly string[],
  parse: NonNullable<FieldBehaviour['parseQuery']>,
): readonly FieldValue[] | ValueProblem {
  const values: FieldValue[] = [];
  for (const text of texts) {
    const parsed = parse(text);
    if (isValueProblem(parsed)) return parsed;
    values.push(parsed.value);
  }
  return values;
}

function readExists(text: string): readonly [boolean] | ValueProblem {
  if (text === 'true' || text === 'false') return [text === 'true'];
  return { code: 'wrong_type', message: 'with `exists` takes `true` or `false`' };
}

function containsFilter(
  field: string,
  text: string,
  contains: NonNullable<FieldBehaviour['contains']>,
): Filter | ValueProblem {
  const contained = contains(text);
  if (isValueProblem(contained)) return contained;
  const meets = (value: FieldValue | undefined): boolean => value !== undefined && contained.isIn(value);
  return { field, operator: 'contains', values: [contained.value], encoded: [contained.encoded], meets };
}

function existsFilter(field: string, text: string): Filter | ValueProblem {
  const wanted = readExists(text);
  if (isValueProblem(wanted)) return wanted;
  const meets = (value: FieldValue | undefined): boolean => (value !== undefined) === wanted[0];
  return { field, operator: 'exists', values: wanted, encoded: [], meets };
}

function notFilterable(message: string): ValueProblem {
  return { code: 'not_filterable', message };
}
