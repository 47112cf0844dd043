import type { PlannedChange } from '../../records/port.ts';
import type { Change, Key, Scope } from '../../store/port.ts';
import { asRead } from '../../store/table.ts';

/**
 * Every write of access control moves the epoch of its workspace under a version condition, so that such writes are
 * serial: what one has checked (a policy exists, a person is a member) still holds when it commits.
 */
export const policyEpochKey: Key = { pk: 'iam', sk: 'epoch' };

/** Holds a commit to the access control that it was planned on. To be read before anything that it depends on. */
export async function sameEpoch(scope: Scope): Promise<Change> {
  const [item] = await scope.get([policyEpochKey]);
  return { kind: 'check', ...policyEpochKey, if: asRead(item) };
}

/** To be planned before anything is read that the write depends on. */
export async function moveEpoch(scope: Scope): Promise<PlannedChange> {
  const [item] = await scope.get([policyEpochKey]);
  const epoch = item === undefined ? 0 : Number(item.value);
  const change: Change = { kind: 'put', ...policyEpochKey, value: String(epoch + 1), if: asRead(item) };
  return { change, onConflict: 'replan' };
}
