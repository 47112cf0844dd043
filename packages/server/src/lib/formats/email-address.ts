import { controls, directionMarks, spaces } from '@freehold/contract/characters';
import type { JsonSchema } from '../json-schema.ts';

/**
 * Whether a text is an email address: a dot-atom local part and a domain name (RFC 5321, 5322), both also beyond ASCII
 * (RFC 6531). Not taken, though the RFCs allow it: quoted local parts, comments and address literals, which hardly
 * anyone has and which give one mailbox several spellings; a final dot of the domain for that same reason; and
 * invisible characters.
 */
export function isEmailAddress(text: string): boolean {
  if (Buffer.byteLength(text) > emailBytesMax) return false;
  const [localPart = '', domain = '', ...others] = text.split('@');
  if (others.length > 0 || Buffer.byteLength(localPart) > localPartBytesMax) return false;
  const isLabel = (part: string): boolean => Buffer.byteLength(part) <= labelBytesMax && label.test(part);
  return localPart.split('.').every((part) => atom.test(part)) && domain.split('.').every(isLabel);
}

/** RFC 5321, 4.5.3.1, counts octets: 256 for a path, of which two are its angle brackets. */
export const emailBytesMax = 254;
const localPartBytesMax = 64;
const labelBytesMax = 63;

// Each character can be matched in one way only, so that matching cannot backtrack.
const atom = /^(?:[\w!#$%&'*+/=?^`{|}~-]|[^\0-\x7f\p{C}\p{Z}\p{Default_Ignorable_Code_Point}])+$/u;
const label = /^(?!-)(?:[a-zA-Z\d-]|[^\0-\x7f\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]){1,63}(?<!-)$/u;

/** Beyond ASCII, without the invisible characters that have a range of their own. */
const beyondAscii = `\\x00-\\x7f${controls}${spaces}${directionMarks}\\xad\u200b-\u200d\u2060-\u206f`;
const inAtom = `(?:[A-Za-z0-9_!#$%&'*+/=?^\`{|}~-]|[^${beyondAscii}])`;
const inLabel = (ascii: string): string => `(?:[A-Za-z0-9${ascii}]|[^${beyondAscii}])`;
const labelPattern = `${inLabel('')}(?:${inLabel('-')}{0,${labelBytesMax - 2}}${inLabel('')})?`;

/** As a JSON Schema: all of that but the limits in bytes and some invisible characters. */
export const emailSchema: JsonSchema = {
  type: 'string',
  maxLength: emailBytesMax,
  pattern: `^${dotted(`${inAtom}+`)}@${dotted(labelPattern)}$`,
  not: { pattern: `^[^@]{${localPartBytesMax + 1}}` },
};

/** Parts with dots between them. */
function dotted(part: string): string {
  return `${part}(?:\\.${part})*`;
}
