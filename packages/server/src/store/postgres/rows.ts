import type { KeyBounds } from '../key-bounds.ts';
import type { Due, Item, Key } from '../port.ts';

/** The columns of an item, in the order in which the statements name them. */
export type ItemRow = readonly [
  version: number,
  dueQueue: Due['queue'] | null,
  dueAt: number | null,
  targetPk: string | null,
  targetSk: string | null,
  value: string,
  sk: string,
  pk: string,
];

export function itemOfRow([version, dueQueue, dueAt, targetPk, targetSk, value, sk, pk]: ItemRow | LongRow): Item {
  const item = { pk, sk, version, value };
  if (targetPk !== null && targetSk !== null) return { ...item, target: { pk: targetPk, sk: targetSk } };
  return dueQueue === null || dueAt === null ? item : { ...item, due: { at: dueAt, queue: dueQueue } };
}

/** With what a statement gives beside an item. */
type LongRow = readonly [...ItemRow, unknown];

/** The order of the columns that `put` writes. */
export function rowOfItem({ pk, sk, version, due, target, value }: Item): readonly (string | number | null)[] {
  return [pk, sk, version, due?.queue ?? null, due?.at ?? null, target?.pk ?? null, target?.sk ?? null, value];
}

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

/** A stretch of sort keys; `from` is in it, `to` is not. */
interface TextBounds {
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
