import { isIPv4 } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';
import { emailBytesMax } from './email-address.ts';

/**
 * The key that equal addresses share: NFC and lower case of the letters A to Z in the local part, and the domain as a
 * domain name. Mail systems ignore the case of both, and a person who types `Ann@Example.com` once must not become two.
 * Nothing else is folded in the local part: `+tag`, dots, other scripts' letters that look like Latin ones and other
 * scripts' case stay distinct, since merging two persons is worse than not recognising one.
 *
 * A text too long for an address is not changed: NFC takes time that grows with the square of a letter's marks.
 */
export function emailKey(email: string): string {
  return formsOf(email).normal;
}

/**
 * The keys that rows of an address may have, each once, in the order in which they are looked for. Earlier releases made them of
 * the spelling alone, which comes first: so of several accounts with one address each is found by its own. Behind it come
 * `emailKey` and the domain in Punycode, as many browsers send it.
 */
export function emailKeys(email: string): readonly string[] {
  const { spelled, normal, ascii } = formsOf(email);
  return spelled === normal && spelled === ascii ? [spelled] : [...new Set([spelled, normal, ascii])];
}

function formsOf(email: string): { readonly spelled: string; readonly normal: string; readonly ascii: string } {
  const spelled = email.length > emailBytesMax ? email : folded(email);
  const at = email.lastIndexOf('@');
  const names = at === -1 || email.length > emailBytesMax ? undefined : domainNames(email.slice(at + 1));
  if (names === undefined) return { spelled, normal: spelled, ascii: spelled };
  const start = `${folded(email.slice(0, at))}@`;
  return { spelled, normal: start + names.unicode, ascii: start + names.ascii };
}

/** The key of equal domain names: `BÜCHER.example`, `bu\u0308cher.example` and `xn--bcher-kva.example` have one. */
export function domainKey(domain: string): string {
  if (domain.length > emailBytesMax) return domain;
  return domainNames(domain)?.unicode ?? folded(domain);
}

/** All that a domain has which is not its own text: the functions below would cut off what is behind another character. */
const plainDomain = /^[a-zA-Z\d.\u0080-\u{10ffff}-]+$/u;
/** Some characters map to ones that no host name has, such as `⑴` to `(1)`. */
const hostName = /^[a-z\d.-]+$/;
const isInternational = /[^\0-\x7f]|xn--/i;

/**
 * A domain by IDNA (UTS 46, as URLs have it), in both of its forms; they are one where another domain would have the Unicode too.
 * Undefined for a domain that is ASCII alone, and for what is none.
 */
function domainNames(domain: string): { readonly ascii: string; readonly unicode: string } | undefined {
  if (!isInternational.test(domain) || !plainDomain.test(domain)) return undefined;
  // The function leaves some marks in an order that is not canonical, after which it would give another name.
  const ascii = domainToASCII(domain.normalize('NFC'));
  if (!hostName.test(ascii) || isIPv4(ascii)) return undefined;
  const unicode = domainToUnicode(ascii);
  const isWhole = domainToASCII(unicode) === ascii && unicode === unicode.normalize('NFC');
  return { ascii, unicode: isWhole ? unicode : ascii };
}

/** The canonical singletons of Unicode that decompose to ASCII. The group makes `split` keep them, at odd places. */
const becomesAscii = /([\u037e\u1fef\u212a])/;

/**
 * NFC turns three characters into ASCII ones, among them the Kelvin sign into `K`; they are kept as they are. Text is
 * brought to NFC again after folding, because `J` with a caron has no single code point but `j` with one does.
 */
function folded(text: string): string {
  return text.split(becomesAscii).map(foldedPart).join('');
}

function foldedPart(part: string, index: number): string {
  if (index % 2 === 1) return part;
  return part
    .normalize('NFC')
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    .normalize('NFC');
}
