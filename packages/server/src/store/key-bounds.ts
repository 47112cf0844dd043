import { compareBytes } from '../lib/byte-order.ts';
import type { Range } from './port.ts';

/** A stretch of sort keys in UTF-8 byte order. `to` is exclusive; without it the stretch is open at its end. */
export interface KeyBounds {
  readonly from: string;
  readonly isFromIncluded: boolean;
  readonly to: string | undefined;
}

/** The keys that a range names: those with its prefix that lie between its exclusive bounds. */
export function keyBounds(range: Range): KeyBounds {
  const { prefix = '', after, before } = range;
  const isAfterPrefix = after !== undefined && compareBytes(after, prefix) >= 0;
  const end = prefixEnd(prefix);
  const isBeforeEnd = before !== undefined && (end === undefined || compareBytes(before, end) < 0);
  return { from: isAfterPrefix ? after : prefix, isFromIncluded: !isAfterPrefix, to: isBeforeEnd ? before : end };
}

/**
 * The first text, in byte order, after all that start with `prefix`, which is well formed: its last code point counted up
 * by one. That is exact because UTF-8 keeps code point order; U+10FFFF has no successor, so the code point before it is
 * counted up.
 */
export function prefixEnd(prefix: string): string | undefined {
  for (let end = prefix.length; end > 0; ) {
    const start = end - (isLowSurrogate(prefix.charCodeAt(end - 1)) ? 2 : 1);
    const point = prefix.codePointAt(start) ?? 0;
    if (point < 0x10ffff) return prefix.slice(0, start) + String.fromCodePoint(point === 0xd7ff ? 0xe000 : point + 1);
    end = start;
  }
  return undefined;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
