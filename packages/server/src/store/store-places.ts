import { resolve } from 'node:path';
import { parseAddress } from './postgres/address.ts';

export interface StoreAddresses {
  readonly store: StoreAddress;
  /** Where the data space `prod` lies: with the others, unless another place is set. */
  readonly storeProd: StoreAddress;
}

/** Each data space has a file in the folder, or a schema in the database. */
export type StoreAddress =
  | { readonly kind: 'sqlite'; readonly folder: string }
  /** The address holds a password. Never told to anybody. */
  | { readonly kind: 'postgres'; readonly url: string };

/** Reads both settings. The addresses may hold passwords, so no mistake quotes them. */
export function readStorePlaces(
  get: (name: string) => string | undefined,
  dataDir: string,
  mistakes: string[],
): StoreAddresses {
  const fallback: StoreAddress = { kind: 'sqlite', folder: dataDir };
  const text = get('FREEHOLD_STORE') ?? 'sqlite:';
  const store = text === 'sqlite:' ? fallback : readPostgres('FREEHOLD_STORE', text, mistakes);
  const other = get('FREEHOLD_STORE_PROD');
  if (other === undefined || store === undefined) return { store: store ?? fallback, storeProd: store ?? fallback };
  const storeProd = readFolder(other) ?? readPostgres('FREEHOLD_STORE_PROD', other, mistakes);
  if (storeProd !== undefined && storeProd.kind !== store.kind)
    mistakes.push('FREEHOLD_STORE_PROD must name the same kind of store as FREEHOLD_STORE');
  return { store, storeProd: storeProd ?? store };
}

function readFolder(text: string): StoreAddress | undefined {
  const folder = /^sqlite:(.+)$/.exec(text)?.[1];
  return folder === undefined ? undefined : { kind: 'sqlite', folder: resolve(folder) };
}

function readPostgres(name: string, text: string, mistakes: string[]): StoreAddress | undefined {
  try {
    if (/^postgres(ql)?:/.test(text)) {
      parseAddress(text);
      return { kind: 'postgres', url: text };
    }
    const sqlite = name === 'FREEHOLD_STORE' ? '`sqlite:`' : '`sqlite:` with a folder behind it';
    mistakes.push(`${name} must be ${sqlite} or postgres://user:password@host/database`);
  } catch (error) {
    mistakes.push(`${name} cannot be used: ${error instanceof Error ? error.message : String(error)}`);
  }
  return undefined;
}
