import type { policyLabApi } from '@freehold/contract/management/access/policy-lab';
import type { ReplyOf } from '@freehold/contract/route';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { accessKey, type Where } from '../policies/queries.ts';

export type Replayed = ReplyOf<typeof policyLabApi.replayAccess>;
export type ReplayedGroup = Replayed['newly_denied']['items'][number];
export type Suggestion = ReplyOf<typeof policyLabApi.suggestPolicy>;
export type ReportedUse = ReplyOf<typeof policyLabApi.listReported>['items'][number];

/** Whose use a suggestion rests on. */
export const subjects = ['user', 'policy', 'group'] as const;
export type Subject = (typeof subjects)[number];

export interface Suggested {
  readonly of: Subject;
  readonly id: string;
}

export const suggestionQuery = ({ env, workspace }: Where, { of, id }: Suggested) =>
  queryOptions({
    queryKey: [accessKey, 'suggestion', env, workspace, of, id],
    queryFn: ({ signal }) =>
      call('suggestPolicy', { query: { env, tenant_code: workspace, [`${of}_id`]: id }, signal }),
  });

export const reportedQuery = ({ env, workspace }: Where) =>
  infiniteQueryOptions({
    queryKey: [accessKey, 'reported', env, workspace],
    queryFn: ({ pageParam, signal }) =>
      call('listReported', { query: { env, tenant_code: workspace, nexttoken: pageParam }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ nexttoken }) => nexttoken ?? undefined,
  });
