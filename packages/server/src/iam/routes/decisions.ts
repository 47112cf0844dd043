import { accessApi } from '@freehold/contract/management/access';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import type { DecisionLog, LoggedDecision } from '../decisions/decision-log.ts';
import { type DescribedDecision, describeDecision } from '../decisions/describe-decision.ts';

/** Why an app call was denied: what its caller only learns the id of. */
export function decisionRoutes(decisions: DecisionLog): readonly AnyRoute[] {
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

function latest(decisions: DecisionLog, orgCode: string, asked: Parameters<DecisionLog['latest']>[1]) {
  return { items: decisions.latest(orgCode, asked).map(shown) };
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
