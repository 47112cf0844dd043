import type { Clock } from '../../lib/clock.ts';
import { createSealer } from '../../records/port.ts';
import { createStepTokens } from '../second-factors/step-tokens.ts';

/** The dependencies that builders' accounts need for second factors. Only tests may use it. */
export function factorDeps(clock: Clock) {
  const key = Buffer.alloc(32, 7);
  return {
    sealer: createSealer([{ kid: 'test', key: key.toString('base64url') }]),
    steps: createStepTokens(key, clock),
  };
}
