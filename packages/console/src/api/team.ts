import type { orgUsersApi } from '@freehold/contract/management/org-users';
import type { ReplyOf } from '@freehold/contract/route';
import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';

export type TeamMember = ReplyOf<typeof orgUsersApi.listOrgUsers>['items'][number];

/** The members of the org and its open invitations; for org admins. */
export const teamQuery = queryOptions({
  queryKey: ['team'],
  queryFn: ({ signal }) => call('listOrgUsers', { signal }),
  staleTime: 30_000,
});
