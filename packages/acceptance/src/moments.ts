import assert from 'node:assert/strict';

export const daySeconds = 86_400;
export const weekSeconds = 7 * daySeconds;

/**
 * Holds a moment that the platform names to that of the call that it is about, or to so many seconds later. The call was
 * made since the process of the test began; the platform's clock is that of this machine, and some moments are whole seconds.
 */
export function assertNow(moment: string | undefined, laterSeconds = 0): void {
  const at = Date.parse(moment ?? '') - laterSeconds * 1000;
  assert.ok(at > performance.timeOrigin - 1000 && at <= Date.now(), `${moment} is another moment`);
}
