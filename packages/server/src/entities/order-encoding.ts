/**
 * Keys whose byte order is the order of the values they hold.
 *
 * An index item's `sk` is `{presence}{encoded value}{end}{id}`: records without the value come first, equal values
 * follow one another by id. The end mark is two U+0001; a U+0001 inside a value becomes U+0001 U+0002, so that no
 * value reaches into the id and a shorter text sorts before every longer one that begins with it.
 */
const end = '\u0001\u0001';
const absent = '0';
const present = '1';

/** Sorts after every text that starts with what stands before it. */
export const afterAll = '\u{10FFFF}';

/** A longer value is cut in the index; whoever reads through it compares the record's own value again. */
export const indexedBytesMax = 512;

/** 16 hexadecimal digits: the IEEE 754 bits, with the sign turned for positives and every bit for negatives. */
export function encodeNumber(value: number): string {
  floatView.setFloat64(0, value === 0 ? 0 : value);
  const bits = floatView.getBigUint64(0);
  const ordered = bits >> 63n === 1n ? ~bits & 0xffff_ffff_ffff_ffffn : bits | 0x8000_0000_0000_0000n;
  return ordered.toString(16).padStart(16, '0');
}

const floatView = new DataView(new ArrayBuffer(8));

/** The `sk` of a record's entry in an index; `encoded` is undefined where the record has no value. */
export function indexSortKey(encoded: string | undefined, id: string): string {
  return `${indexPrefix(encoded)}${id}`;
}

/** What the entries of one value, or of no value, have in common. */
export function indexPrefix(encoded: string | undefined): string {
  return encoded === undefined ? absent + end : `${indexStart(encoded)}${end}`;
}

/** Nothing that sorts before this has a value as great as `encoded`. */
export function indexStart(encoded: string): string {
  return present + cut(encoded).replaceAll('\u0001', '\u0001\u0002');
}

export const presentPrefix = present;

export function isCut(encoded: string): boolean {
  return cut(encoded) !== encoded;
}

function cut(encoded: string): string {
  if (encoded.length * 3 <= indexedBytesMax) return encoded;
  let bytes = 0;
  let length = 0;
  for (const character of encoded) {
    bytes += Buffer.byteLength(character);
    if (bytes > indexedBytesMax) return encoded.slice(0, length);
    length += character.length;
  }
  return encoded;
}
