import { BoundedMap } from '../../lib/bounded-map.ts';

/**
 * Tells, within this process, that what people hold in a workspace has changed: who resolved access at one number must
 * resolve it again at another. A forgotten workspace gets an unused number.
 */
export interface AccessEpochs {
  current(scopeName: string): number;
  bump(scopeName: string): void;
}

/** Does what changes it, and tells of it when that is over: also if it failed, because its outcome may be unknown. */
export async function thenBump<T>(epochs: AccessEpochs, scopeName: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    epochs.bump(scopeName);
  }
}

export function createAccessEpochs(workspacesMax = 100_000): AccessEpochs {
  const epochs = new BoundedMap<string, number>(workspacesMax);
  let last = 0;
  const bump = (scopeName: string): number => {
    last += 1;
    epochs.set(scopeName, last);
    return last;
  };
  return {
    current: (scopeName) => epochs.get(scopeName) ?? bump(scopeName),
    bump: (scopeName) => void bump(scopeName),
  };
}
