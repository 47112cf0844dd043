/** The stores that commands open to look at the data of a stopped platform. */
import { copyUnfinished, openSpace, type Spaces, storesGone } from '../composition/open-spaces.ts';
import type { Config } from '../config.ts';
import { engineOf, type StoreAddress, type StoreAddresses } from '../engines/registry.ts';
import { systemClock } from '../lib/clock.ts';
import { isUnfinishedCopy } from '../store/copy-store.ts';
import type { OpenedStore } from '../store/port.ts';
import { CommandRefused } from './command-line.ts';

/** Opens the store of a data space for as long as the work takes. */
export async function usingSpace<T>(
  config: StoreAddresses,
  space: keyof Spaces,
  work: (opened: OpenedStore) => Promise<T>,
): Promise<T> {
  const opened = await openSpace(space, placeOf(config, space), parts);
  try {
    // It would be found to be whole, as a scope without items is.
    if (await isUnfinishedCopy(opened.maintenance)) throw new CommandRefused(copyUnfinished(placeOf(config, space)));
    return await work(opened);
  } finally {
    await opened.store.close();
  }
}

const parts = {
  clock: systemClock,
  changesNothing: true,
  onFatal: (error: unknown): never => {
    throw error;
  },
};

/** @throws Refusal where a store is not there: opened, it would be made, and found to be whole. */
export async function requireStores(config: StoreAddresses): Promise<void> {
  const missing = await missingStores(config);
  if (missing.length === spaces.length) throw noData(config);
  if (missing.length > 0) throw new CommandRefused(storesGone(missing));
}

/** The stores that do not exist, by their addresses. All are missing where no platform has ever started. */
export async function missingStores(config: StoreAddresses): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const space of spaces) {
    const address = placeOf(config, space);
    const engine = engineOf(address);
    if (await engine.isMissing(address, space)) missing.push(engine.storeText(address, space));
  }
  return missing;
}

const spaces = ['platform', 'test', 'prod'] as const;

export function noData({ store }: Pick<Config, 'store'>): CommandRefused {
  return new CommandRefused(`there is no data of a platform in ${engineOf(store).placeText(store)}`);
}

function placeOf({ store, storeProd }: StoreAddresses, space: keyof Spaces): StoreAddress {
  return space === 'prod' ? storeProd : store;
}
