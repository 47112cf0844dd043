import { type DecisionLog, type DescribedDecision, describeDecision, type LoggedDecision } from '../../../iam/port.ts';
import { notFound, Problem } from '../../../lib/problem.ts';
import type { ManagementRoute } from '../../management-route.ts';
import { readParameters } from '../../pipeline/management-query.ts';
import { readPageSize } from '../../pipeline/page-size.ts';
import { json } from '../../reply.ts';

/** Why an app call was denied: what its caller only learns the id of. */
export function decisionRoutes(decisions: DecisionLog): readonly ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: '/acl/decisions',
      access: 'developer',
      handle: ({ query }, { org }) => {
        const requestId = query.get('request_id');
        if (requestId === undefined) return latest(decisions, org.code, query);
        if (query.size > 1) throw new Problem('invalid_request', '`request_id` stands alone');
        return found(decisions.find(org.code, { requestId }));
      },
    },
    {
      method: 'GET',
      path: '/acl/decisions/:decision_id',
      access: 'developer',
      handle: ({ params }, { org }) => found(decisions.find(org.code, { decisionId: params.decision_id ?? '' })),
    },
  ];
}

function found(decision: LoggedDecision | undefined) {
  if (decision === undefined) throw notFound();
  return json(200, shown(decision));
}

function latest(decisions: DecisionLog, orgCode: string, query: ReadonlyMap<string, string>) {
  const { env, pagesize } = readParameters(query, [], ['pagesize']);
  const asked = { env: query.has('env') ? env : undefined, limit: readPageSize(pagesize) };
  return json(200, { items: decisions.latest(orgCode, asked).map(shown) });
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
