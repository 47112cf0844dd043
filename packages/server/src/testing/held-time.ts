/** Time that passes when the test says so, for code that looks at the time of the process. Only tests may use it. */
import type { TestContext } from 'node:test';

/**
 * Lets no time pass for the fair scheduler until the test has ended. Work then gives way to other work by its steps alone,
 * so races that begin some steps apart meet at the same points on a busy machine as on an idle one.
 */
export function stopTime(context: TestContext): void {
  const now = performance.now();
  context.mock.method(performance, 'now', () => now);
}

/** Lets a time slice pass at each look at the clock: work that gives way by its time does so wherever it asks. */
export function passSlices(context: TestContext): void {
  let now = performance.now();
  context.mock.method(performance, 'now', () => (now += 1));
}

/** Holds each signal of `AbortSignal.timeout` until so much time has been let pass. */
export function holdTimeouts(context: TestContext): (milliseconds: number) => void {
  const waiting = new Map<AbortController, number>();
  context.mock.method(AbortSignal, 'timeout', (milliseconds: number) => {
    const controller = new AbortController();
    waiting.set(controller, milliseconds);
    return controller.signal;
  });
  return (milliseconds) => {
    for (const [controller, left] of waiting) {
      waiting.set(controller, left - milliseconds);
      if (left > milliseconds) continue;
      waiting.delete(controller);
      controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    }
  };
}
