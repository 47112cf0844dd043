/** The JSON pointer (RFC 6901) of a member, one token for each step down to it. */
export function pointerTo(...tokens: readonly string[]): string {
  return tokens.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
