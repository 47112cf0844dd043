import { accessApi } from '@freehold/contract/management/access';
import { policyLabApi } from '@freehold/contract/management/access/policy-lab';
import type { InputError } from '@freehold/contract/problem';
import { parseStatements } from '../../access/port.ts';
import { mayReadProduction } from '../../api/production-values.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import type { ConfigReaders } from '../../config/port.ts';
import type { Clock } from '../../lib/clock.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import { isObject } from '../../lib/unknown-names.ts';
import type { DecisionLog, LoggedDecision } from '../decisions/decision-log.ts';
import { type DescribedDecision, describeDecision } from '../decisions/describe-decision.ts';
import { lintBlocks, lintEntities, lintPolicy } from '../linted-config.ts';
import type { Iam } from '../open-iam.ts';
import { readSimulation, simulationMistakes } from './read-simulation.ts';

/** The routes by which builders look at what policies decide. */
export function iamRoutes(deps: IamRouteDeps): readonly AnyRoute[] {
  return [...decisionRoutes(deps.decisions), ...aclRoutes(deps), ...policyLabRoutes(deps)];
}

export interface IamRouteDeps extends Pick<Iam, 'decisions' | 'readMatrix' | 'overview' | 'simulate' | 'lab'> {
  readonly clock: Clock;
  readonly configs: ConfigReaders;
  /** Those of the app gateway: what a call would ask the policies is found in them. */
  readonly appRoutes: readonly AnyRoute[];
}

/** Why an app call was denied: what its caller only learns the id of. */
function decisionRoutes(decisions: DecisionLog): readonly AnyRoute[] {
  return [
    serve(accessApi.findDecision, ({ query }, { org }) => {
      const { request_id: requestId, env, tenant_code: tenantCode, user_id: userId, pagesize } = query;
      if (requestId === undefined)
        return latest(decisions, org.code, { env, tenantCode, userId, limit: pagesize ?? pageSizeByDefault });
      if ([env, tenantCode, userId, pagesize].some((parameter) => parameter !== undefined))
        throw new Problem('invalid_request', '`request_id` cannot be combined with other parameters');
      return found(decisions.find(org.code, { requestId }));
    }),
    serve(accessApi.readDecision, ({ params }, { org }) =>
      found(decisions.find(org.code, { decisionId: params.decision_id })),
    ),
  ];
}

function found(decision: LoggedDecision | undefined) {
  if (decision === undefined) throw notFound();
  return shown(decision);
}

const pageSizeByDefault = 50;

function latest(decisions: DecisionLog, orgCode: string, wanted: Parameters<DecisionLog['latest']>[1]) {
  return { items: decisions.latest(orgCode, wanted).map(shown) };
}

type ShownDecision = Omit<LoggedDecision, 'explanation'> & DescribedDecision;

function shown({ explanation, ...logged }: LoggedDecision): ShownDecision {
  return { ...logged, ...(explanation === undefined ? outsideWorkspaces : describeDecision(explanation)) };
}

const outsideWorkspaces: DescribedDecision = {
  decision: 'implicit_deny',
  reason: 'the token names no workspace, so no policies apply to it',
  matched: [],
  considered: 0,
};

/** Builders' queries about permissions. They change nothing, so production may be queried. */
function aclRoutes({
  simulate,
  readMatrix,
  overview: accessOverview,
  configs,
  appRoutes,
}: IamRouteDeps): readonly AnyRoute[] {
  return [
    serve(
      accessApi.simulateAccess,
      ({ body }, { org }) => simulate(org.code, readSimulation(body, { orgCode: org.code, routes: appRoutes })),
      { mistakes: simulationMistakes },
    ),
    serve(accessApi.lintStatements, async ({ body }, { org }) => {
      const { env = 'test', statements } = body;
      const config = await configs[env].current(org.code);
      return { findings: lintPolicy(statements, await lintEntities(config), lintBlocks(config)) };
    }),
    serve(accessApi.readAccessMatrix, ({ query }, { org, role }) => {
      const {
        env,
        tenant_code: tenantCode,
        entity: entityName,
        user_id: userId,
        pagesize: pageSize,
        nexttoken,
      } = query;
      const showsConditions = env === 'test' || mayReadProduction({ role });
      return readMatrix(org.code, { env, tenantCode, entityName, userId, showsConditions, pageSize, nexttoken });
    }),
    serve(accessApi.listWorkspacePolicies, ({ query }, { org }) => accessOverview.policies(org.code, query)),
    serve(accessApi.listWorkspaceGroups, ({ query }, { org }) => accessOverview.groups(org.code, query)),
    serve(accessApi.readWorkspacePolicy, ({ params, query }, { org }) =>
      accessOverview.policy(org.code, { ...params, ...query }),
    ),
    serve(accessApi.readWorkspaceGroup, ({ params, query }, { org }) =>
      accessOverview.group(org.code, { ...params, ...query }),
    ),
    serve(accessApi.listMembers, ({ query }, { org }) => accessOverview.members(org.code, query)),
    serve(accessApi.readMember, ({ params, query }, { org }) =>
      accessOverview.member(org.code, { ...params, ...query }),
    ),
    serve(accessApi.listHolders, ({ query }, { org }) => {
      if ((query.policy_id === undefined) === (query.group_id === undefined))
        throw new Problem('invalid_request', 'send either `policy_id` or `group_id`');
      return accessOverview.holders(org.code, query);
    }),
  ];
}

/** Routes to test policies on recorded calls. Nothing here changes anything, so production may be asked about. */
function policyLabRoutes({ lab: policyLab }: IamRouteDeps): readonly AnyRoute[] {
  return [
    serve(
      policyLabApi.replayAccess,
      ({ body }, { org }) => {
        const { env = 'test', tenant_code: tenantCode, draft, principals, since, limit } = body;
        const parsed = parseStatements(draft.statements);
        if (!('statements' in parsed)) throw new Problem('validation_failed', 'the draft has mistakes');
        return policyLab.replay(org.code, {
          ...{ env, tenantCode, principals, limit },
          draft: { policyId: draft.policy_id, name: draft.name, statements: parsed.statements },
          since: since === undefined ? undefined : Date.parse(since),
        });
      },
      { mistakes: replayMistakes },
    ),
    serve(policyLabApi.suggestPolicy, ({ query }, { org }) => policyLab.suggest(org.code, query)),
    serve(policyLabApi.listReported, ({ query }, { org }) => policyLab.reported(org.code, query)),
  ];
}

/** The faults of a replay beside the kinds of its members. */
function replayMistakes(sent: unknown): readonly InputError[] {
  const body = isObject(sent) ? sent : {};
  const draft = isObject(body.draft) ? body.draft : {};
  const isNew = draft.policy_id === undefined;
  const errors: InputError[] = [];
  if (isNew && body.principals === undefined)
    errors.push({
      pointer: '/principals',
      code: 'required',
      message: 'a new policy needs `principals`: who would hold it',
    });
  if (!isNew && body.principals !== undefined)
    errors.push({
      pointer: '/principals',
      code: 'contradiction',
      message: 'with `policy_id` the draft is held by the present holders',
    });
  const parsed = draft.statements === undefined ? undefined : parseStatements(draft.statements);
  if (parsed === undefined || 'statements' in parsed) return errors;
  return [...errors, ...parsed.errors.map((error) => ({ ...error, pointer: `/draft/statements${error.pointer}` }))];
}
