import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';

/** A net, and no promise: it ends before the five minutes of the runner, which cannot say what a test waited for. */
const netMilliseconds = 240_000;

/** Asks until it is so. `awaited` ends the sentence "waited in vain for …". */
export async function eventually(awaited: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + netMilliseconds;
  while (!(await isSo())) {
    assert.ok(performance.now() < deadline, `waited ${netMilliseconds / 1000} s in vain for ${awaited}`);
    await setTimeout(20);
  }
}
