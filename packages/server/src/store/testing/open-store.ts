import type { Clock } from '../../lib/clock.ts';
import type { OpenedStore } from '../port.ts';
import { openPostgres, type PostgresOptions } from '../postgres/open-postgres.ts';
import { openSqlite, type SqliteOptions } from '../sqlite/open-sqlite.ts';
import { openMemory } from './open-memory.ts';

export type StoreOptions =
  | { readonly kind: 'memory'; readonly clock: Clock }
  | ({ readonly kind: 'sqlite' } & SqliteOptions)
  | ({ readonly kind: 'postgres' } & PostgresOptions);

/** Opens the store of one data space. Rejects with a sentence for the operator when it cannot be used. */
export async function openStore(options: StoreOptions): Promise<OpenedStore> {
  switch (options.kind) {
    case 'memory':
      return openMemory(options);
    case 'sqlite':
      return openSqlite(options);
    case 'postgres':
      return openPostgres(options);
  }
}
