/** What two people made of one record at the same time, field by field. */

import type { Field } from '../../entities/definition.ts';
import { controlOf, isSame, type RecordValues } from '../form/inputs.ts';

export interface Difference {
  readonly field: Field;
  readonly before: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
  /** `both` changed it, and not to the same value; otherwise who alone did. */
  readonly changedBy: 'me' | 'them' | 'both';
}

interface Versions {
  /** The record that the changes were made of. */
  readonly before: RecordValues;
  /** The changed fields, as they would be sent. */
  readonly mine: RecordValues;
  /** The record as it is stored now. */
  readonly theirs: RecordValues;
}

/** The fields that either of them changed; those that both changed to the same value are settled. */
export function differencesOf(fields: readonly Field[], { before, mine, theirs }: Versions): readonly Difference[] {
  return fields.flatMap((field): readonly Difference[] => {
    const { name } = field;
    const [was, is] = [before[name] ?? null, theirs[name] ?? null];
    const isMine = Object.hasOwn(mine, name);
    const wanted = isMine ? (mine[name] ?? null) : is;
    const isTheirs = !isSame(was, is);
    // Neither of them has seen what is stored of a secret, so a change of it is never settled.
    const isSettled = isSame(wanted, is) && controlOf(field) !== 'secret';
    if (isMine ? isSettled : !isTheirs) return [];
    const changedBy = !isMine ? 'them' : isTheirs ? 'both' : 'me';
    return [{ field, before: was, mine: wanted, theirs: is, changedBy }];
  });
}

export type Choice = 'mine' | 'theirs';

/** What is sent once it is chosen, on top of the record as it is stored now. */
export function chosenChanges(
  differences: readonly Difference[],
  choices: Readonly<Record<string, Choice>>,
): RecordValues {
  const kept = differences.filter(({ field, changedBy }) => {
    if (changedBy === 'them') return false;
    return changedBy === 'me' || choices[field.name] === 'mine';
  });
  return Object.fromEntries(kept.map(({ field, mine }) => [field.name, mine]));
}
