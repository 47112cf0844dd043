import { guidText } from '@freehold/contract/value-texts';
import { textOrder } from '../order/order-encoding.ts';
import { textInExpressions } from './expression-value.ts';

import { type FieldType, type ValueProblem, wrongType } from './field-type.ts';

/** A UUID of any version, kept in lower case (RFC 9562, section 4), so that one id has one spelling. */
export const guidType: FieldType = {
  colType: 'guid',
  hints: ['lookup'],
  encode: textOrder,
  example: () => '01890a5d-ac96-774b-bcce-b302099a8057',
  takenBy: ['string'],
  mayNameOwner: true,
  mayNameParent: true,
  inExpressions: () => textInExpressions,
  behave: () => ({
    parse: (input) => (typeof input === 'string' ? parseGuid(input) : wrongType('a GUID')),
    parseQuery: parseGuid,
    schema: { type: 'string', format: 'uuid', pattern: guidText.source },
  }),
};

function isGuid(text: string): boolean {
  return guidText.test(text);
}

function parseGuid(text: string): { value: string } | ValueProblem {
  return isGuid(text) ? { value: text.toLowerCase() } : wrongType('a GUID');
}
