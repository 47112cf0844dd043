/** A platform in this process, over HTTP, on stores in memory: what it does is done here and can be counted. */

import assert from 'node:assert/strict';
import { compose } from '../../composition/compose.ts';
import { readConfig } from '../../config.ts';
import { drain, listen } from '../../gateway/listener.ts';
import { patient as limits } from '../../gateway/testing/patient.ts';
import { systemClock } from '../../lib/clock.ts';
import { fastPasswordCost } from '../../people/testing/fast-passwords.ts';
import { openStore } from '../../store/testing/open-store.ts';
import type { Gateways } from './send.ts';
import { platformSettings } from './stage.ts';

export interface CountedPlatform extends Gateways {
  close(): Promise<void>;
}

export async function startCountedPlatform(): Promise<CountedPlatform> {
  const read = readConfig({
    ...platformSettings,
    FREEHOLD_STORE: 'postgres://none:none@127.0.0.1/none',
    FREEHOLD_MASTER_KEY: 'a1'.repeat(16) + 'b2'.repeat(16),
  });
  assert.ok('config' in read, JSON.stringify(read));
  const opened = new Map<string, Awaited<ReturnType<typeof openStore>>>();
  const platform = await compose({
    config: read.config,
    clock: systemClock,
    passwordCost: fastPasswordCost,
    onFault: (error) => assert.fail(String(error)),
    onFatal: (error) => assert.fail(String(error)),
    openSpace: async (name) => {
      const store = await openStore({ kind: 'memory', clock: systemClock });
      opened.set(name, store);
      return store;
    },
  });
  const errors = platform.errors(() => 'http://127.0.0.1');
  const listening = (gateway: typeof platform.app) => listen({ host: '127.0.0.1', port: 0, gateway, errors, limits });
  const [app, management, metrics] = await Promise.all(
    [platform.app, platform.management, platform.metrics].map(listening),
  );
  const testStore = opened.get('test')?.store;
  assert.ok(app !== undefined && management !== undefined && metrics !== undefined && testStore !== undefined);
  return {
    testStore,
    app: app.url,
    management: management.url,
    metrics: metrics.url,
    close: async () => {
      await drain([app, management, metrics], 0);
      await platform.close();
    },
  };
}
