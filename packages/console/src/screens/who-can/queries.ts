import type { accessApi } from '@freehold/contract/management/access';
import type { CallParts, ReplyOf } from '@freehold/contract/route';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { findMembers, type InWorkspace } from '../../api/members.ts';
import { type Shown, shownUser } from '../../api/shown-values.ts';

export type Member = Shown<ReplyOf<typeof accessApi.readMember>>;
export type MatrixRow = Shown<ReplyOf<typeof accessApi.readAccessMatrix>['items'][number]>;
export type Cell = MatrixRow['entities'][string]['get'];
export type Verb = keyof MatrixRow['entities'][string];

/** The members of a workspace whose email or name has `q`, by email. */
export const membersQuery = ({ env, workspace }: InWorkspace, q: string) =>
  infiniteQueryOptions({
    queryKey: ['members', env, workspace, q],
    queryFn: ({ pageParam, signal }) =>
      findMembers({ env, workspace }, { q, pagesize: 50, nexttoken: pageParam, signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nexttoken,
    placeholderData: keepPreviousData,
  });

/** A member's permissions on all entities, in one reply. */
export const matrixQuery = ({ env, workspace }: InWorkspace, userId: string) =>
  queryOptions({
    queryKey: ['members', env, workspace, 'matrix', userId],
    queryFn: ({ signal }) => readMatrix({ env, tenant_code: workspace, user_id: userId }, signal),
  });

/** A page of what members may do. */
export async function readMatrix(
  query: NonNullable<CallParts<typeof accessApi.readAccessMatrix>['query']>,
  signal: AbortSignal,
) {
  const page = await call('readAccessMatrix', { query, signal });
  return { ...page, items: page.items.map(shownUser) };
}
