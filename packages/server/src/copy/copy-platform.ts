import type { KeyObject } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { compareBytes } from '../lib/byte-order.ts';
import {
  platformScopeName,
  readSecrets,
  type Secrets,
  type SecretsVault,
  secretsKey,
  writeSecrets,
} from '../people/port.ts';
import { CopyRefused, copyStores } from '../store/copy-store.ts';
import type { Item, Key, Maintenance, OpenedStore, ScopeHead } from '../store/port.ts';

/** The store that a platform begins with comes last: none works on half a copy. */
export const copiedSpaces = ['prod', 'test', 'platform'] as const;

/** One end of a copy: the stores, and where its secrets lie. */
export interface CopyEnd {
  readonly stores: Readonly<Record<(typeof copiedSpaces)[number], OpenedStore>>;
  readonly secrets: SecretsLocation;
}

/** A file beside the stores, or the platform's own scope, where a master key seals them if there is one. */
export type SecretsLocation = { readonly file: SecretsVault } | { readonly masterKey: KeyObject | undefined };

/**
 * Copies a platform with its secrets. They are there before a scope of the target is opened, so no platform that finds
 * the copy makes others in their place; and no commit writes them, so the numbers of the target stay those of the source.
 */
export async function copyPlatform(from: CopyEnd, to: CopyEnd): ReturnType<typeof copyStores> {
  const secrets = await secretsOf(from);
  // Which text it has is found out when it is known whose target it is.
  let item: Item | undefined = isEmpty(secrets) || 'file' in to.secrets ? undefined : itemOf('');
  const sides = copiedSpaces.map((space) => {
    const source = from.stores[space].maintenance;
    const seen = space === 'platform' ? withSecrets(source, () => item) : source;
    return { space, from: seen, to: to.stores[space].maintenance };
  });
  return copyStores(sides, {
    started: async () => {
      if ('file' in to.secrets) await assertNoOthers(to.secrets.file, secrets);
      else if (item !== undefined) item = await itemFor(to.stores.platform, to.secrets.masterKey, secrets);
    },
    compared: async () => {
      if ('file' in to.secrets) await writeFile(to.secrets.file, secrets);
    },
  });
}

/** Without a write, which reading them as a vault may be: the source is left as it is. */
async function secretsOf({ stores, secrets }: CopyEnd): Promise<Partial<Secrets>> {
  if ('file' in secrets) return (await secrets.file.read()).secrets;
  const item = await current(stores.platform);
  return item === undefined ? {} : readSecrets(item.value, secrets.masterKey).secrets;
}

async function current({ store }: OpenedStore): Promise<Item | undefined> {
  const [item] = await store.scope(platformScopeName).get([secretsKey]);
  return item;
}

/** Those that an earlier run has sealed are taken as they are: sealed again, they would be another text. */
async function itemFor(
  platform: OpenedStore,
  masterKey: KeyObject | undefined,
  secrets: Partial<Secrets>,
): Promise<Item> {
  const found = await current(platform);
  if (found !== undefined && isDeepStrictEqual(readSecrets(found.value, masterKey).secrets, secrets)) return found;
  return itemOf(writeSecrets(secrets, masterKey));
}

function itemOf(value: string): Item {
  return { ...secretsKey, version: 1, value };
}

function isEmpty(secrets: Partial<Secrets>): boolean {
  return Object.keys(secrets).length === 0;
}

async function assertNoOthers(file: SecretsVault, secrets: Partial<Secrets>): Promise<void> {
  const found = (await file.read()).secrets;
  if (!isEmpty(found) && !isDeepStrictEqual(found, secrets))
    throw new CopyRefused('the target holds other secrets than the source: copy into an empty folder');
}

async function writeFile(file: SecretsVault, secrets: Partial<Secrets>): Promise<void> {
  const seen = await file.read();
  if (isDeepStrictEqual(seen.secrets, secrets)) return;
  if (!(await file.write(secrets, seen)))
    throw new CopyRefused('the secrets of the target changed while they were copied');
}

/**
 * A platform's store as if it held this item as its secrets, or none, whatever it holds itself: so a copy takes and
 * compares the target's secrets like everything else.
 */
function withSecrets(from: Maintenance, secretsItem: () => Item | undefined): Maintenance {
  return {
    ...from,
    async scopes(after, limit) {
      const heads = await from.scopes(after, limit);
      return secretsItem() === undefined ? heads : withPlatformScope(heads, { after, limit });
    },
    async scan(scope, after, limit) {
      if (scope !== platformScopeName) return from.scan(scope, after, limit);
      for (let behind = after; ; behind = secretsKey) {
        const items = await from.scan(scope, behind, limit);
        const page = replaceSecrets(items, { after, limit, item: secretsItem() });
        // A page that held nothing but the secrets is not the end.
        if (page.length > 0 || items.length === 0) return page;
      }
    },
  };
}

/** A folder whose platform never had an org knows no such scope, and has secrets all the same. */
function withPlatformScope(
  heads: readonly ScopeHead[],
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): readonly ScopeHead[] {
  const last = heads.at(-1);
  const isBefore = after !== undefined && compareBytes(platformScopeName, after) <= 0;
  const isBehind = heads.length === limit && last !== undefined && compareBytes(platformScopeName, last.name) > 0;
  if (isBefore || isBehind || heads.some(({ name }) => name === platformScopeName)) return heads;
  const added: ScopeHead = { name: platformScopeName, seq: 1, state: 'open' };
  return [...heads, added].sort((left, right) => compareBytes(left.name, right.name)).slice(0, limit);
}

function replaceSecrets(
  items: readonly Item[],
  { after, limit, item }: { readonly after: Key | undefined; readonly limit: number; readonly item: Item | undefined },
): readonly Item[] {
  const others = items.filter((one) => compareKeys(one, secretsKey) !== 0);
  const last = items.at(-1);
  const isBefore = after !== undefined && compareKeys(secretsKey, after) <= 0;
  const isBehind = last !== undefined && compareKeys(secretsKey, last) > 0;
  if (item === undefined || isBefore || isBehind) return others;
  return [...others, item].sort(compareKeys).slice(0, limit);
}

function compareKeys(left: Key, right: Key): number {
  return compareBytes(left.pk, right.pk) || compareBytes(left.sk, right.sk);
}
