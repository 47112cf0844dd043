import { guidText, isCalendarDate, readInstant } from '@freehold/contract/value-texts';
import { isEmailAddress } from './email-address.ts';

/** A format of JSON Schema as this platform reads it. */
interface DescribedFormat {
  /** Goes after "must be". */
  readonly demand: string;
  readonly code: string;
  /** The value in the one spelling that is stored and compared; undefined for a text that is none. */
  readonly read: (text: string) => string | undefined;
}

const formats: Readonly<Record<string, DescribedFormat>> = {
  'date-time': {
    demand: 'a time with its zone, such as `2026-11-20T09:30:00Z`',
    code: 'wrong_type',
    read: readInstant,
  },
  date: {
    demand: 'a day, such as `2026-11-20`',
    code: 'wrong_type',
    read: (text) => (isCalendarDate(text) ? text : undefined),
  },
  uuid: {
    demand: 'a UUID, such as `01890a5d-ac96-774b-bcce-b302099a8057`',
    code: 'wrong_type',
    read: (text) => (guidText.test(text) ? text.toLowerCase() : undefined),
  },
  uri: {
    demand: 'an absolute address, such as `https://example.com/alerts`',
    code: 'wrong_type',
    read: (text) => (isAddress(text) ? text : undefined),
  },
  email: {
    demand: 'an email address',
    code: 'invalid_email',
    read: (text) => (isEmailAddress(text) ? text : undefined),
  },
  password: { demand: 'a password', code: 'wrong_type', read: (text) => text },
};

/** @throws TypeError for one that nothing checks: a caller would take it for checked. */
export function describedFormat(name: unknown): DescribedFormat | undefined {
  if (name === undefined) return undefined;
  const format = typeof name === 'string' && Object.hasOwn(formats, name) ? formats[name] : undefined;
  if (format === undefined) throw new TypeError(`the format ${String(name)} is not known here`);
  return format;
}

/**
 * RFC 3986 with an authority. The WHATWG parser alone would mend what the format forbids: it drops tabs and line feeds,
 * and takes `\` and a missing `//` for slashes.
 */
const addressShape = /^[a-z][a-z\d+.-]*:\/\/(?:[^/?#[\]]|\[[\da-f:.]+\])+(?:[/?][^#[\]]*)?(?:#[^#[\]]*)?$/i;
const addressCharacters = /^(?:[\w.~!$&'()*+,;=:@/?#[\]-]|%[\da-f]{2})+$/i;

function isAddress(text: string): boolean {
  return addressCharacters.test(text) && addressShape.test(text) && URL.canParse(text);
}
