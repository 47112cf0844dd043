/** Preloaded into a platform: no limit of five seconds or more is ever reached. */
import { syncBuiltinESMExports } from 'node:module';
import promises from 'node:timers/promises';

const endless = (milliseconds = 0): number => (milliseconds < 5000 ? milliseconds : 2 ** 31 - 1);
const after = globalThis.setTimeout;
const waitFor = promises.setTimeout;
globalThis.setTimeout = ((work: () => void, milliseconds?: number) =>
  after(work, endless(milliseconds))) as typeof setTimeout;
promises.setTimeout = (milliseconds, ...rest) => waitFor(endless(milliseconds), ...rest);
syncBuiltinESMExports();
