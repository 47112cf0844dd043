import { checkServer, missingSpaces } from '../doctor/check-server.ts';
import { parseAddress } from '../store/postgres/address.ts';
import { readSizes } from '../store/postgres/ask-server.ts';
import { openSignals } from '../store/postgres/connections/signal-connection.ts';
import { openPostgres } from '../store/postgres/open-postgres.ts';
import { distributeStore } from '../store/postgres/servers/distribution.ts';
import type { StoreEngine } from './store-engine.ts';

interface ServerAddress {
  readonly kind: 'postgres';
  /** Holds a password. */
  readonly url: string;
  readonly folder?: undefined;
}

const form = 'postgres://user:password@host/database';

/** A PostgreSQL server, which several nodes share: each data space is a schema of a database. */
export const postgresEngine: StoreEngine<ServerAddress> = {
  kind: 'postgres',
  name: 'PostgreSQL',
  forms: { store: form, storeProd: form, copy: `\`${form}\`` },
  readAddress: (text) => {
    if (!/^postgres(ql)?:/.test(text)) return undefined;
    parseAddress(text);
    return { kind: 'postgres', url: text };
  },
  placeText: () => 'the database',
  storeText: (_, space) => `the schema of \`${space}\``,
  open: (space, { url }, { clock, onFatal, onServer, hold = 'shared' }) =>
    openPostgres({ url, space, clock, onFatal, onServer, hold }),
  sizes: ({ url }, space) => readSizes(url, space),
  isMissing: async ({ url }, space) => (await missingSpaces(url, [space])).length > 0,
  // A database is made for a platform, and a new database has no schema of it.
  hasWritten: async () => true,
  distribute: (space, { url }, done) => distributeStore(url, space, done),
  openSignals: ({ url }, platformId, ears) => openSignals(url, platformId, ears),
  check: ({ url }, place, clock) => checkServer({ url, ...place }, clock),
};
