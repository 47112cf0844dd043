import { engineOf, type StoreAddress } from '../../engines/registry.ts';
import type { Space, StoreSizes, UnknownSizes } from '../../engines/store-engine.ts';
import type { Clock } from '../../lib/clock.ts';

/** The sizes of the store of a data space, at most 30 s old: a server adds them up from its files. */
export type CachedSizes = (address: StoreAddress, space: Space) => Promise<StoreSizes | UnknownSizes>;

const keptMilliseconds = 30_000;

export function createKeptSizes(clock: Clock, read: CachedSizes = readSizes): CachedSizes {
  const kept = new Map<Space, { readonly at: number; readonly sizes: ReturnType<CachedSizes> }>();
  return (address, space) => {
    const last = kept.get(space);
    const age = last === undefined ? Number.NaN : clock.now() - last.at;
    if (last !== undefined && age >= 0 && age < keptMilliseconds) return last.sizes;
    const sizes = read(address, space).catch((): UnknownSizes => ({ whyUnknown: 'they cannot be read' }));
    kept.set(space, { at: clock.now(), sizes });
    return sizes;
  };
}

async function readSizes(address: StoreAddress, space: Space): Promise<StoreSizes | UnknownSizes> {
  return (await engineOf(address).sizes?.(address, space)) ?? { whyUnknown: 'the engine does not tell them' };
}
