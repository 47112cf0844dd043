import { describe, test } from 'node:test';
import { assertAgreement } from '../testing/conformance/model-agreement.ts';
import { storeConformance } from '../testing/conformance/run-conformance.ts';
import { postgresSubject } from './testing/postgres-subject.ts';
import { testCluster, whyNotCluster } from './testing/test-cluster.ts';

describe('Citus', { skip: whyNotCluster }, () => {
  const subject = postgresSubject(testCluster);
  storeConformance('Citus', subject);

  test('gives the verdicts, numbers and contents of the model for any run of commits', () =>
    assertAgreement(subject, 10));
});
