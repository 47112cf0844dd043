import { blockFailure } from '../blocks/block-failure.ts';

/** A value within an address, so that it stays one value. */
export function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/**
 * The address that a step calls.
 * @param literal the same with a text for each value: scheme, host and the parts of the path are as there.
 * @throws Problem `block_failed` where a value would lead elsewhere.
 */
export function stepAddress(text: string, literal: URL): URL {
  const url = URL.parse(text);
  if (url === null || url.origin !== literal.origin || url.username + url.password + url.hash !== '')
    throw blockFailure('a value makes another address of it');
  const parts = partsOf(url);
  const expected = partsOf(literal);
  const isSame = parts.length === expected.length && parts.every((part, at) => (part === '') === (expected[at] === ''));
  if (!isSame || parts.some(leadsUp)) throw blockFailure('a value makes another path of the address');
  return url;
}

function partsOf({ pathname }: URL): readonly string[] {
  return pathname.split('/');
}

/** Also for receivers that take an encoded slash for a slash. */
function leadsUp(part: string): boolean {
  const read = part.replace(/%2e/gi, '.').split(/\/|\\|%2f|%5c/i);
  return read.some((name) => name === '.' || name === '..');
}
