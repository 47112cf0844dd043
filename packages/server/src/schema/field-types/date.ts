import { isCalendarDate } from '@freehold/contract/value-texts';
import { textOrder } from '../order/order-encoding.ts';
import { dayInExpressions } from './expression-value.ts';

import { type FieldType, type ValueProblem, wrongType } from './field-type.ts';

/** A day of the calendar without a time or a zone: `full-date` of RFC 3339. Its text is in the order of the days. */
export const dateType: FieldType = {
  colType: 'date',
  hints: [],
  encode: textOrder,
  example: () => '2026-11-20',
  takenBy: ['string'],
  inExpressions: () => dayInExpressions,
  behave: () => ({
    parse: (input) => (typeof input === 'string' ? parseDate(input) : wrongType(expected)),
    parseQuery: parseDate,
    schema: { type: 'string', format: 'date', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
  }),
};

const expected = 'a date such as `2026-11-20`';

function parseDate(text: string): { value: string } | ValueProblem {
  return isCalendarDate(text) ? { value: text } : wrongType(expected);
}
