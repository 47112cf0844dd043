/** A disk of few megabytes, which can be filled to the last byte: a tmpfs that root mounts. */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from './platform.ts';

/** Why no disk can be mounted here; `false` where one can. */
export const whyNoDisk: string | false = mountOn(temporaryDirectory(), unmount)
  ? false
  : 'not run: root alone mounts a disk';

export interface SmallDisk {
  readonly folder: string;
  /** Leaves no byte free. */
  fill(): void;
  makeRoom(): void;
}

/** Unmounted after the test. */
export function smallDisk(t: TestContext): SmallDisk {
  const folder = temporaryDirectory();
  if (!mountOn(folder)) throw new Error('the disk could not be mounted');
  t.after(() => unmount(folder));
  const ballast = join(folder, 'ballast');
  return { folder, fill: () => fillUp(ballast), makeRoom: () => rmSync(ballast, { force: true }) };
}

function fillUp(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (const size of [1024 * 1024, 4096, 1]) while (writes(file, size));
  } finally {
    closeSync(file);
  }
}

function writes(file: number, size: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(size)) === size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return false;
    throw error;
  }
}

function mountOn(folder: string, then?: (folder: string) => void): boolean {
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=32m,mode=700', 'tmpfs', folder]);
  if (status === 0) then?.(folder);
  return status === 0;
}

/** Also while a process that is just ending has files open there. */
function unmount(folder: string): void {
  spawnSync('umount', ['--lazy', folder]);
}
