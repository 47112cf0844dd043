import type { EntityRules } from '../records/port.ts';
import { createDecisionLog, type DecisionLog } from './decisions/decision-log.ts';
import { createIamRules } from './iam-rules.ts';
import { createPolicyLab, type PolicyLab } from './lab/lab.ts';
import { type AccessOverview, createAccessOverview } from './overview/access-overview.ts';
import { type AccessEpochs, createAccessEpochs } from './policies/access-epochs.ts';
import {
  type DecisionRecorder,
  type DecisionRecorderDeps,
  startDecisionRecorder,
} from './recording/decision-recorder.ts';
import type { PolicyNaming } from './rules/removal.ts';
import { type AccessMatrix, createAccessMatrix, type MatrixDeps } from './simulation/matrix.ts';
import { type AccessSimulator, createAccessSimulator, type SimulatorDeps } from './simulation/simulate.ts';

export interface IamDeps extends SimulatorDeps, MatrixDeps, DecisionRecorderDeps {
  readonly naming: PolicyNaming;
  /** Epochs that other nodes move too; left out, this process alone moves them. */
  readonly epochs?: AccessEpochs | undefined;
}

export interface Iam {
  /** Move with every write that changes what people hold. */
  readonly epochs: AccessEpochs;
  /** What the entities of access control demand of their records. */
  readonly rules: ReadonlyMap<string, EntityRules>;
  readonly decisions: DecisionLog;
  readonly simulator: AccessSimulator;
  readonly matrix: AccessMatrix;
  readonly overview: AccessOverview;
  readonly recorder: DecisionRecorder;
  readonly lab: PolicyLab;
}

/** What people hold in workspaces, kept by the rules of its entities and shown to builders. */
export function openIam(deps: IamDeps): Iam {
  const { clock } = deps;
  const recorder = startDecisionRecorder(deps);
  const epochs = deps.epochs ?? createAccessEpochs();
  return {
    epochs,
    rules: createIamRules({ epochs, clock, naming: deps.naming }),
    decisions: createDecisionLog(clock),
    simulator: createAccessSimulator(deps),
    matrix: createAccessMatrix(deps),
    overview: createAccessOverview(deps),
    recorder,
    lab: createPolicyLab({ ...deps, recorder }),
  };
}
