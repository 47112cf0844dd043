import { join } from 'node:path';

const sources = join(import.meta.dirname, '..', '..', 'server');

/** The program of the command `freehold`: that of this clone, or that of the release which `FREEHOLD_TEST_LAUNCHER` names. */
export const launcher = process.env.FREEHOLD_TEST_LAUNCHER ?? join(sources, 'bin', 'freehold.mjs');

/** The words that run one of its commands, in a clone without the launcher: most tests are not about that. */
export function programOf(command: 'start' | 'keys' | 'verify'): readonly string[] {
  if (process.env.FREEHOLD_TEST_LAUNCHER !== undefined) return [launcher, command];
  return [join(sources, 'src', command === 'start' ? 'main.ts' : `commands/${command}.ts`)];
}
