/** Puts together what the operator is shown of a running platform. */

import { addUpMetrics } from '../../telemetry/add-up.ts';
import type { Measurement } from '../../telemetry/measurement.ts';
import type { ComposedSpaces } from '../compose-spaces.ts';
import type { ComposeGatewaysDeps } from '../routes/compose-gateways.ts';
import type { SharedParts } from '../workers/shared-parts.ts';
import { createDiagnoses } from './diagnoses.ts';
import { createNodeHealth, type NodeHealth, type NodeHealthDeps } from './node-health.ts';
import { recordFacts, type ScrapedDeps } from './scraped-facts.ts';

export interface Operations extends Pick<ComposeGatewaysDeps, 'metrics' | 'rateLimits' | 'errorLog' | 'diagnoses'> {
  readonly nodeHealth: NodeHealth;
}

export interface OperationsDeps extends Pick<NodeHealthDeps, 'config' | 'clock' | 'measurement' | 'nodeId'> {
  readonly onFault: (error: unknown) => void;
  readonly signingKeys: ScrapedDeps['signingKeys'];
  readonly jobs: Pick<NodeHealthDeps, 'sweepLease'>;
  /** Where the platform is one of several workers of a process. */
  readonly common: SharedParts | undefined;
}

export function composeOperations(
  { spaces, platform, isDraining, readiness }: ComposedSpaces,
  { onFault: onError, jobs: { sweepLease }, common: shared, ...deps }: OperationsDeps,
): Operations {
  const { measurement, clock, config, signingKeys } = deps;
  const readFacts = recordFacts(measurement.metrics, { config, clock, spaces, readiness, signingKeys });
  return {
    metrics: metricsOf(measurement, readFacts, shared),
    rateLimits: shared?.counted.rateLimits,
    errorLog: measurement.errorLog,
    nodeHealth: createNodeHealth({ ...deps, spaces, platform, isDraining, sweepLease, shared, onError }),
    diagnoses: shared?.diagnoses ?? createDiagnoses(clock),
  };
}

/** Of all workers, where there are several. */
function metricsOf(
  { metrics }: Measurement,
  readFacts: () => Promise<void>,
  shared: SharedParts | undefined,
): ComposeGatewaysDeps['metrics'] {
  const text = async () => {
    await readFacts();
    return metrics.text();
  };
  if (shared === undefined) return { text };
  shared.serve('metrics', text);
  return {
    text: async () => {
      const [own, others] = await Promise.all([text(), shared.askOthers('metrics')]);
      return addUpMetrics([own, ...(others as string[])]);
    },
  };
}
