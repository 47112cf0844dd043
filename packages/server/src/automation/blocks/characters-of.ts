import { blockFailure } from './block-failure.ts';

/** As deep as the body of a call may be. Steps that each wrap the value before them would make any depth. */
export const levelsMax = 32;

/**
 * About how many characters a value has as JSON, and a character for each node. It stops to count above `max`.
 * @throws Problem `block_failed` for a value with too many levels.
 */
export function charactersOf(value: unknown, max: number, levels = levelsMax): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  if (levels === 0) throw blockFailure(`a run makes values of at most ${levelsMax} levels of objects and lists`);
  let sum = 2;
  for (const [name, member] of Object.entries(value)) {
    sum += name.length + 1 + charactersOf(member, max - sum, levels - 1);
    if (sum > max) break;
  }
  return sum;
}
