import type { KeyBounds } from '../key-bounds.ts';

/** A stretch of sort keys; `from` is in it, `to` is not. */
export interface TextBounds {
  readonly from: string;
  readonly to: string | undefined;
}

/**
 * No stored text holds U+0000 and the server takes none, so the first text after `x` is `x` and U+0001. That says every
 * bound without U+0000, and an exclusive one as an inclusive one.
 */
export function textBounds({ from, isFromIncluded, to }: KeyBounds): TextBounds {
  const first = isFromIncluded || from.includes('\0') ? writable(from) : `${from}\u0001`;
  return { from: first, to: to === undefined ? undefined : writable(to) };
}

export function isWritable(text: string): boolean {
  return !text.includes('\0');
}

/** The first text without U+0000 at or after this one. */
function writable(text: string): string {
  const end = text.indexOf('\0');
  return end < 0 ? text : `${text.slice(0, end)}\u0001`;
}
