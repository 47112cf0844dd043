import type { accessApi } from '@freehold/contract/management/access';
import type { ReplyOf } from '@freehold/contract/route';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Environment } from '../../api/session.ts';

export type Decision = ReplyOf<typeof accessApi.readDecision>;

/** As many denials as the platform keeps of an org. */
export const denialsMax = 200;

export interface DenialsOf {
  readonly env: Environment;
  readonly workspace: string | undefined;
  readonly user: string | undefined;
}

/** The last denials, the latest first. */
export const denialsQuery = ({ env, workspace, user }: DenialsOf, pagesize: number) =>
  queryOptions({
    queryKey: ['decisions', env, workspace, user, pagesize],
    queryFn: async ({ signal }): Promise<readonly Decision[]> => {
      const query = { env, tenant_code: workspace, user_id: user, pagesize };
      const reply = await call('findDecision', { query, signal });
      return 'items' in reply ? reply.items : [reply];
    },
  });

/** A denial by its decision id, or by the id of the request that was denied. */
export const decisionQuery = (id: string) =>
  queryOptions({
    queryKey: ['decision', id],
    queryFn: async ({ signal }): Promise<Decision | undefined> => {
      if (isDecisionId(id)) return await call('readDecision', { params: { decision_id: id }, signal });
      const reply = await call('findDecision', { query: { request_id: id }, signal });
      return 'items' in reply ? reply.items[0] : reply;
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

function isDecisionId(id: string): boolean {
  return id.startsWith('d_');
}
