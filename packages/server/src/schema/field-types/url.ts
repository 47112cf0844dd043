import { controls, spaces } from '@freehold/contract/characters';
import { textOrder } from '../order/order-encoding.ts';
import { textInExpressions } from './expression-value.ts';

import { type FieldType, type ValueProblem, wrongType } from './field-type.ts';
import { characterCount } from './hints/bounds-hints.ts';

/** An absolute http or https address of at most 2,048 characters, kept as it was sent. */
export const urlType: FieldType = {
  colType: 'url',
  hints: [],
  encode: textOrder,
  example: () => 'https://example.com/',
  takenBy: ['string'],
  inExpressions: () => textInExpressions,
  behave: () => ({
    parse: (input) => (typeof input === 'string' ? parseUrl(input) : wrongType(expected)),
    parseQuery: parseUrl,
    schema: { type: 'string', maxLength: charactersMax, pattern },
  }),
};

const expected = 'an absolute http or https address';
const charactersMax = 2048;
/** The form for schemas. */
const pattern = `^[Hh][Tt][Tt][Pp][Ss]?://[^\\\\${controls}${spaces}]+$`;
/** Looser than the parser, which also knows which hosts and ports there are. */
const form = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s\\\p{Cc}]+$/u;

function parseUrl(text: string): { value: string } | ValueProblem {
  // The parser would drop or repair what is refused here, so the text would not be the address it is read as.
  if (characterCount(text) > charactersMax || !form.test(text)) return wrongType(expected);
  return URL.parse(text) === null ? wrongType(expected) : { value: text };
}
