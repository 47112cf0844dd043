import type { Mistake } from './mistake.ts';

const patternLengthMax = 256;
const patternStarsMax = 16;

/** What no pattern may be, whatever it is matched with. */
export function patternMistake(pattern: string): Mistake | undefined {
  const stars = pattern.split('*').length - 1;
  if ([...pattern].length > patternLengthMax) return ['too_long', `has more than ${patternLengthMax} characters`];
  if (stars > patternStarsMax) return ['too_many', `has more than ${patternStarsMax} stars`];
  if (!pattern.isWellFormed()) return ['invalid_value', 'contains half of a surrogate pair'];
  return undefined;
}
