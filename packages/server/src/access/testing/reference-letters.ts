/** The letters of the reference evaluator: ASCII and nothing else. */
const capitals = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const smalls = 'abcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';

export function inSmallLetters(text: string): string {
  let small = '';
  for (const letter of text) small += capitals.includes(letter) ? smalls.charAt(capitals.indexOf(letter)) : letter;
  return small;
}

/** The first and the last code point of controls, halves of characters, line separators and direction marks. */
const unfitForLabels = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0x61c, 0x61c],
  [0x200e, 0x200f],
  [0x2028, 0x2029],
  [0x202a, 0x202e],
  [0x2066, 0x2069],
  [0xd800, 0xdfff],
] as const;

export function isLabel(text: string): boolean {
  return Array.from(text).every((letter) => {
    const point = letter.codePointAt(0) ?? 0;
    return unfitForLabels.every(([first, last]) => point < first || point > last);
  });
}

export function isDigits(text: string): boolean {
  return text !== '' && Array.from(text).every((letter) => digits.includes(letter));
}
