/** The routes of both gateways, and what each module gives, of a platform in production on stores in memory that has been closed again. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { compose } from '../composition/compose.ts';
import { readConfig } from '../config.ts';
import { systemClock } from '../lib/clock.ts';
import { openStore } from '../store/testing/open-store.ts';

const read = readConfig({
  FREEHOLD_MODE: 'production',
  FREEHOLD_PUBLIC_URL: 'https://app.example',
  FREEHOLD_MANAGEMENT_URL: 'https://manage.example',
  FREEHOLD_STORE: 'postgres://none:none@127.0.0.1/none',
  FREEHOLD_MASTER_KEY: randomBytes(32).toString('hex'),
});
assert.ok('config' in read, JSON.stringify(read));
// Nothing else keeps the process while the platform opens and closes, and tests that are registered later do not run.
const alive = setInterval(() => undefined, 1000);
const fail = (error: unknown): never => assert.fail(String(error));
const platform = await compose({
  config: read.config,
  clock: systemClock,
  onFault: fail,
  onFatal: fail,
  openSpace: () => openStore({ kind: 'memory', clock: systemClock }),
});
await platform.close();
clearInterval(alive);

export const { routes: servedRoutes, contributions } = platform;
