import { type Iam, type IamDeps, openIam, type RecordedOrg } from '../iam/port.ts';
import { policyNaming } from '../identity/port.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { countRecordingFailures } from '../telemetry/work-metrics.ts';
import type { ComposedSpaces } from './compose-spaces.ts';
import type { SharedParts } from './workers/shared-parts.ts';

export interface ComposeIamDeps
  extends Omit<IamDeps, 'orgScopes' | 'naming' | 'onError' | 'decisions' | 'othersStore'> {
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
  const iam = openIam({
    ...{ ...deps, orgScopes, onError, naming: policyNaming(deps.clock) },
    decisions: common?.counted.decisions,
    ...{ othersStore: common && ((of) => common.askOthers(topic, of)) },
  });
  common?.serve(topic, (of) => iam.recorder.store(of as RecordedOrg));
  return iam;
}

/** Each worker has what was decided of its own calls in memory. */
const topic = 'store decisions';
