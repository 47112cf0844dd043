import { type FieldType, type ValueProblem, wrongType } from './field-type.ts';

/** An absolute http or https address of at most 2,048 characters, kept as it was sent. */
export const urlType: FieldType = {
  colType: 'url',
  hints: [],
  behave: () => ({
    parse: (input) => (typeof input === 'string' ? parseUrl(input) : wrongType(expected)),
    parseQuery: parseUrl,
    encode: (value) => String(value),
  }),
};

const expected = 'an absolute http or https address';
const charactersMax = 2048;

function parseUrl(text: string): { value: string } | ValueProblem {
  // The parser would drop or repair what is refused here, so the text would not be the address it is read as.
  if (text.length > charactersMax || !/^https?:\/\/[^\s\\]+$/i.test(text) || hasControl(text))
    return wrongType(expected);
  return URL.parse(text) === null ? wrongType(expected) : { value: text };
}

function hasControl(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) < 0x20) return true;
  return false;
}
