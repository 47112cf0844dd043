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

/** How an address is written: "`sqlite:` or postgres://…". */
export function addressForms(use: AddressUse): string {
  return engines.map(({ forms }) => forms[use]).join(' or ');
}
