export interface TypedPercents {
  /** As they would be stored. */
  readonly percents: readonly number[];
  /** The faults of the text. */
  readonly fault: string | undefined;
}

const most = 5;

/** Reads percents with commas or spaces between them. */
export function percentsIn(text: string): TypedPercents {
  const parts = text.split(/[\s,;%]+/).filter((part) => part !== '');
  const percents = [...new Set(parts.map(Number))].toSorted((one, other) => one - other);
  return { percents, fault: faultOf(percents) };
}

function faultOf(percents: readonly number[]): string | undefined {
  if (percents.some((percent) => !Number.isInteger(percent) || percent < 1 || percent > 100))
    return 'Type whole numbers from 1 to 100, with commas between them.';
  if (!percents.includes(100)) return '100 stays among them: a limit that is reached stops writes.';
  return percents.length > most ? `At most ${most} numbers.` : undefined;
}
