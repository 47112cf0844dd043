/**
 * Keys whose byte order is the order of tuples of values, each ascending or descending. A key is its parts, one after
 * the other: no part is the beginning of another, so a part decides before those behind it. A descending part is the
 * ascending one with each byte turned, in hexadecimal digits, since a key is a text.
 */
import { encodedStart, indexPrefixOf, isAlone, presentPrefix } from './order-encoding.ts';

/**
 * Values are cut here, so that four of them, each descending, keep within what a key may have (1,024 bytes). A key is
 * ordered by what is left of them.
 */
const partBytesMax = 120;

export interface TupleOrder {
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
 * Where the parts lie whose values are not less than `from` or not more than `to`; all of them have a value. They
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
