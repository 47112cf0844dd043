import type { accessApi } from '@freehold/contract/management/access';
import type { ReplyOf } from '@freehold/contract/route';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Environment } from '../../api/session.ts';
import { type Shown, shownUser } from '../../api/shown-values.ts';

export type Policy = ReplyOf<typeof accessApi.readWorkspacePolicy> & {
  /** None where they are not shown: production's are for org admins. */
  readonly statements: readonly unknown[];
};
export type GroupDetails = ReplyOf<typeof accessApi.readWorkspaceGroup>;
export type Finding = ReplyOf<typeof accessApi.lintStatements>['findings'][number];

/** A workspace of an environment. */
export interface Where {
  readonly env: Environment;
  readonly workspace: string;
}

/** All that is read here begins with it, so that a change of access reads everything again. */
export const accessKey = 'access';

const pageParams = {
  initialPageParam: '',
  getNextPageParam: ({ nexttoken }: { readonly nexttoken: string | null }) => nexttoken ?? undefined,
};

export const policiesQuery = ({ env, workspace }: Where, search: string) =>
  infiniteQueryOptions({
    queryKey: [accessKey, 'policies', env, workspace, search],
    queryFn: ({ pageParam, signal }) =>
      call('listWorkspacePolicies', {
        query: { env, tenant_code: workspace, q: search, nexttoken: pageParam },
        signal,
      }),
    ...pageParams,
    placeholderData: keepPreviousData,
  });

export const policyQuery = ({ env, workspace }: Where, id: string) =>
  queryOptions({
    queryKey: [accessKey, 'policy', env, workspace, id],
    queryFn: async ({ signal }): Promise<Policy> => {
      const policy = await call('readWorkspacePolicy', {
        params: { id },
        query: { env, tenant_code: workspace },
        signal,
      });
      return { ...policy, statements: policy.statements ?? [] };
    },
  });

export const groupQuery = ({ env, workspace }: Where, id: string) =>
  queryOptions({
    queryKey: [accessKey, 'group', env, workspace, id],
    queryFn: ({ signal }) =>
      call('readWorkspaceGroup', { params: { id }, query: { env, tenant_code: workspace }, signal }),
  });

/** The members who hold a policy directly, or are in a group. */
export const holdersQuery = (
  { env, workspace }: Where,
  of: { readonly policy_id: string } | { readonly group_id: string },
) =>
  infiniteQueryOptions({
    queryKey: [accessKey, 'holders', env, workspace, of],
    queryFn: async ({ pageParam, signal }) => {
      const query = { env, tenant_code: workspace, ...of, nexttoken: pageParam };
      const page = await call('listHolders', { query, signal });
      return { ...page, items: page.items.map(shownUser) };
    },
    ...pageParams,
  });

export const groupsQuery = ({ env, workspace }: Where, search: string) =>
  infiniteQueryOptions({
    queryKey: [accessKey, 'groups', env, workspace, search],
    queryFn: ({ pageParam, signal }) =>
      call('listWorkspaceGroups', { query: { env, tenant_code: workspace, q: search, nexttoken: pageParam }, signal }),
    ...pageParams,
    placeholderData: keepPreviousData,
  });

/** What the platform says of statements: what it would refuse, and what probably does not mean what it says. */
export const lintQuery = (env: Environment, statements: unknown) =>
  queryOptions({
    queryKey: ['lint', env, JSON.stringify(statements)],
    queryFn: ({ signal }) => call('lintStatements', { body: { env, statements }, signal }),
    placeholderData: keepPreviousData,
    retry: false,
  });

export type Holder = Shown<ReplyOf<typeof accessApi.listHolders>['items'][number]>;

const countedMax = 1000;

/** A number of members or groups, which the platform counts no further than that. */
export function countOf(number: number): string {
  return number >= countedMax ? '1,000 or more' : String(number);
}
