import { instantCharactersMax, instantText, readInstant } from '@freehold/contract/value-texts';
import { textOrder } from '../order/order-encoding.ts';
import { momentInExpressions } from './expression-value.ts';
import { type FieldType, type ValueProblem, wrongType } from './field-type.ts';

/**
 * A point in time: `date-time` of RFC 3339, kept in UTC with milliseconds, so that one time has one text and the texts
 * are in the order of the times.
 */
export const datetimeType: FieldType = {
  colType: 'datetime',
  hints: [],
  encode: textOrder,
  example: () => '2026-11-20T09:30:00Z',
  takenBy: ['string'],
  inExpressions: () => momentInExpressions,
  behave: () => ({
    parse: (input) => (typeof input === 'string' ? parseDatetime(input) : wrongType(expected)),
    parseQuery: parseDatetime,
    schema: { type: 'string', format: 'date-time', pattern: instantText.source, maxLength: instantCharactersMax },
  }),
};

const expected = 'a time with its zone, such as `2026-11-20T09:30:00Z`';

function parseDatetime(text: string): { value: string } | ValueProblem {
  const value = readInstant(text);
  return value === undefined ? wrongType(expected) : { value };
}
