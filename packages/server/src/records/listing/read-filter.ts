import { type FieldBehaviour, type FieldValue, isValueProblem, type ValueProblem } from '../../schema/port.ts';
import { type Filter, type Operator, orderedFilter } from './filter.ts';

/** A field that a list may be filtered by. */
export interface FilterField {
  readonly name: string;
  readonly behaviour: FieldBehaviour;
}

/** The condition that a query text sets on a field, or what is wrong with it. */
export function readFilter({ name, behaviour }: FilterField, operator: Operator, text: string): Filter | ValueProblem {
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
  operator: Operator,
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
