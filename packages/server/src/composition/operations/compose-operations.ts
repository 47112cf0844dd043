/** Puts together what the operator is shown of a running platform. */
import type { GatewaysDeps } from '../../gateway/gateways.ts';
import { addUpMetrics } from '../../telemetry/add-up.ts';
import type { Measurement } from '../../telemetry/measurement.ts';
import type { ComposedSpaces } from '../compose-spaces.ts';
import type { SharedParts } from '../workers/shared-parts.ts';
import { createDiagnoses } from './diagnoses.ts';
import { createNodeHealth, type NodeHealth, type NodeHealthDeps } from './node-health.ts';

export interface Operations extends Pick<GatewaysDeps, 'metrics' | 'rateLimits' | 'errorLog' | 'diagnoses'> {
  readonly nodeHealth: NodeHealth;
}

export interface OperationsDeps extends Pick<NodeHealthDeps, 'config' | 'clock' | 'measurement' | 'nodeId'> {
  readonly onFault: (error: unknown) => void;
  readonly jobs: Pick<NodeHealthDeps, 'sweepLease'>;
  /** Where the platform is one of several workers of a process. */
  readonly common: SharedParts | undefined;
}

export function composeOperations(
  { spaces, platform, isDraining }: ComposedSpaces,
  { onFault: onError, jobs: { sweepLease }, common: shared, ...deps }: OperationsDeps,
): Operations {
  const { measurement, clock } = deps;
  return {
    metrics: metricsOf(measurement, shared),
    rateLimits: shared?.counted.rateLimits,
    errorLog: measurement.errorLog,
    nodeHealth: createNodeHealth({ ...deps, spaces, platform, isDraining, sweepLease, shared, onError }),
    diagnoses: shared?.diagnoses ?? createDiagnoses(clock),
  };
}

/** Of all workers, where there are several. */
function metricsOf({ metrics }: Measurement, shared: SharedParts | undefined): GatewaysDeps['metrics'] {
  if (shared === undefined) return metrics;
  shared.serve('metrics', metrics.text);
  return { text: async () => addUpMetrics([metrics.text(), ...((await shared.askOthers('metrics')) as string[])]) };
}
