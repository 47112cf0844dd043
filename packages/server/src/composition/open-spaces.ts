import { existsSync } from 'node:fs';
import { CommandRefused } from '../commands/command-line.ts';
import type { Config } from '../config.ts';
import { engineOf, type StoreAddress, type StoreAddresses } from '../engines/registry.ts';
import type { EngineDeps } from '../engines/store-engine.ts';
import { platformScopeName } from '../people/port.ts';
import {
  createSecretsFile,
  createSecretsInStore,
  nothingKept,
  type SecretsVault,
  secretsPath,
} from '../people/secrets.ts';
import { isUnfinishedCopy } from '../store/copy-store.ts';
import { dataVersion } from '../store/data-version.ts';
import type { OpenedStore, Store } from '../store/port.ts';
import { UnknownData } from '../upgrade/migrations.ts';
import { isUpToDate, staleVersion, upgradeStores } from '../upgrade/upgrade-stores.ts';

export interface Spaces {
  readonly platform: OpenedStore;
  readonly test: OpenedStore;
  readonly prod: OpenedStore;
}

export type SpaceDeps = Omit<EngineDeps, 'hold'>;

interface SpacesDeps extends SpaceDeps {
  /** Opens the store of a data space instead, for tests. */
  readonly openSpace?: (space: keyof Spaces) => Promise<OpenedStore>;
}

type StoresToOpen = StoreAddresses & Pick<Config, 'storeCacheMegabytes' | 'recordCacheMegabytes'>;

/**
 * Opens the stores of all data spaces; those that are not there yet are made, and those of an earlier release are
 * brought to this one. @throws Error with a sentence for the operator.
 */
export async function openSpaces(config: StoresToOpen, deps: SpacesDeps): Promise<Spaces> {
  const spaces = await openAll(config, deps);
  if (await isUpToDate(spaces)) return spaces;
  await closeAll(spaces);
  const alone = await openAll(config, { ...deps, hold: 'alone' });
  try {
    await upgradeStores(alone);
  } catch (error) {
    throw error instanceof UnknownData ? new Error(`the data in ${placeText(config.store)} ${error.message}`) : error;
  } finally {
    await closeAll(alone);
  }
  return openAll(config, deps);
}

async function openAll(config: StoresToOpen, deps: SpacesDeps & Pick<EngineDeps, 'hold'>): Promise<Spaces> {
  const open = (space: keyof Spaces): Promise<OpenedStore> =>
    deps.openSpace?.(space) ??
    openAnyVersion(space, space === 'prod' ? config.storeProd : config.store, {
      ...deps,
      cacheMegabytes: config.storeCacheMegabytes,
      itemCacheMegabytes: config.recordCacheMegabytes,
    });
  await refuseLostStores(config);
  for (const address of [config.store, config.storeProd]) await engineOf(address).prepare?.(address);
  // One after the other: the first one's lock says whether another process has the folder.
  const platform = await open('platform');
  const [test, prod] = await Promise.all([open('test'), open('prod')]);
  return { platform, test, prod };
}

/**
 * A first start makes all stores and then the secrets. Where these are there and a store is not, it was lost: creating
 * it again would hide the loss of all accounts.
 * @throws Error with a sentence for the operator.
 */
async function refuseLostStores({ store, storeProd }: StoreAddresses): Promise<void> {
  if (store.folder === undefined || !existsSync(secretsPath(store.folder))) return;
  const engine = engineOf(store);
  const isBeside = storeProd.folder === store.folder;
  const spaces = isBeside ? (['platform', 'test', 'prod'] as const) : (['platform', 'test'] as const);
  const areMissing = await Promise.all(spaces.map((space) => engine.isMissing(store, space)));
  const missing = spaces.filter((_, index) => areMissing[index]);
  // An operator who removes all of them starts again.
  if (missing.length > 0 && missing.length < spaces.length)
    throw new Error(storesGone(missing.map((space) => engine.storeText(store, space))));
}

/** The action where some of the stores are missing. */
export function storesGone(missing: readonly string[]): string {
  const isOne = missing.length === 1;
  return `${missing.join(' and ')} ${isOne ? 'is' : 'are'} missing, and ${isOne ? 'the others are' : 'the other is'} there: restore a backup`;
}

async function closeAll(spaces: Spaces): Promise<void> {
  for (const { store } of Object.values(spaces) as readonly OpenedStore[]) await store.close();
}

/** The store of one data space, for commands. @throws Error with a sentence where it is of an earlier release. */
export async function openSpace(space: keyof Spaces, address: StoreAddress, deps: SpaceDeps): Promise<OpenedStore> {
  const opened = await openAnyVersion(space, address, deps);
  const found = await staleVersion({ [space]: opened });
  if (found === undefined) return opened;
  await opened.store.close();
  throw new CommandRefused(
    found < 0
      ? `the data in ${placeText(address)} was left on its way to version ${-found}: start the platform on it, which goes on there`
      : `the data in ${placeText(address)} is of version ${found}, and this release works on version ${dataVersion}: ` +
          'start the platform on it once, which brings it there',
  );
}

function placeText(address: StoreAddress): string {
  return engineOf(address).placeText(address);
}

function openAnyVersion(space: keyof Spaces, address: StoreAddress, deps: EngineDeps): Promise<OpenedStore> {
  return engineOf(address).open(space, address, deps);
}

/** The vault of the secrets: beside the store that is a folder, else in the store, so that every node has them. */
export function openVault({ store, masterKey }: Pick<Config, 'store' | 'masterKey'>, platform: Store): SecretsVault {
  if (store.folder !== undefined) return createSecretsFile(store.folder);
  return createSecretsInStore(platform.scope(platformScopeName), masterKey);
}

/** The vault of a platform that starts. @throws Error with a sentence for the operator where its secrets were lost. */
export async function openVaultOf(spaces: Spaces, config: Pick<Config, 'store' | 'masterKey'>): Promise<SecretsVault> {
  if (await isUnfinishedCopy(spaces.platform.maintenance)) throw new Error(copyUnfinished(config.store));
  const vault = openVault(config, spaces.platform.store);
  if (await hasLostSecrets(Object.values(spaces), vault)) throw new Error(secretsGone(config.store));
  return vault;
}

/**
 * Whether there is data, and the secrets that belong to it are gone: those of another start would open nothing that they
 * have sealed, and end every session. Every server of a cluster is asked for data, so this is only done without secrets.
 */
export async function hasLostSecrets(stores: readonly OpenedStore[], vault: SecretsVault): Promise<boolean> {
  const hasSecrets = async () => (await vault.read()).version !== nothingKept;
  if (await hasSecrets()) return false;
  const pages = await Promise.all(stores.map(({ maintenance }) => maintenance.scopes(undefined, 1)));
  // Another node that starts now writes its secrets before anything else.
  return pages.some(({ length }) => length > 0) && !(await hasSecrets());
}

/** The words for data of which a copy was cut off. */
export function copyUnfinished(store: StoreAddress): string {
  return `a copy into ${placeText(store)} was begun and not finished: run the same \`freehold copy\` again, or empty the target`;
}

/** Says how to get the secrets back. */
export function secretsGone(store: StoreAddress): string {
  if (store.folder === undefined)
    return 'the stores hold data, and the secrets of the platform are gone: restore a dump';
  return (
    `the stores hold data, and \`${secretsPath(store.folder)}\` is gone: put it back from a backup before the ` +
    'next start. Where it is lost for good, write `{}` into it: sealed values are lost, and everybody signs in again'
  );
}
