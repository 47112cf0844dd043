import { postgresEngine } from './postgres-engine.ts';
import { sqliteEngine } from './sqlite-engine.ts';
import type { AddressUse, StoreEngine } from './store-engine.ts';

/** Every engine that there is; the first one keeps the data where no address is set. */
const engines = [sqliteEngine, postgresEngine] as const;

export type StoreAddress = NonNullable<ReturnType<(typeof engines)[number]['readAddress']>>;

export function engineOf({ kind }: StoreAddress): StoreEngine<StoreAddress> {
  const engine = engines.find((one) => one.kind === kind);
  if (engine === undefined) throw new TypeError(`there is no engine ${kind}`);
  return engine;
}

/**
 * The address that a text names; undefined where it names none of any engine.
 * @throws Error with a sentence that does not quote the text, which may hold a password.
 */
export function readAddress(text: string, use: AddressUse, defaultFolder: () => string): StoreAddress | undefined {
  for (const engine of engines) {
    const address = engine.readAddress(text, use, defaultFolder);
    if (address !== undefined) return address;
  }
  return undefined;
}

/** The way an address is written: "`sqlite:` or postgres://…". */
export function addressForms(use: AddressUse): string {
  return engines.map(({ forms }) => forms[use]).join(' or ');
}

export interface StoreAddresses {
  readonly store: StoreAddress;
  /** The address of the data space `prod`: with the others, unless another is set. */
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
