import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { type Config, readConfig } from '../config.ts';
import { systemClock } from '../lib/clock.ts';
import { fastPasswordCost } from '../people/testing/fast-passwords.ts';
import { interceptOpened } from '../store/intercepted-store.ts';
import { type OpenedStore, Unavailable } from '../store/port.ts';
import { put } from '../store/testing/conformance/bench.ts';
import { openStore } from '../store/testing/open-store.ts';
import { compose } from './compose.ts';
import type { Spaces } from './open-spaces.ts';

test('a start needs nothing of the stores of the environments once the secrets are there', async () => {
  const stores = await openStores();
  await start(stores);
  await stores.test.store.scope('org#acme').commit([put('p', 'k')]);
  await start({ ...stores, test: awayServers(stores.test), prod: awayServers(stores.prod) });
});

test('a start is refused where there is data and the secrets are gone, in whichever store the data is', async () => {
  for (const space of ['platform', 'test', 'prod'] as const) {
    const stores = await openStores();
    await stores[space].store.scope('org#acme').commit([put('p', 'k')]);
    await assert.rejects(start(stores), /the stores hold data, and the secrets of the platform are gone/);
  }
});

async function openStores(): Promise<Spaces> {
  const open = () => openStore({ kind: 'memory', clock: systemClock });
  return { platform: await open(), test: await open(), prod: await open() };
}

/** As on a cluster whose workers are all down: only the version is read where the node enters. */
function awayServers(opened: OpenedStore): OpenedStore {
  const refuse = () => Promise.reject(new Unavailable('the server that keeps the scope does not answer'));
  const { store, maintenance } = interceptOpened(opened, refuse);
  return {
    store,
    maintenance: { ...maintenance, scopes: refuse, due: refuse, dataVersion: () => opened.maintenance.dataVersion() },
  };
}

async function start(stores: Spaces): Promise<void> {
  const platform = await compose({
    config: readSettings(),
    clock: systemClock,
    passwordCost: fastPasswordCost,
    onFault: () => undefined,
    onFatal: (error) => assert.fail(String(error)),
    openSpace: async (space) => keptOpen(stores[space]),
  });
  await platform.listening({ app: undefined, management: undefined, metrics: undefined });
  await platform.close();
}

/** The next start finds the data in it. */
function keptOpen({ store, maintenance }: OpenedStore): OpenedStore {
  return { store: { ...store, close: async () => undefined }, maintenance };
}

const masterKey = randomBytes(32).toString('hex');

/** The address is that of no server: it has the secrets lie in the store. */
function readSettings(): Config {
  const read = readConfig({
    FREEHOLD_STORE: 'postgres://absent:nothing@127.0.0.1/nowhere',
    FREEHOLD_MASTER_KEY: masterKey,
  });
  assert.ok('config' in read, JSON.stringify(read));
  return read.config;
}
