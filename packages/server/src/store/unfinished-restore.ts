/**
 * What a restore puts in the place of the store that a platform opens first, until the true one takes it in one step: no
 * platform starts on what is not all there, and the next restore knows what it may throw away.
 */
export const unfinishedRestore =
  'A restore into this folder was begun and not finished: run it again, or empty the folder.\n';
