/**
 * A text of another party for a terminal: control characters are shown as escapes, so that a name or a note cannot move
 * the cursor or hide a line. Line ends stay.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    if (character === '\n') return character;
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}
