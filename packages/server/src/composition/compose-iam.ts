import { type Iam, type IamDeps, openIam } from '../iam/port.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { countRecordingFailures } from '../telemetry/work-metrics.ts';
import type { ComposedSpaces } from './compose-spaces.ts';
import type { SharedParts } from './workers/shared-parts.ts';

export interface ComposeIamDeps extends Omit<IamDeps, 'orgScopes' | 'onError' | 'epochs' | 'decisions'> {
  readonly metrics: Metrics;
  readonly onFault: (error: unknown) => void;
  readonly common: SharedParts | undefined;
}

/** Access control, and the record of what it decides. */
export function composeIam(
  { orgScopes }: Pick<ComposedSpaces, 'orgScopes'>,
  { metrics, onFault, common, ...deps }: ComposeIamDeps,
): Iam {
  const onError = countRecordingFailures(metrics, onFault);
  return openIam({
    ...{ ...deps, orgScopes, onError },
    ...{ epochs: common?.epochs.access, decisions: common?.counted.decisions },
  });
}
