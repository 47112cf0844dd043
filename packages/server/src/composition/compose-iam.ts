import { type Iam, type IamDeps, openIam } from '../iam/port.ts';
import { policyNaming } from '../identity/port.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { countRecordingFailures } from '../telemetry/work-metrics.ts';
import type { ComposedSpaces } from './compose-spaces.ts';

export interface ComposeIamDeps extends Omit<IamDeps, 'orgScopes' | 'naming' | 'onError'> {
  readonly metrics: Metrics;
  readonly onFault: (error: unknown) => void;
}

/** Access control, and the record of what it decides. */
export function composeIam(
  { orgScopes }: Pick<ComposedSpaces, 'orgScopes'>,
  { metrics, onFault, ...deps }: ComposeIamDeps,
): Iam {
  const onError = countRecordingFailures(metrics, onFault);
  return openIam({ ...deps, orgScopes, onError, naming: policyNaming(deps.clock) });
}
