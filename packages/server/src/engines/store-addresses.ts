import { addressForms, readAddress, type StoreAddress } from './registry.ts';
import type { AddressUse } from './store-engine.ts';

export interface StoreAddresses {
  readonly store: StoreAddress;
  /** Where the data space `prod` lies: with the others, unless another place is set. */
  readonly storeProd: StoreAddress;
}

type Get = (name: string) => string | undefined;

/** Reads both settings. The addresses may hold passwords, so no mistake quotes them. */
export function readStoreAddresses(get: Get, dataDir: string, mistakes: string[]): StoreAddresses {
  const fallback: StoreAddress = { kind: 'sqlite', folder: dataDir };
  const read = (name: string, use: AddressUse, text: string): StoreAddress | undefined => {
    try {
      const address = readAddress(text, use, () => dataDir);
      if (address === undefined) mistakes.push(`${name} must be ${addressForms(use)}`);
      return address;
    } catch (error) {
      mistakes.push(`${name} cannot be used: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  };
  const text = get('FREEHOLD_STORE');
  const store = text === undefined ? fallback : read('FREEHOLD_STORE', 'store', text);
  const other = get('FREEHOLD_STORE_PROD');
  if (other === undefined || store === undefined) return { store: store ?? fallback, storeProd: store ?? fallback };
  const storeProd = read('FREEHOLD_STORE_PROD', 'storeProd', other);
  if (storeProd !== undefined && storeProd.kind !== store.kind)
    mistakes.push('FREEHOLD_STORE_PROD must name the same kind of store as FREEHOLD_STORE');
  return { store, storeProd: storeProd ?? store };
}
