/** The JSON pointer (RFC 6901) of a member, one token for each step down to it. */
export function exactPointerTo(...tokens: readonly string[]): string {
  return tokens.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The same for a refusal, which must not outgrow what it refuses: of a very long token it has the beginning. */
export function pointerTo(...tokens: readonly string[]): string {
  return exactPointerTo(...tokens.map(shownToken));
}

const tokenCharactersMax = 256;

function shownToken(token: string): string {
  return token.length <= tokenCharactersMax ? token : `${token.slice(0, tokenCharactersMax).toWellFormed()}…`;
}
