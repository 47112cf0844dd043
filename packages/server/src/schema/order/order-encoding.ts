import type { FieldValue } from '../definition.ts';

/**
 * Keys whose byte order is the order of the values they hold.
 *
 * An index item's `sk` is `{presence}{encoded value}{end}{id}`: records without the value come first, equal values
 * follow one another by id. The end mark is two U+0001; a U+0001 inside a value becomes U+0001 U+0002, so that no value
 * reaches into the id and a shorter text sorts before every longer text that begins with it.
 */
const end = '\u0001\u0001';
const absent = '0';
const present = '1';

/** Sorts after every text with the same start. */
export const afterAll = '\u{10FFFF}';

/** A longer value is cut in the index; readers compare the record's own value again. */
const indexedBytesMax = 512;

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

/** The id that an entry ends with: after the last end mark, since no id holds one. */
export function idOf(sortKey: string): string {
  return sortKey.slice(sortKey.lastIndexOf(end) + end.length);
}

/** The common part of the entries of one value, or of no value,. */
export function indexPrefix(encoded: string | undefined): string {
  return indexPrefixOf(encoded, indexedBytesMax);
}

/** @param bytesMax where values are cut, here and below. */
function indexPrefixOf(encoded: string | undefined, bytesMax: number): string {
  return encoded === undefined ? absent + end : `${encodedStart(encoded, bytesMax)}${end}`;
}

/** Nothing that sorts before this has a value as great as `encoded`. */
export function indexStart(encoded: string): string {
  return encodedStart(encoded, indexedBytesMax);
}

function encodedStart(encoded: string, bytesMax: number): string {
  return present + cut(encoded, bytesMax).replaceAll('\u0001', '\u0001\u0002');
}

export const presentPrefix = present;

/** Whether the entries of this value are its alone. Longer values, whose ends are cut off, may share one beginning. */
export function isAloneInIndex(encoded: string): boolean {
  return isAlone(encoded, indexedBytesMax);
}

function isAlone(encoded: string, bytesMax: number): boolean {
  return lengthIndexed(encoded, bytesMax) === undefined;
}

function cut(encoded: string, bytesMax: number): string {
  const length = lengthIndexed(encoded, bytesMax);
  return length === undefined ? encoded : encoded.slice(0, length);
}

/**
 * The indexed length of a value; undefined where all of it is indexed and nothing else can share it. The place of a cut
 * depends on the kept part alone, never on the character that follows: so cut values keep their order.
 */
function lengthIndexed(encoded: string, bytesMax: number): number | undefined {
  const bytesKept = bytesMax - characterBytesMax + 1;
  if (encoded.length * characterBytesMax <= bytesKept) return undefined;
  let bytes = 0;
  let length = 0;
  for (const character of encoded) {
    // An escaped U+0001 takes two.
    bytes += character === '\u0001' ? 2 : Buffer.byteLength(character);
    length += character.length;
    if (bytes >= bytesKept) return length;
  }
  return undefined;
}

const characterBytesMax = 4;

/** `encode` of the types whose values are numbers. */
export function numberOrder(value: FieldValue): string | undefined {
  return typeof value === 'number' ? encodeNumber(value) : undefined;
}

/** `encode` of the types whose values are texts in their own order. */
export function textOrder(value: FieldValue): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

// Keys whose byte order is the order of tuples of values, each ascending or descending. A key is its parts, one after
// the other: no part is the beginning of another, so a part decides before those behind it. A descending part is the
// ascending one with each byte turned, in hexadecimal digits, since a key is a text.

/**
 * Values are cut here, so that four of them, each descending, keep within what a key may have (1,024 bytes). A key is
 * ordered by what is left of them.
 */
const partBytesMax = 120;

interface TupleOrder {
  readonly descending: boolean;
}

/** A value of a tuple; `encoded` is undefined where the record has none, which comes before all values. */
export function tuplePart(encoded: string | undefined, { descending }: TupleOrder): string {
  return inOrder(indexPrefixOf(encoded, partBytesMax), descending);
}

/** Whether a part of this value is of no other value: longer ones, whose ends are cut off, may share a beginning. */
export function isAloneInTuple(encoded: string): boolean {
  return isAlone(encoded, partBytesMax);
}

/**
 * The range of the parts whose values are not less than `from` or not more than `to`; all of them have a value. They
 * begin with `through` or sort before it; undefined where nothing bounds them.
 */
export function tupleRange(
  { from, to }: { readonly from: string | undefined; readonly to: string | undefined },
  { descending }: TupleOrder,
): { readonly after: string; readonly through: string | undefined } {
  const least = inOrder(from === undefined ? presentPrefix : encodedStart(from, partBytesMax), descending);
  const most = inOrder(to === undefined ? presentPrefix : encodedStart(to, partBytesMax), descending);
  if (descending) return { after: most, through: least };
  return { after: least, through: to === undefined ? undefined : most };
}

function inOrder(text: string, descending: boolean): string {
  if (!descending) return text;
  const turned = Buffer.from(text);
  for (const [at, byte] of turned.entries()) turned[at] = 255 - byte;
  return turned.toString('hex');
}
