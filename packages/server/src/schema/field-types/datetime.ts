import { textOrder } from '../order/text-order.ts';
import { momentInExpressions } from './computed/expression-value.ts';
import { isCalendarDate } from './date.ts';
import { type FieldType, type ValueProblem, wrongType } from './field-type.ts';

/**
 * A point in time: `date-time` of RFC 3339 with at most milliseconds, kept in UTC with milliseconds, so that one time
 * has one text and the texts are in the order of the times.
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
    schema: { type: 'string', format: 'date-time', pattern: form.source },
  }),
};

const expected = 'a time with its zone, down to milliseconds, such as `2026-11-20T09:30:00Z`';
const form = /^(\d{4}-\d{2}-\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,3})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;
/** Zones can push a time out of the four-digit years, where texts would lose their order. The schema cannot tell. */
const [first, last] = [Date.parse('0000-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')];

function parseDatetime(text: string): { value: string } | ValueProblem {
  const match = form.exec(text);
  const time = match === null || !isCalendarDate(match[1] ?? '') ? Number.NaN : Date.parse(match[0].toUpperCase());
  if (Number.isNaN(time) || time < first || time > last) return wrongType(expected);
  return { value: new Date(time).toISOString() };
}
