import type { DecisionLog } from '../../../iam/decision-log.ts';
import { notFound, Problem } from '../../../lib/problem.ts';
import type { ManagementRoute } from '../../management-route.ts';
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
        if (requestId === undefined || query.size > 1)
          throw new Problem('invalid_request', 'the parameter `request_id` is needed, and no other');
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

function found(decision: ReturnType<DecisionLog['find']>) {
  if (decision === undefined) throw notFound();
  return json(200, decision);
}
