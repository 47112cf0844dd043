import type { Cursors } from '../../records/port.ts';
import type { OrgScopes } from '../../tenancy/port.ts';
import type { DecisionRecorder } from '../recording/decision-recorder.ts';
import type { SimulatorDeps } from '../simulation/simulate.ts';

export interface LabDeps extends Pick<SimulatorDeps, 'stores' | 'clock'> {
  readonly orgScopes: OrgScopes;
  readonly cursors: Cursors;
  readonly recorder: Pick<DecisionRecorder, 'store'>;
}
