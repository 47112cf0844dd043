import { describe, test } from 'node:test';
import { assertAgreement } from '../testing/conformance/model-agreement.ts';
import { storeConformance } from '../testing/conformance/run-conformance.ts';
import { postgresSubject } from './testing/postgres-subject.ts';
import { haveClusterAlone, testCluster, whyNotCluster } from './testing/test-cluster.ts';

describe('Citus', { skip: whyNotCluster }, () => {
  haveClusterAlone();
  const subject = postgresSubject(testCluster);
  storeConformance('Citus', subject);

  test('gives the verdicts, numbers and contents of the model for any run of commits', () =>
    assertAgreement(subject, 10));
});
