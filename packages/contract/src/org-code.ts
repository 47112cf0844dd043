/** The code that is proposed for an org, by its name. */
export interface ProposedOrgCode {
  /** 2 to 27 of `a-z` and `0-9`, beginning with a letter; undefined where the name has nothing that a code may have. */
  readonly code: string | undefined;
  /** Letters and digits of the name that no letter of a code stands for. */
  readonly leftOut: string;
}

/** Letters that are written by others, beside those that are another one with an accent. */
const written: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'oe',
  þ: 'th',
  ð: 'd',
  đ: 'd',
  ł: 'l',
  ı: 'i',
  ħ: 'h',
};

const lettersMax = 24;

/** Writes a name in the letters of a code: `Söhne` as `soehne`, `Café` as `cafe`. */
export function proposeOrgCode(name: string): ProposedOrgCode {
  const plain = Array.from(name.normalize('NFC').toLowerCase(), (letter) => written[letter] ?? letter).join('');
  const letters = plain.normalize('NFKD').replace(/[^\p{L}\p{N}]/gu, '');
  const leftOut = letters.replace(/[a-z0-9]/g, '').normalize('NFC');
  const kept = letters.replace(/[^a-z0-9]/g, '').slice(0, lettersMax);
  if (kept === '') return { code: undefined, leftOut };
  return { code: /^[a-z]./.test(kept) ? kept : `org${kept}`, leftOut };
}
