import type { CallWatch } from '../gateway/call-watch.ts';
import { connectionsMax } from '../gateway/listener.ts';
import type { Clock } from '../lib/clock.ts';
import { descriptorsKept, descriptorsMax, descriptorsOpen } from '../lib/descriptors.ts';

interface Warnings {
  warn(facts: object, sentence: string): void;
}

const silentMilliseconds = 10_000;

/** Says that connections are refused for want of file descriptors: at once, and then at most every ten seconds. */
export function warnOfDescriptors(log: Warnings, clock: Clock): Pick<CallWatch, 'refused'> {
  let [refused, saidAt] = [0, Number.NEGATIVE_INFINITY];
  return {
    refused: (code) => {
      if (code !== 'no_descriptors') return;
      refused += 1;
      const now = clock.now();
      if (Math.abs(now - saidAt) < silentMilliseconds) return;
      const facts = { refused, open: descriptorsOpen(), max: descriptorsMax() };
      log.warn(facts, `connections are refused, as the process has hardly a file descriptor left: ${raise}`);
      [refused, saidAt] = [0, now];
    },
  };
}

const raise = 'raise its limit (`LimitNOFILE` of systemd, `--ulimit nofile` of a container, `ulimit -n`)';

/** Both gateways may have so many connections, and each call to the store, a mail server or a webhook takes one more. */
export const descriptorsNeeded = 2 * connectionsMax + descriptorsKept(2 * connectionsMax);

/** A sentence where a process with so many descriptors takes fewer connections than the gateways would; undefined elsewhere. */
export function tooFewDescriptors(max: number | undefined): string | undefined {
  if (max === undefined || max >= descriptorsNeeded) return undefined;
  return `the process may have ${max} file descriptors, which is enough for some ${max - descriptorsKept(max)} connections, and each gateway takes ${connectionsMax}: ${raise}`;
}
