import type { Decision, Simulated } from '@freehold/contract/management/access';
import type { Read } from '@freehold/contract/schema';

type Reasons = Pick<Read<typeof Simulated>, 'decision' | 'reason' | 'matched' | 'considered'>;

/** A decision with its reasons. A developer is answered without those of production. */
export type Explained<D> = D & Reasons;

export function isExplained<D extends Read<typeof Decision> | Read<typeof Simulated>>(
  decision: D,
): decision is Explained<D> {
  return decision.decision !== undefined;
}

/** Why the reasons are not there. */
export const reasonsHidden =
  'Only org admins see why a call was denied in production: the reasons show values of records.';
