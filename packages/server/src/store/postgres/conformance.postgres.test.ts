import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertAgreement } from '../testing/conformance/model-agreement.ts';
import { withNeighbour } from '../testing/conformance/neighbour.ts';
import { storeConformance } from '../testing/conformance/run-conformance.ts';
import { fakeCitus } from './testing/fake-citus.ts';
import { postgresSubject } from './testing/postgres-subject.ts';
import { startTestServer, type TestServer, whyNot } from './testing/test-server.ts';

describe('PostgreSQL', { skip: whyNot }, () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());
  const subject = postgresSubject(() => server);
  storeConformance('PostgreSQL', subject);

  test('gives the verdicts, numbers and contents of the model for any run of commits', () =>
    assertAgreement(subject, 40));

  describe('in the form that it has on Citus', () => {
    let database: TestServer;
    before(async () => {
      database = await server.database('');
      await database.run(fakeCitus);
    });
    after(() => database.stop());

    const distributed = postgresSubject(() => ({ ...database, url: `${database.url}?citus=true` }));
    storeConformance('PostgreSQL with the statements for distributed tables', distributed);
  });

  describe('in a database that orders text as people do', () => {
    let database: TestServer;
    before(async () => {
      database = await server.database(`locale_provider icu icu_locale 'en-US' locale 'C'`);
    });
    after(() => database.stop());

    test('which is not the order of bytes', async () => {
      const [row] = await database.run(`select 'a' < 'B' as by_language, 'a' collate "C" < 'B' as by_bytes`);
      assert.deepEqual(row, { by_language: true, by_bytes: false });
    });

    const other = postgresSubject(() => database);
    storeConformance('PostgreSQL with an ICU collation, next door to another scope', withNeighbour(other));
  });
});
