import { BoundedMap } from '../../lib/bounded-map.ts';
import type { PlannedChange } from '../../records/port.ts';
import { type Change, type Key, ownerOf, type Scope } from '../../store/port.ts';
import { asRead } from '../../store/table.ts';

/**
 * Tells, within this process, that what people hold in a workspace has changed: who resolved access at one number must
 * resolve it again at another. A forgotten workspace gets an unused number.
 */
export interface AccessEpochs {
  current(scopeName: string): number;
  bump(scopeName: string): void;
}

/** Does the work, and bumps the epoch when it is over: also if it failed, because its outcome may be unknown. */
export async function thenBump<T>(epochs: AccessEpochs, scopeName: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    epochs.bump(scopeName);
  }
}

/** Epochs that other nodes move too. The owner of a name is the text before its first hyphen. */
export interface NodeEpochs extends AccessEpochs {
  bumpOwner(owner: string): void;
  bumpAll(): void;
}

const ownersMax = 1000;

export function createAccessEpochs(workspacesMax = 100_000): NodeEpochs {
  const epochs = new BoundedMap<string, number>(workspacesMax);
  const owners = new Map<string, number>();
  let ofOthers = 0;
  let last = 0;
  const bump = (scopeName: string): number => {
    last += 1;
    epochs.set(scopeName, last);
    return last;
  };
  const bumpAll = (): void => {
    last += 1;
    ofOthers = last;
    owners.clear();
  };
  return {
    current: (scopeName) => {
      const own = epochs.get(scopeName) ?? bump(scopeName);
      // Both only grow, so no two states have one sum.
      return own + ((owners.size === 0 ? undefined : owners.get(ownerOf(scopeName))) ?? ofOthers);
    },
    bump: (scopeName) => void bump(scopeName),
    bumpOwner: (owner) => {
      if (owners.size >= ownersMax) bumpAll();
      last += 1;
      owners.set(owner, last);
    },
    bumpAll,
  };
}

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
