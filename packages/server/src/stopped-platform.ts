/** What the commands open that look at the data of a platform that is stopped. */
import { existsSync } from 'node:fs';
import { Refusal } from './command-line.ts';
import type { Config } from './config.ts';
import { systemClock } from './lib/clock.ts';
import { openSpace, type Spaces, sqlitePath } from './open-spaces.ts';
import type { OpenedStore } from './store/port.ts';
import type { StorePlace, StorePlaces } from './store/store-places.ts';

/** Opens the store of a data space for as long as the work takes. */
export async function usingSpace<T>(
  config: StorePlaces,
  space: keyof Spaces,
  work: (opened: OpenedStore) => Promise<T>,
): Promise<T> {
  const opened = await openSpace(space, placeOf(config, space), parts);
  try {
    return await work(opened);
  } finally {
    await opened.store.close();
  }
}

const parts = {
  clock: systemClock,
  onFatal: (error: unknown): never => {
    throw error;
  },
};

/** Whether a platform has ever started there; on PostgreSQL it can only be asked. */
export function hasData(config: StorePlaces): boolean {
  return (['test', 'prod'] as const).every((space) => {
    const place = placeOf(config, space);
    return place.kind === 'postgres' || existsSync(sqlitePath(place.folder, space));
  });
}

export function noData({ store, dataDir }: Pick<Config, 'store' | 'dataDir'>): Refusal {
  const place = store.kind === 'sqlite' ? `\`${dataDir}\`` : 'the database';
  return new Refusal(`there is no data of a platform in ${place}`);
}

function placeOf({ store, storeProd }: StorePlaces, space: keyof Spaces): StorePlace {
  return space === 'prod' ? storeProd : store;
}
