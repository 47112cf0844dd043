import { emailBytesMax } from '../../lib/formats/email-address.ts';

/**
 * What makes two addresses one: NFC and lower case of the letters A to Z, in both parts. Mail systems ignore the case
 * of both, and a person who types `Ann@Example.com` once must not become two. Nothing else is folded: `+tag`, dots,
 * other scripts' letters that look like Latin ones and other scripts' case stay distinct, since merging two persons is
 * worse than not recognising one.
 *
 * NFC turns three characters into ASCII ones, among them the Kelvin sign into `K`; they are kept as they are. Text is
 * brought to NFC again after folding, because `J` with a caron has no single code point but `j` with one does. What is
 * longer than an address may be is left as it is: the time of NFC grows with the square of the marks on one letter.
 */
export function emailKey(email: string): string {
  if (email.length > emailBytesMax) return email;
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
