import { isOfAudit } from '../audit/audit-entry.ts';
import { dataVersion } from '../store/data-version.ts';
import type { OpenedStore, ScopeHead } from '../store/port.ts';
import { eachScope, itemWithoutHead, walkScope } from '../store/walk.ts';
import { type Migration, migrations, type Stores, UnknownData } from './migrations.ts';

const spaces = ['platform', 'test', 'prod'] as const;

export async function isUpToDate(stores: Stores): Promise<boolean> {
  return (await staleVersion(stores)) === undefined;
}

/** The version of a store that is not of this release; undefined where all are. */
export async function staleVersion(stores: Partial<Stores>): Promise<number | undefined> {
  for (const opened of Object.values(stores)) {
    const version = await opened.maintenance.dataVersion();
    if (version !== dataVersion) return version;
  }
  return undefined;
}

/**
 * Brings stores of earlier versions to this one, one version after the other. Each step is a commit of what a page
 * holds. Where it is cut off the store says so by its version, and the next start goes over it again: what was
 * rewritten is left as it is. INVARIANT: no other process has the stores open.
 * @throws UnknownData where a store is of no known shape. Then none has been changed.
 */
export async function upgradeStores(stores: Stores, known: readonly Migration[] = migrations): Promise<void> {
  for (const migration of known) {
    const behind = await spacesBehind(stores, migration.to);
    if (behind.length > 0) await migration.judge?.(stores);
    for (const space of behind) await migrate(stores[space], space, migration);
  }
}

async function spacesBehind(stores: Stores, to: number): Promise<readonly (keyof Stores)[]> {
  const behind: (keyof Stores)[] = [];
  for (const space of spaces) {
    const version = await stores[space].maintenance.dataVersion();
    // Below 0 it is on its way, and has the version before.
    if ((version < 0 ? -version - 1 : version) < to) behind.push(space);
  }
  return behind;
}

async function migrate({ maintenance }: OpenedStore, space: keyof Stores, migration: Migration): Promise<void> {
  const { to, rewrite } = migration;
  // From here on an older release refuses the store, whether or not this finishes.
  await maintenance.setDataVersion(-to);
  if (rewrite !== undefined)
    for await (const head of eachScope(maintenance)) await migrateScope(maintenance, head, { space, rewrite });
  await maintenance.setDataVersion(to);
}

interface Rewriting extends Required<Pick<Migration, 'rewrite'>> {
  readonly space: keyof Stores;
}

async function migrateScope(
  maintenance: OpenedStore['maintenance'],
  head: ScopeHead,
  { space, rewrite }: Rewriting,
): Promise<void> {
  if ((await itemWithoutHead(maintenance, head)) !== undefined)
    throw new UnknownData(`has lost the head row of the scope \`${head.name}\`: restore a backup`);
  for await (const page of walkScope(maintenance, head)) {
    const items = page.filter((item) => !isOfAudit(item)).flatMap((item) => rewrite(item, { space, scope: head.name }));
    if (items.length > 0) await maintenance.load(head, items);
  }
}
