import { after, before, describe } from 'node:test';
import { withNeighbour } from '../conformance/neighbour.ts';
import { storeConformance } from '../conformance/run-conformance.ts';
import { postgresSubject } from './postgres-subject.ts';
import { startTestServer, type TestServer, whyNot } from './test-server.ts';

describe('PostgreSQL', { skip: whyNot }, () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());
  const subject = postgresSubject(() => server);
  storeConformance('PostgreSQL', subject);
  storeConformance('PostgreSQL, next door to another scope', withNeighbour(subject));
});
