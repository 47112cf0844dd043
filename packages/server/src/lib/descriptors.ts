/** The file descriptors of the process: each connection, file and pipe takes one. */
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

/** The most descriptors that the process may have; undefined where the system does not say, or has no bound. */
export function descriptorsMax(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'latin1');
    const [, soft] = /^Max open files +(\d+)/m.exec(limits) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/** The number of descriptors that the process has; undefined where the system does not say. */
export function descriptorsOpen(): number | undefined {
  try {
    // The list has the descriptor by which it is read.
    return readdirSync('/proc/self/fd').length - 1;
  } catch (error) {
    return isOutOfDescriptors(error) ? descriptorsMax() : undefined;
  }
}

/** Of which the system gives the lowest number that is free: a high one says that all below it are taken. */
export function nextDescriptor(): number {
  try {
    const file = openSync('/dev/null', 'r');
    closeSync(file);
    return file;
  } catch (error) {
    return isOutOfDescriptors(error) ? Number.POSITIVE_INFINITY : 0;
  }
}

function isOutOfDescriptors(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE');
}

/** The number for files, the store, mails and calls to other systems: connections leave so many. */
export function descriptorsKept(max: number): number {
  return Math.min(256, Math.ceil(max / 8));
}
