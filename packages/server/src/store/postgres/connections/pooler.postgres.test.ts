import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { systemClock } from '../../../lib/clock.ts';
import { Unavailable } from '../../port.ts';
import { storeConformance } from '../../testing/conformance/run-conformance.ts';
import { askServer } from '../ask-server.ts';
import { openPostgres } from '../open-postgres.ts';
import { type Pooler, startPooler, whyNotPooler } from '../testing/pooler.ts';
import { postgresSubject } from '../testing/postgres-subject.ts';
import { type OwnServer, startOwnServer, whyNotOwn } from '../testing/test-server.ts';

const skip = whyNotOwn || whyNotPooler;

describe('PostgreSQL behind PgBouncer', { skip }, () => {
  let server: OwnServer;
  let session: Pooler;
  before(async () => {
    server = await startOwnServer();
    session = await startPooler(server.url, ['pool_mode = session', 'server_reset_query = discard all']);
  });
  after(async () => {
    await session.stop();
    await server.stop();
  });

  const open = (url: string) => openPostgres({ url, space: 'pooled', clock: systemClock });
  const keepsSessions = async (url: string) => (await askServer(url, ['pooled'])).keepsSessions;

  for (const settings of [
    ['pool_mode = transaction'],
    ['pool_mode = transaction', 'server_round_robin = 1', 'min_pool_size = 5'],
  ])
    test(`is refused with a sentence, and changed in nothing, with ${settings.join(', ')}`, async (t) => {
      const pooler = await startPooler(server.url, settings);
      t.after(() => pooler.stop());
      await assert.rejects(open(pooler.url), (error) => {
        assert.ok(error instanceof Unavailable);
        assert.match(inspect(error), /a pooler that gives each transaction another session: set it to session mode/);
        return true;
      });
      assert.equal(await keepsSessions(pooler.url), false);
      const made = await server.run(`select nspname from pg_namespace where nspname = 'freehold_pooled'`);
      assert.deepEqual(made, []);
    });

  test('keeps sessions in session mode, as the server does', async () => {
    assert.equal(await keepsSessions(session.url), true);
    assert.equal(await keepsSessions(server.url), true);
  });

  storeConformance(
    'PostgreSQL behind PgBouncer in session mode',
    postgresSubject(() => ({ ...server, url: session.url })),
  );
});
