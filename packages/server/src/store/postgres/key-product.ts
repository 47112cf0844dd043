import type { Key } from '../port.ts';

/** A place is looked up in a microsecond or two; Citus plans a statement on more than one table for some hundred. */
const placesMax = 64;

/**
 * The keys, the values of statements on one table alone that look wherever a key has its `pk` and another its `sk`, and
 * pick what was asked for. Undefined where those are too many places.
 */
export function keyProduct(keys: readonly Key[]): readonly (readonly string[])[] | undefined {
  const pks = [...new Set(keys.map(({ pk }) => pk))];
  const sks = [...new Set(keys.map(({ sk }) => sk))];
  if (pks.length * sks.length > placesMax) return undefined;
  return [pks, sks, keys.map(({ pk, sk }) => `${pk}\u0001${sk}`)];
}

/** Of {@link keyProduct}. */
export const inKeyProduct = `pk = any($2::text[]) and sk = any($3::text[]) and pk || e'\\x01' || sk = any($4::text[])`;

/** U+0000 is in no name, so the join is unambiguous. */
export function nameOf({ pk, sk }: Key): string {
  return `${pk}\0${sk}`;
}
