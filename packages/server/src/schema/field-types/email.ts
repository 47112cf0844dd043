import { emailSchema, isEmailAddress } from '../../lib/formats/email-address.ts';
import { textOrder } from '../order/order-encoding.ts';
import { textInExpressions } from './expression-value.ts';

import { type FieldType, type ValueProblem, wrongType } from './field-type.ts';

/** An email address, kept as it was sent. */
export const emailType: FieldType = {
  colType: 'email',
  hints: [],
  encode: textOrder,
  example: () => 'ann@example.com',
  takenBy: ['string'],
  mayNameParent: true,
  inExpressions: () => textInExpressions,
  behave: () => ({
    parse: (input) => (typeof input === 'string' ? parseEmail(input) : wrongType(expected)),
    parseQuery: parseEmail,
    schema: emailSchema,
    isSearchable: true,
  }),
};

const expected = 'an email address';

function parseEmail(text: string): { value: string } | ValueProblem {
  return isEmailAddress(text) ? { value: text } : wrongType(expected);
}
