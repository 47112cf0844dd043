/** How often a cache had what it was asked for, and how often it had not. */
export interface HitTally {
  hits: number;
  misses: number;
}

export function newHitTally(): HitTally {
  return { hits: 0, misses: 0 };
}
