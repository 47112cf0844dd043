import type { Due, Item } from '../port.ts';

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
