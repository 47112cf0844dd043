/** Rows of figures, as the store keeps them. */
import type { Tally } from './port.ts';

interface TallyRow {
  readonly label: string;
  readonly figures: readonly bigint[];
}

/** @throws TypeError where the value is no row of figures. */
export function readTally(value: string): TallyRow {
  const row = parsed(value);
  if (typeof row === 'object' && row !== null && 'label' in row && 'figures' in row) {
    const { label, figures } = row;
    const isWhole = (one: unknown): one is string => typeof one === 'string' && /^-?\d+$/.test(one);
    if (typeof label === 'string' && Array.isArray(figures) && figures.every(isWhole))
      return { label, figures: figures.map(BigInt) };
  }
  throw new TypeError('the value is no row of figures');
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

export function tallyText({ label, figures }: TallyRow): string {
  return JSON.stringify({ label, figures: figures.map(String) });
}

/** The row once the numbers are added. @param before undefined where it is absent. @throws TypeError as {@link readTally}. */
export function tallied(before: string | undefined, { label, by }: Pick<Tally, 'label' | 'by'>): TallyRow {
  return { label, figures: bothFigures(before === undefined ? [] : readTally(before).figures, by) };
}

export function bothFigures(left: readonly bigint[], right: readonly bigint[]): readonly bigint[] {
  const [long, short] = left.length < right.length ? [right, left] : [left, right];
  return long.map((one, at) => one + (short[at] ?? 0n));
}

/** Whether the row stays. */
export function isLeft({ figures }: Pick<TallyRow, 'figures'>): boolean {
  return (figures[0] ?? 0n) !== 0n;
}
