/**
 * Preloaded into a platform under test, has Argon2 take the least that it can: tests that are not about what a guess
 * costs make accounts by the hundred. The platform knows nothing of it, and no setting of its own does this.
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

const { argon2 } = crypto;
crypto.argon2 = (algorithm, parameters, callback) =>
  argon2(algorithm, { ...parameters, memory: 8 * parameters.parallelism, passes: 1 }, callback);
syncBuiltinESMExports();
