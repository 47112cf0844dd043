import type { Mistake } from '../mistake.ts';

export const patternLengthMax = 256;
export const patternStarsMax = 16;

/** What no pattern may be, whatever it is matched with. `written` is how it was sent, before runs of stars became one. */
export function patternMistake(pattern: string, written: string): Mistake | undefined {
  const stars = pattern.split('*').length - 1;
  if ([...written].length > patternLengthMax) return ['too_long', `has more than ${patternLengthMax} characters`];
  if (stars > patternStarsMax) return ['too_many', `has more than ${patternStarsMax} stars`];
  if (!pattern.isWellFormed()) return ['invalid_value', 'contains a lone surrogate'];
  return undefined;
}
