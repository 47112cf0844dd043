/** Puts together what the operator is shown of a running platform. */
import type { ComposedSpaces } from '../compose-spaces.ts';
import type { ComposeGatewaysDeps } from '../routes/compose-gateways.ts';
import { createDiagnoses } from './diagnoses.ts';
import { createNodeHealth, type NodeHealth, type NodeHealthDeps } from './node-health.ts';
import { recordFacts, type ScrapedDeps } from './scraped-facts.ts';

export interface Operations extends Pick<ComposeGatewaysDeps, 'metrics' | 'errorLog' | 'diagnoses'> {
  readonly nodeHealth: NodeHealth;
}

export interface OperationsDeps extends Pick<NodeHealthDeps, 'config' | 'clock' | 'measurement' | 'nodeId'> {
  readonly onFault: (error: unknown) => void;
  readonly signingKeys: ScrapedDeps['signingKeys'];
  readonly jobs: Pick<NodeHealthDeps, 'sweepLease'>;
}

export function composeOperations(
  { spaces, platform, isDraining, readiness }: ComposedSpaces,
  { onFault: onError, jobs: { sweepLease }, ...deps }: OperationsDeps,
): Operations {
  const { measurement, clock, config, signingKeys } = deps;
  const readFacts = recordFacts(measurement.metrics, { config, clock, spaces, readiness, signingKeys });
  return {
    metrics: {
      text: async () => {
        await readFacts();
        return measurement.metrics.text();
      },
    },
    errorLog: measurement.errorLog,
    nodeHealth: createNodeHealth({ ...deps, spaces, platform, isDraining, sweepLease, onError }),
    diagnoses: createDiagnoses(clock),
  };
}
