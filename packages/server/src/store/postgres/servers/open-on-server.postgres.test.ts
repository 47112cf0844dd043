import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../../lib/clock.ts';
import { Unavailable } from '../../port.ts';
import { parseAddress } from '../address.ts';
import { openOnServer } from '../hold-data.ts';
import { openPostgres } from '../open-postgres.ts';
import { startTestServer, type TestServer, whyNot } from '../testing/test-server.ts';

describe('a connection to a server of a cluster itself', { skip: whyNot }, () => {
  let server: TestServer;
  let database: TestServer;
  before(async () => {
    server = await startTestServer();
    database = await server.database('');
    await (await openPostgres({ url: database.url, space: 'prod', clock: systemClock })).store.close();
  });
  after(async () => {
    await database.stop();
    await server.stop();
  });
  const openAs = (identity: string, version?: number) => {
    const { hostname: host, port } = new URL(database.url);
    const address = { ...parseAddress(database.url), schema: 'freehold_prod' };
    const held = { hold: 'shared', version, isDistributed: undefined } as const;
    const place = { host, port: Number(port), identity };
    return openOnServer(address, { statement: 4000, lock: 4000 }, held, place);
  };
  const identity = async () => {
    const [row] = await database.run('select system_identifier::text as name from pg_control_system()');
    return String(row?.name);
  };

  test('plans by the keys alone, as one server does', async () => {
    const connection = await openAs(await identity());
    const { rows } = await connection.send({ text: `select current_setting('enable_seqscan')` });
    await connection.end();
    assert.deepEqual(rows, [['off']]);
  });

  test('is refused where another server has the name, or the data is of another version', async () => {
    await assert.rejects(openAs('1'), (error) => error instanceof Unavailable && /another server/.test(error.message));
    const name = await identity();
    await assert.rejects(openAs(name, 1), (error) => error instanceof Unavailable && /migrated/.test(error.message));
  });
});
