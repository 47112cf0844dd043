/**
 * The shape of everything that a store holds, its tables and its items, as one number. It goes up with each change of a
 * stored shape, by a migration (`upgrade/`). Stores that are made have it from the beginning.
 *
 * A store that is being migrated has the number that it is on its way to, below 0: no other release takes it for whole.
 */
export const dataVersion = 11;

/** The version of stores from before the number was raised for the first time. */
export const firstDataVersion = 1;

/** @throws Error with a sentence for the operator, where no migration leads from the version found. */
export function assertKnownVersion(found: unknown): asserts found is number {
  if (typeof found === 'number' && Math.abs(found) >= firstDataVersion && Math.abs(found) <= dataVersion) return;
  throw new Error(
    `the store was written by a newer release (data version ${found}, this release knows ${dataVersion}): ` +
      'start the release that wrote it, or restore a backup from before the upgrade',
  );
}

/**
 * A restore's placeholder for the store that a platform opens first, until the store replaces it in one step: no
 * platform starts on incomplete data, and the next restore knows which files it may throw away.
 */
export const unfinishedRestore =
  'A restore into this folder was begun and not finished: run it again, or empty the folder.\n';
