import { setTimeout as after } from 'node:timers/promises';
import type { Listener } from './listener.ts';

/**
 * Ends listeners together. New requests are answered 503 on each of them, `/readyz` among these, as long as anything is
 * under way on one; what is not over after so long is cut off.
 */
export async function drain(listeners: readonly Listener[], milliseconds: number): Promise<void> {
  const deadline = performance.now() + milliseconds;
  const idle = Promise.all(listeners.map((listener) => listener.refuseNew()));
  await Promise.race([idle, after(milliseconds, undefined, { ref: false })]);
  const left = Math.max(0, deadline - performance.now());
  await Promise.all(listeners.map((listener) => listener.close(left)));
}
