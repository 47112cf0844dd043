/**
 * Compares two strings by their UTF-8 bytes. JavaScript compares UTF-16 units, which puts U+E000…U+FFFF after
 * the surrogates of everything above U+FFFF; shifting the units at and above U+D800 restores code point order,
 * which is the order of the UTF-8 bytes.
 */
export function compareBytes(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
