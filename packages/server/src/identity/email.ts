import type { InputError } from '@freehold/contract/problem';

/**
 * Reads an email address as a person typed it. Taken: a dot-atom local part and a domain name (RFC 5321, 5322), both
 * also beyond ASCII (RFC 6531). Not taken, though the RFCs allow it: quoted local parts, comments and address
 * literals, which hardly anyone has and which give one mailbox several spellings; a final dot of the domain for
 * that same reason; and characters that nobody sees. No mail is sent, so an address that passes may not exist.
 */
export function parseEmail(input: unknown): { readonly email: string } | { readonly error: InputError } {
  if (typeof input !== 'string') return emailError('wrong_type', 'must be a string');
  if (Buffer.byteLength(input) > emailBytesMax)
    return emailError('too_long', `must have at most ${emailBytesMax} bytes`);
  const at = input.indexOf('@');
  if (at === -1 || !isLocalPart(input.slice(0, at)) || !isDomain(input.slice(at + 1)))
    return emailError('invalid_email', 'must be an email address');
  return { email: input };
}

/**
 * What makes two addresses one: NFC and lower case of the letters A to Z, in both parts. Mail systems ignore the case
 * of both, and a person who types `Ann@Example.com` once must not become two. Nothing else is folded: `+tag`, dots,
 * other scripts' letters that look like Latin ones and other scripts' case stay distinct, since merging two persons is
 * worse than not recognising one.
 *
 * NFC turns three characters into ASCII ones, among them the Kelvin sign into `K`; they are kept as they are. Text is
 * brought to NFC again after folding, because `J` with a caron has no single code point but `j` with one does.
 */
export function emailKey(email: string): string {
  return email.split(becomesAscii).map(foldedPart).join('');
}

/** The canonical singletons of Unicode that decompose to ASCII. The group makes `split` keep them, at odd places. */
const becomesAscii = /([\u037e\u1fef\u212a])/;

function foldedPart(part: string, index: number): string {
  if (index % 2 === 1) return part;
  return part
    .normalize('NFC')
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    .normalize('NFC');
}

/** RFC 5321, 4.5.3.1, counts octets: 256 for a path, of which two are its angle brackets. */
const emailBytesMax = 254;
const localPartBytesMax = 64;
const labelBytesMax = 63;

// Each pattern is one repeated class of single characters, so that matching cannot backtrack.
const atom = /^[\w!#$%&'*+/=?^`{|}~-]+$/;
const label = /^[a-z\d-]+$/i;
const unseen = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;
const beyondAscii = /[^\0-\x7f]/g;

function isLocalPart(text: string): boolean {
  if (Buffer.byteLength(text) > localPartBytesMax || unseen.test(text)) return false;
  return text.split('.').every((part) => atom.test(asLetters(part)));
}

function isDomain(text: string): boolean {
  return !unseen.test(text) && text.split('.').every(isLabel);
}

function isLabel(text: string): boolean {
  if (Buffer.byteLength(text) > labelBytesMax || text.startsWith('-') || text.endsWith('-')) return false;
  return label.test(asLetters(text));
}

/** Lets what is beyond ASCII count as a letter. */
function asLetters(text: string): string {
  return text.replace(beyondAscii, 'x');
}

function emailError(code: string, message: string): { readonly error: InputError } {
  return { error: { pointer: '/email', code, message: `field \`email\` ${message}` } };
}
