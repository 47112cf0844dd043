/**
 * Preloaded into each test file, gives the properties of fast-check one seed: what passes once for a change passes again.
 * `FREEHOLD_TEST_SEED` takes another; the nightly build draws its own.
 */
import { registerHooks } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const seeded = new URL('./seeded-fast-check.ts', import.meta.url).href;

if (isMainThread)
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'fast-check' && context.parentURL !== seeded
        ? { url: seeded, shortCircuit: true }
        : next(specifier, context),
  });
