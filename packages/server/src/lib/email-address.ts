/**
 * Whether a text is an email address: a dot-atom local part and a domain name (RFC 5321, 5322), both also beyond ASCII
 * (RFC 6531). Not taken, though the RFCs allow it: quoted local parts, comments and address literals, which hardly
 * anyone has and which give one mailbox several spellings; a final dot of the domain for that same reason; and
 * characters that nobody sees.
 */
export function isEmailAddress(text: string): boolean {
  if (Buffer.byteLength(text) > emailBytesMax || !emailForm.test(text)) return false;
  const [localPart = '', domain = ''] = text.split('@');
  return (
    Buffer.byteLength(localPart) <= localPartBytesMax &&
    domain.split('.').every((label) => Buffer.byteLength(label) <= labelBytesMax)
  );
}

/** RFC 5321, 4.5.3.1, counts octets: 256 for a path, of which two are its angle brackets. */
export const emailBytesMax = 254;
const localPartBytesMax = 64;
const labelBytesMax = 63;

const beyondAscii = '[^\\0-\\x7f\\p{C}\\p{Z}\\p{Default_Ignorable_Code_Point}]';
const atom = `(?:[\\w!#$%&'*+\\/=?^\`{|}~\\-]|${beyondAscii})+`;
const label = `(?!-)(?:[a-zA-Z\\d\\-]|${beyondAscii}){1,${labelBytesMax}}(?<!-)`;

/** All of it but the limits in bytes. Each character can be matched in one way only, so that matching cannot backtrack. */
export const emailForm = new RegExp(
  `^(?=[^@]{1,${localPartBytesMax}}@)${atom}(?:\\.${atom})*@${label}(?:\\.${label})*$`,
  'u',
);
