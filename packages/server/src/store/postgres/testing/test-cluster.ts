import { after, before } from 'node:test';
import pg from 'pg';
import { runOn, type TestServer } from './test-server.ts';

/** The servers of a cluster of Citus for tests, the coordinator first, as the environment names them. */
const named = (process.env.FREEHOLD_TEST_CITUS ?? '').split(',').filter((url) => url !== '');

/** Why tests cannot run here; `false` where they can. */
export const whyNotCluster: string | false = named.length === 0 && 'skipped: no Citus cluster';

export interface TestCluster extends Pick<TestServer, 'url' | 'run'> {
  /** The addresses of the servers that keep data. */
  readonly workers: readonly string[];
}

/** `url` has the tables distributed when they are made; `run` asks the coordinator. */
export function testCluster(): TestCluster {
  const [coordinator = '', ...workers] = named;
  const url = new URL(coordinator);
  url.searchParams.set('citus', 'true');
  return { url: url.href, workers, run: (sql) => runOn(coordinator, sql) };
}

/** In a group of tests: no other file that asks for it runs meanwhile, as some have a server hang or fail. */
export function haveClusterAlone(): void {
  let client: pg.Client | undefined;
  before(async () => {
    client = new pg.Client({ connectionString: named[0] });
    client.on('error', () => {});
    await client.connect();
    await client.query('select pg_advisory_lock(4711)');
  });
  after(async () => client?.end());
}

/** The one PostgreSQL that a cluster is measured against. */
export const plainServer: string | undefined = process.env.FREEHOLD_TEST_POSTGRES;
