import type { RoutesOfModule } from '../api/route.ts';
import { createDecisionLog } from './decisions/decision-log.ts';
import { createPolicyLab } from './lab/lab.ts';
import { createAccessOverview } from './overview/access-overview.ts';
import { type AccessEpochs, createAccessEpochs } from './policies/epochs.ts';
import { type DecisionRecorderDeps, startDecisionRecorder } from './recording/decision-recorder.ts';
import { authzenRoutes } from './routes/authzen.ts';
import { createIamRules } from './rules/iam-rules.ts';
import type { PolicyNaming } from './rules/removal.ts';
import { type MatrixQuery, readMatrix } from './simulation/matrix.ts';
import { type AccessReadDeps, type Simulation, simulate } from './simulation/simulate.ts';

export interface IamDeps extends AccessReadDeps, DecisionRecorderDeps {
  readonly naming: PolicyNaming;
  /** Epochs that other nodes move too; left out, this process alone moves them. */
  readonly epochs?: AccessEpochs | undefined;
}

export type Iam = ReturnType<typeof openIam>;

/** The access that people hold in workspaces, kept by the rules of its entities and shown to builders. */
export function openIam(deps: IamDeps) {
  const { clock, naming } = deps;
  const recorder = startDecisionRecorder(deps);
  const epochs = deps.epochs ?? createAccessEpochs();
  const routes: RoutesOfModule = { app: authzenRoutes(deps) };
  return {
    /** Move with every write that changes what people hold. */
    epochs,
    /** The rules for records of the entities of access control. */
    rules: createIamRules({ epochs, clock, naming }),
    decisions: createDecisionLog(clock),
    recorder,
    overview: createAccessOverview(deps),
    lab: createPolicyLab({ ...deps, recorder }),
    simulate: (orgCode: string, simulation: Simulation) => simulate(deps, orgCode, simulation),
    readMatrix: (orgCode: string, query: MatrixQuery) => readMatrix(deps, orgCode, query),
    /** Without {@link iamRoutes}, which read the routes of all modules. */
    routes,
    close: () => recorder.close(),
  };
}
