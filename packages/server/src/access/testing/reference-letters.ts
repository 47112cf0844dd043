/** What letters are, for the reference evaluator: ASCII and nothing else. */
const capitals = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const smalls = 'abcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';

export function inSmallLetters(text: string): string {
  let small = '';
  for (const letter of text) small += capitals.includes(letter) ? smalls.charAt(capitals.indexOf(letter)) : letter;
  return small;
}

export function isLettersAndDigits(text: string): boolean {
  return Array.from(text).every((letter) => `${capitals}${smalls}${digits}`.includes(letter));
}

export function isDigits(text: string): boolean {
  return text !== '' && Array.from(text).every((letter) => digits.includes(letter));
}
