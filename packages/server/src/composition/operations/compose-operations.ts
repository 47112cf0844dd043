/** Puts together what the operator is shown of a running platform. */
import type { GatewaysDeps } from '../../gateway/gateways.ts';
import { addUpMetrics } from '../../telemetry/add-up.ts';
import type { Measurement } from '../../telemetry/measurement.ts';
import type { ComposedSpaces } from '../compose-spaces.ts';
import type { SharedParts } from '../workers/shared-parts.ts';
import { createDiagnoses } from './diagnoses.ts';
import { createNodeHealth, type NodeHealthDeps } from './node-health.ts';

export type Operations = Pick<GatewaysDeps, 'metrics' | 'rateLimits' | 'errorLog' | 'nodeHealth' | 'diagnoses'>;

export function composeOperations(
  { spaces, isDraining }: ComposedSpaces,
  deps: Omit<NodeHealthDeps, 'spaces' | 'isDraining'>,
): Operations {
  const { measurement, shared } = deps;
  return {
    metrics: metricsOf(measurement, shared),
    rateLimits: shared?.counted.rateLimits,
    errorLog: measurement.errorLog,
    nodeHealth: createNodeHealth({ ...deps, spaces, isDraining }),
    diagnoses: shared?.diagnoses ?? createDiagnoses(deps.clock),
  };
}

/** Of all workers, where there are several. */
function metricsOf({ metrics }: Measurement, shared: SharedParts | undefined): GatewaysDeps['metrics'] {
  if (shared === undefined) return metrics;
  shared.serve('metrics', metrics.text);
  return { text: async () => addUpMetrics([metrics.text(), ...((await shared.askOthers('metrics')) as string[])]) };
}
