/** Waiting for what becomes true by the platform's own time, or by a page's, however long a busy machine takes. */
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';

/**
 * A net, and no promise: what is late has not failed. It ends before the five minutes of the runner, which knows the name
 * of the test and not what the test waited for.
 */
export const netMilliseconds = 240_000;
const pauseMilliseconds = 5;

/**
 * Asks until there is an answer, and gives it.
 * @param awaited what comes: the end of the sentence "waited in vain for …"
 * @param ask gives `undefined` or `false` while it has not come
 */
export async function eventually<T>(
  awaited: string,
  ask: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const deadline = performance.now() + netMilliseconds;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    assert.ok(performance.now() < deadline, `waited ${netMilliseconds / 1000} s in vain for ${awaited}`);
    await setTimeout(pauseMilliseconds);
  }
}

/** Holds what is read to a value, or its text to a pattern, once it has it. */
export async function assertBecomes<T>(
  read: () => T | Promise<T>,
  expected: NoInfer<T> | RegExp,
  message?: string,
): Promise<void> {
  const deadline = performance.now() + netMilliseconds;
  for (;;) {
    const value = await read();
    try {
      if (expected instanceof RegExp) assert.match(String(value), expected);
      else assert.deepEqual(value, expected);
      return;
    } catch (error) {
      if (performance.now() > deadline) throw message === undefined ? error : new Error(message, { cause: error });
    }
    await setTimeout(pauseMilliseconds);
  }
}
