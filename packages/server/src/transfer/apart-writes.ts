import type { PlannedChange } from '../records/port.ts';
import { type Key, limits } from '../store/port.ts';

/**
 * Writes that were planned on the same state and go into one commit because none changes what another looked at. All may
 * count, and look at the same things.
 */
export interface ApartWrites {
  /** @param claimed what only one write of the commit may be about. */
  hasRoomFor(write: readonly PlannedChange[], claimed: Key | undefined): boolean;
  add(write: readonly PlannedChange[], claimed: Key | undefined): void;
}

export function apartWrites(): ApartWrites {
  const places = new Map<string, 'looked at' | 'changed'>();
  const claims = new Set<string>();
  let changesLeft = limits.changesMax - checksOfTheCommit;
  const isFree = ({ change }: PlannedChange): boolean => {
    if (!isOfOnePlace(change)) return true;
    const known = places.get(placeText(change));
    return known === undefined || (known === 'looked at' && change.kind === 'check');
  };
  return {
    hasRoomFor: (write, claimed) => {
      if (places.size === 0) return true;
      const isClaimed = claimed !== undefined && claims.has(placeText(claimed));
      return write.length <= changesLeft && !isClaimed && write.every(isFree);
    },
    add: (write, claimed) => {
      changesLeft -= write.length;
      if (claimed !== undefined) claims.add(placeText(claimed));
      for (const { change } of write)
        if (isOfOnePlace(change)) places.set(placeText(change), change.kind === 'check' ? 'looked at' : 'changed');
    },
  };
}

type Change = PlannedChange['change'];

function isOfOnePlace(change: Change): change is Exclude<Extract<Change, Key>, { kind: 'add' }> {
  return 'sk' in change && change.kind !== 'add';
}

/** A commit also checks a fence for each entity that it touches. */
const checksOfTheCommit = 10;

export function placeText({ pk, sk }: Key): string {
  return `${pk}\0${sk}`;
}
